"""Another process that compiles: it can be killed, and in this one LLVM's lock stays free."""

import os
import sys
from pathlib import Path
from typing import Any


class CompilingProcess:
    """A process that compiles: `task` is MODULE:FUNCTION; its arguments are the files of its input and its code."""

    def __init__(self, content: bytes, task: str) -> None:
        """Start the process; raises OSError if none can be started."""
        import subprocess  # here: most searches end before
        from tempfile import TemporaryDirectory

        self._folder: TemporaryDirectory[str] = TemporaryDirectory(prefix="isrcheck-")
        source, self._target = Path(self._folder.name) / "program", Path(self._folder.name) / "code"
        source.write_bytes(content)
        module, _, function = task.partition(":")
        begin = f"from isrcheck.process.supervised import end_with_parent; end_with_parent(0); import {module} as it"
        command = [sys.executable, "-c", f"{begin}; it.{function}()", str(source), str(self._target)]
        path = os.pathsep.join(filter(None, sys.path))
        kinds: dict[str, Any] = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
        try:
            environment = {**os.environ, "PYTHONPATH": path}
            self._process: subprocess.Popen[bytes] = subprocess.Popen(
                command, env=environment, stdin=subprocess.PIPE, start_new_session=True, **kinds
            )
        except OSError:
            self._folder.cleanup()
            raise

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def code(self) -> bytes | None:
        """The code that the process has written; None while it is under way, and if it failed."""
        return self._target.read_bytes() if self._process.poll() == 0 else None

    def close(self) -> None:
        with self._process as process:
            process.kill()
        self._folder.cleanup()
