"""How the server begins and ends."""

import os
import shutil
from pathlib import Path

from isrcheck.editor.server.app import EditorServer
from isrcheck.editor.server.features import register
from isrcheck.editor.server.readers import ServerLimits


def serve(limits: ServerLimits) -> None:
    """Serve on standard input and output, which this process uses for nothing else."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("rb") as null:
        os.dup2(null.fileno(), 0)
    os.dup2(2, 1)
    server = EditorServer(limits)
    register(server)
    try:
        server.start_io(requests, answers)
    finally:
        shutil.rmtree(server.folder, ignore_errors=True)
