"""A sentence for what Spark says at length when a job fails."""

import re

from isrcheck.engines.spark.storage import StorageFailed
from isrcheck.errors import IsrcheckError


class JobFailed(Exception):
    """The text is all that Spark says."""


class SearchLost(IsrcheckError):
    """The cluster gave a search up; there is no verdict. What was committed can be resumed."""


def is_refusal(error: JobFailed) -> bool:
    """Whether a task found what another attempt would find too."""
    return "StorageFailed: " in str(error)


def failure(error: JobFailed, level: int, place: str | None) -> IsrcheckError:
    """The sentence for what Spark said; a task's own is handed on. `place`: the checkpoint to resume."""
    message = str(error)
    own = re.search(r"StorageFailed: (.+)", message)
    if own:
        return StorageFailed(own[1].strip())
    again = f"; --resume {place} goes on from the level before it" if place else ""
    return SearchLost(f"Spark gave up at level {level + 1}: {_main_line(message)}{again}.")


def _main_line(message: str) -> str:
    """The last exception, or first line."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    python = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Lost|Killed)\b", line)]
    crash = [line for line in lines if "exited unexpectedly" in line or "SparkException" in line]
    return ([*crash[:1], *python[-1:], *lines[:1]] or ["it does not say why"])[0].lstrip(": ").rstrip(".")
