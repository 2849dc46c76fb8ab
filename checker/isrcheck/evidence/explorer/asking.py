"""Questions of a state in the terminal: where a condition is true next, what can happen, and why the rest cannot."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from isrcheck.engines.contract import Path
from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.why import Answer, AskingStepper, Guard
from isrcheck.errors import UsageError, nearest, quantity
from isrcheck.evidence import document as doc
from isrcheck.evidence.explorer.explored_model import ExploredModel, Walker, refusal_of
from isrcheck.evidence.outcome_document import story_blocks
from isrcheck.lang.condition import Condition, read_condition
from isrcheck.process.budget import poll
from isrcheck.run.replay import retrace, states_along


@dataclass(frozen=True)
class WalkResult:
    """A search for a state: its way, or None; how many states it met, and why it ended early, if it did."""

    path: Path | None
    met: int
    cut: str = ""

    def sentence(self, condition: str) -> str:
        if self.path is not None:
            return f"{condition} is true " + (f"after {quantity(len(self.path), 'step')}" if self.path else "already")
        states = quantity(self.met, "state")
        if not self.cut:
            return f"{condition} is never true: not in the {states} that can be reached from here within the bounds"
        return f"{condition} is not true in the {states} nearest to here: {self.cut}"


def walk_until(stepper: AskingStepper, states: Sequence[State], path: Path, asked: Condition, most: int) -> WalkResult:
    """The shortest way on to a state in which a condition is true, by breadth first, through so many states at most.

    Where a constraint drops the step to a state, it goes on from there only if another step leads there, too.
    """
    goes_on = not path or states[-2] == states[-1] or stepper.keeps((states[-2], path[-1]), states[-1])
    known, cut = {states[-1]: goes_on}, "" if goes_on else "a constraint ends the walk here"
    waiting = deque[tuple[State, bool, Path]]([(states[-1], goes_on, ())])
    while waiting:
        poll()
        state, goes_on, way = waiting.popleft()
        if stepper.meets(state, asked):
            return WalkResult(way, len(known))
        for instance, after in stepper.steps(state) if goes_on else ():
            if after is None or known.get(after):
                continue
            is_kept = stepper.keeps((state, instance), after)
            if after not in known and len(known) >= most:
                cut = "--max-states looks further"
            elif known.get(after) != is_kept:
                known[after] = is_kept
                waiting.append((after, is_kept, (*way, instance)))
    return WalkResult(None, len(known), cut)


def walk_on(
    subject: ExploredModel, conditions: tuple[str, ...], why: tuple[str, ...], most: int
) -> tuple[Path, WalkResult, str]:
    """The path through states in which one condition after the other is true, as far as there is one."""
    for name in (each for each in why if each not in subject.stepper.actions):
        raise UsageError(f"{subject.name} has no action {name}.{nearest(name, subject.stepper.actions)}")
    path, walk, sentence = (*(subject.trace or ()),), WalkResult((), 0), ""
    asked = [(written, read_condition(subject.model.ir, written, "--until")) for written in conditions]
    for written, condition in asked:
        states = states_along(subject.stepper, path, "the end of the trace", "reference")
        walk = walk_until(subject.stepper, states, path, condition, most)
        sentence = walk.sentence(written)
        if walk.path is None:
            break
        path = (*path, *walk.path)
    return path, walk, sentence


def state_document(subject: ExploredModel, path: Path, title: str, why: tuple[str, ...]) -> Iterator[doc.Block]:
    """A walk, the state at its end, what can happen there, and why the other actions cannot."""
    stepper = subject.stepper
    yield doc.Heading(title)
    if path:
        yield from story_blocks(retrace(subject.model, path, subject.name, "reference"))
    state = states_along(stepper, path, "the end of the walk", "reference")[-1]
    variables = zip(subject.head()["variables"], subject.values(state), strict=True)
    yield from doc.section("The state", [(name, doc.code(value)) for name, value in variables])
    answers = stepper.answers(state)
    moves = [(doc.code(stepper.call(n)), story) for n, story in _moves(subject, state, answers)]
    yield from doc.section("What can happen next", moves or [("nothing", "")])
    refused = _choose_refused(stepper, answers, why)
    reasons = [(doc.code(stepper.call(n)), _reason(answers[n])) for n in refused]
    yield from doc.section("Why not" if why else "Why the others cannot", reasons)


def _moves(subject: ExploredModel, state: State, answers: tuple[Answer, ...]) -> Iterator[tuple[int, str]]:
    """The enabled instances, each with what a story would say of its step."""
    walker = Walker(subject, (), state)
    for instance, after in enumerate(answers):
        if isinstance(after, tuple):
            story = walker.onward(walker.start, instance, after).row.story
            yield instance, story or walker.trace.actions[subject.stepper.step_taken(instance).action]


def _choose_refused(stepper: AskingStepper, answers: tuple[Answer, ...], why: tuple[str, ...]) -> Iterator[int]:
    """Every refused instance of the actions in `why`; without it, the nearest one of each action that has no step."""
    for number, action in enumerate(stepper.actions):
        own = range(*stepper.instances.first[number : number + 2])
        refused = [n for n in own if not isinstance(answers[n], tuple)]
        if action in why:
            yield from refused
        elif not why and refused and len(refused) == len(own):
            yield max(refused, key=lambda n: getattr(answers[n], "reached", 0))


def _reason(answer: Answer) -> doc.Lines:
    """The part of a guard that is false, with the values that it reads; or what else keeps a step from happening."""
    assert not isinstance(answer, tuple)
    reason = refusal_of(answer)
    if not isinstance(answer, Guard):
        return doc.Lines([reason["text"]])
    false = answer.conjunct or answer.condition
    values = f": {reason['values']}" if reason["values"] else ""
    return doc.Lines([(doc.code(false), " is false", values), doc.quiet(reason["place"])])
