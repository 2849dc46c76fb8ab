"""Certificates made wrong by hand: a file changed, with its hash put right again."""

import gzip
import hashlib
import io
import json
import re
import runpy
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import isrcheck.recheck


def recheck(folder: Path) -> tuple[int, str]:
    """What the checker exits with and says, run as a command but in this process."""
    said, before = io.StringIO(), sys.argv
    sys.argv = ["recheck", str(folder)]
    try:
        with redirect_stdout(said):
            runpy.run_path(str(Path(isrcheck.recheck.__file__)), run_name="__main__")
    except SystemExit as refusal:
        assert said.getvalue() == ""
        return 1, f"{refusal.code}\n"
    finally:
        sys.argv = before
    return 0, said.getvalue()


def restate(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Changes what certificate.json says."""
    file = folder / "certificate.json"
    body = json.loads(file.read_text(encoding="utf-8"))
    change(body)
    file.write_text(json.dumps(body), encoding="utf-8")


def rewrite(folder: Path, name: str, data: bytes) -> None:
    """Changes a file, and the hash of it that is stated."""
    (folder / name).write_bytes(data)
    restate(folder, lambda body: body["files"].update({name: hashlib.sha256(data).hexdigest()}))


def relist(folder: Path, change: Callable[[list[bytes]], list[bytes]], size: int = 8) -> None:
    """Changes the states listed, and how many are stated."""
    words = gzip.decompress((folder / "states.gz").read_bytes())
    states = change([words[i : i + size] for i in range(0, len(words), size)])
    rewrite(folder, "states.gz", gzip.compress(b"".join(states)))
    restate(folder, lambda body: body["states"].update(distinct=len(states)))


def redefine(folder: Path, name: str, body: str) -> None:
    """Gives a definition another body, everywhere that it stands."""
    for file in ("definitions.smt2", "obligations.smt2"):
        text = (folder / file).read_text(encoding="utf-8")
        start = text.index(f"(define-fun |{name}|")
        head = text.index(") Bool\n", start) + len(") Bool\n")
        old, rest = re.split(r"\n(?=\n|\(declare|\Z)", text[head:], maxsplit=1)
        assert old.endswith(")")
        rewrite(folder, file, f"{text[:head]}  {body})\n{rest}".encode())
