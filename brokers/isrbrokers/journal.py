"""Journal of acts on a cluster and what its clients saw: JSON lines with the wall clock and the monotonic clock."""

import json
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BEGINS = "the soak begins"  # the moment from which the times of its faults count


@dataclass
class Journal:
    """A file that is only ever added to; several threads may write."""

    file: Path
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, **what: Any) -> None:
        """Add a line with the time of this moment."""
        line = json.dumps({"t": round(time.time(), 6), "mono": round(time.monotonic(), 6), **what})
        with self._lock, self.file.open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")

    def read(self) -> list[dict[str, Any]]:
        """All lines so far."""
        if not self.file.exists():
            return []
        return [json.loads(line) for line in self.file.read_text(encoding="utf-8").splitlines()]
