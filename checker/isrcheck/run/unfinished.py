"""What is left of a run that ended before its search: nothing was seen, and nothing is decided."""

import time
from collections.abc import Mapping
from typing import Any

from isrcheck.engines.contract import Exploration, Request
from isrcheck.passes.constants import word
from isrcheck.run.outcome import Outcome
from isrcheck.run.resources import peak_rss_bytes
from isrcheck.version import __version__


def nothing_seen(cut: str) -> Exploration:
    """The exploration of a run that ended, for this reason, before its first state."""
    return Exploration(
        distinct=0,
        generated=0,
        depth=0,
        levels=(),
        pruned=0,
        digest=None,
        cut=cut,
        interrupted=False,
        found={},
        action_generated=(),
        action_distinct=(),
        seconds=0.0,
    )


def unread(
    name: str, given: Mapping[str, Any], engine: str, request: Request, cut: str, started: float, command: str
) -> Outcome:
    """The outcome of a run that ended before its model was read with its constants: it has no properties yet."""
    return Outcome(
        version=__version__,
        model=name,
        constants={n: word(value) for n, value in given.items()},
        engine=engine,
        workers=request.workers,
        symmetry=request.symmetry,
        distinct=0,
        generated=0,
        depth=0,
        levels=(),
        pruned=0,
        digest=None,
        cut=cut,
        interrupted=False,
        properties=(),
        actions=(),
        seconds=0.0,
        startup_seconds=time.monotonic() - started,
        peak_rss_bytes=peak_rss_bytes(),
        state_bits=0,
        not_asked={},
        asleep=(),
        command=command,
    )
