"""Files are moved into place whole; what is no file stays what it is."""

import os
import stat
import threading
from pathlib import Path

from isrcheck.files import write_aside


def test_a_file_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "it"
    for text in ("one", "two"):
        write_aside(file, text)
        assert file.read_text(encoding="utf-8") == text
    assert [each.name for each in file.parent.iterdir()] == ["it"]


def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    """So does /dev/null, which nobody but root could replace, and root would."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_aside(pipe, "through")
    reader.join()
    assert read == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
