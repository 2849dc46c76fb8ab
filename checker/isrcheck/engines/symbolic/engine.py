"""The symbolic engine as the others are asked: a bound model in, a bounded search out."""

from isrcheck.engines.contract import Bounded, Progress, Request
from isrcheck.engines.registry import engine
from isrcheck.engines.symbolic.ask import SearchClock
from isrcheck.engines.symbolic.bounded import BoundedSearch, Findings
from isrcheck.errors import UsageError
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.symbolic import lower_symbolic


def search(model: BoundModel, request: Request) -> Bounded:
    """Search a model to a depth with z3. Raises UsageError before anything is solved, and FoundFault."""
    refuse(request)
    symbolic = lower_symbolic(model)
    clock = clock_for(request)
    with clock.stop.listening():
        found = BoundedSearch(
            symbolic,
            request.properties,
            clock,
            deadlock=request.deadlock,
            depth=request.limits.depth,
            stop_at_first=request.stop_at_first,
        ).run()
    return bounded(found, clock)


def clock_for(request: Request) -> SearchClock:
    """The clock of a request, which shows its progress."""
    return SearchClock(
        request.limits.seconds, lambda depth, seconds: request.progress(Progress(depth, 0, 0, 0, seconds))
    )


def bounded(findings: Findings, clock: SearchClock) -> Bounded:
    """A bounded search in the words of the contract."""
    return Bounded(
        depth=findings.depth,
        cut=findings.cut,
        interrupted=clock.stop.requested,
        found={name: found[0].path for name, found in findings.found.items()},
        seconds=clock.elapsed,
    )


def refuse(request: Request) -> None:
    """Raises UsageError for what a bounded search does not have, and where nothing would end it."""
    engine("symbolic").refuse(request)
    if request.limits.depth is None and request.limits.seconds is None:
        raise UsageError("the symbolic engine looks at one more step until it is told to stop: give --max-depth.")
    if not request.properties and not request.deadlock:
        raise UsageError("the symbolic engine counts no states: name a property, or ask for --deadlock.")
