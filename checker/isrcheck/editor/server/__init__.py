"""The language server: what it tells an editor, and what it runs for it."""

from isrcheck.extras import need

need("pygls")
