"""The process that reads for an editor."""

import sys

from isrcheck.editor.reading.host import main

main(sys.argv[1:])
