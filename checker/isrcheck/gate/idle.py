"""What no run of a model in a gate put to the test: one run may leave something idle, all of them together may not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from isrcheck.evidence.outcome import Outcome
from isrcheck.evidence.untested import Because, Untested
from isrcheck.gate.cells import GateCell
from isrcheck.gate.result import Ran, Result

Tried = tuple[GateCell, Ran]


@dataclass(frozen=True)
class Idle:
    """An action never taken, a guard never false, a property of nothing, a claim never met, over all runs of a model.

    `what` is the action or property, `kind` is action or one of `Untested.kind`, and `written` is how a spec names it.
    It is not `known` to be idle where the search of some run ended before it was through.
    """

    model: str
    kind: str
    what: str
    sentence: str
    written: str
    place: str = ""
    known: bool = True


def idle_in(cells: Sequence[tuple[GateCell, Result]]) -> tuple[Idle, ...]:
    """What is idle in every run of its model that is not told to let it pass (`strict`, `never`, `idle`)."""
    by_model: dict[str, list[Tried]] = {}
    for cell, result in cells:
        if isinstance(result, Ran):
            by_model.setdefault(cell.model, []).append((cell, result))
    return tuple(
        idle for model, runs in by_model.items() for idle in (*_never_taken(model, runs), *_never_tested(model, runs))
    )


def _never_taken(model: str, runs: Sequence[Tried]) -> Iterator[Idle]:
    """The actions that no run took, where at least one saw its whole graph, but for those of which that is expected."""
    whole = [(cell, ran.whole) for cell, ran in runs if ran.whole is not None]
    if not whole:
        return
    taken = {action.name for _, ran in runs for seen in ran.seen for action in seen.actions if action.generated}
    sleeping = set.intersection(*({*outcome.never_taken} - {*cell.never} for cell, outcome in whole)) - taken
    for action in (a.name for a in whole[0][1].actions if a.name in sleeping):
        said = f"the action {action} can never happen in any run of {model}"
        yield Idle(model, "action", action, said, action)


def _never_tested(model: str, runs: Sequence[Tried]) -> Iterator[Idle]:
    """The guards, properties and claims that every run which looked for them left without a case."""
    looked = [(cell, ran.whole) for cell, ran in runs if cell.strict is not False]
    whole = [(cell, outcome) for cell, outcome in looked if outcome is not None]
    if not whole:
        return
    all_seen = len(whole) == len(looked)
    for each in whole[0][1].unused:
        found = [_same(each, outcome) for _, outcome in whole]
        expected = any(each.written in cell.idle for cell, _ in whole)
        reasons = {same.because for same in found if same is not None}
        if None in found or expected or reasons == {Because.SETTLED}:
            continue
        known = all_seen and Because.CUT not in reasons
        said = f"{model}: {each.sentence}"
        yield Idle(model, each.kind, each.owner, said, each.written, f"{each.place}  {each.text}", known)


def _same(each: Untested, outcome: Outcome) -> Untested | None:
    """The same thing in another run, if that run did not put it to the test either."""
    about = (each.kind, each.owner, each.place)
    return next((u for u in outcome.unused if (u.kind, u.owner, u.place) == about), None)
