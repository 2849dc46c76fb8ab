"""The search: which states a model may be in once so many events of each node are explained.

A node of the search is a position in every track and one state. Where an event only has to agree with the state, it is
taken at once: it excludes nothing. The node that explains the most is looked at first; a step that nobody observed is
tried only where no observed one leads on, and then of one more such step in a row at a time.
"""

import heapq
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf

from isrcheck.plugin import replace
from isrlogs.conform.event import Event
from isrlogs.conform.meaning import Meaning, difference
from isrlogs.conform.run import Demand, Run
from isrlogs.conform.stepping import Stepping
from isrlogs.conform.track import START, Position, Track

_AT_LEAST = 1.0  # seconds for that, if a search has used all it had
_BACK = 20  # an order that was wrong shows within so many steps, mostly; and it is tried later if not
_BEYOND = 2_000  # nodes that are looked at to find whether a log ends early

Place = tuple[int, int]  # a track, and an event in it


@dataclass(frozen=True)
class Limits:
    """The limits at which a search gives up."""

    seconds: float | None = 60.0
    nodes: int = 400_000


@dataclass(frozen=True)
class Move:
    """How a node of the search came about: a step of the model or none, and the events that it explains."""

    instance: int | None
    explained: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Node:
    """A position in every track, and the number of a state."""

    positions: tuple[Position, ...]
    state: int


@dataclass
class SearchResult:
    """The result of a search. `cut` says why it ended early, "" if it did not."""

    way: list[tuple[Node, Move]]
    is_whole: bool
    nodes: int
    seconds: float
    cut: str
    furthest: list[Node] = field(default_factory=list)


class Search:
    """One run, one model."""

    def __init__(self, stepping: Stepping, run: Run, limits: Limits) -> None:
        self.stepping = stepping
        self.tracks = run.tracks
        self.table = run.table
        self.demands = run.demands
        self.limits = limits
        self._run = run
        self._beyond = False  # whether a broker whose log has ended may go on unseen
        self._is_left = False  # whether the logs of all have, and the record goes on
        self._is_silent = any(name.startswith(("append_until", "answer_arrives")) for name in run.silent)
        self.steps: dict[Node, int] = {}
        self.came: dict[Node, tuple[Node, tuple[Move, ...]] | None] = {}
        self.began = time.process_time()
        self._waiting: list[tuple[int, int, float, int, int, bool, Node]] = []
        self._number = 0
        self._most = -1
        self._furthest: list[Node] = []

    def run(self) -> SearchResult:
        """Search until all events are explained, no step is left to try, or a limit is reached."""
        enough = self._run.events
        result = self._from([Node(tuple(START for _ in self.tracks), self.stepping.initial)], enough)
        if result.is_whole or result.cut or not self._is_left_to_the_record(result.furthest[0]):
            return result
        furthest = list(result.furthest)
        self._beyond = self._is_left = True
        self.limits = Limits(self.limits.seconds, len(self.came) + _BEYOND)
        for node in furthest:
            self._push(node, 0, infer=True, wall_ms=0.0)
        beyond = self._explain(enough)
        self._beyond = self._is_left = False
        return beyond if beyond.is_whole else replace(result, furthest=furthest, cut=beyond.cut)

    def _is_left_to_the_record(self, node: Node) -> bool:
        """Whether only the controller tells of what is not explained, after the last lines of all brokers."""
        ends: list[float] = []
        left: list[float] = []
        for track, position in zip(self.tracks, node.positions, strict=True):
            if track.node == "controller":
                left = [event.wall_ms for event in track.events[position[0] :]]
            elif not track.is_done(position):
                return False
            elif track.broker is not None:
                ends += [event.wall_ms for event in track.events]
        return bool(left) and min(left) > max(ends, default=inf)

    def logs_that_end_early(self, result: SearchResult) -> list[str]:
        """The nodes whose logs end where the search ended, if more would be explained had they gone on."""
        furthest, seconds = result.furthest, self.limits.seconds
        left = None if seconds is None else max(_AT_LEAST, seconds - result.seconds)
        beyond = Search(self.stepping, self._run, Limits(left, _BEYOND))
        beyond._beyond = True
        most = self.count_explained(furthest[0])
        beyond._from([*furthest, *self._where_logs_end(furthest[0])], enough=most + 1)
        if beyond._most <= most:
            return []
        ended = {t.node for n in furthest for t, p in zip(self.tracks, n.positions, strict=True) if t.has_ended(p)}
        return sorted(name for name in ended if name.startswith("broker"))

    def _where_logs_end(self, furthest: Node) -> Iterator[Node]:
        """Yield the nodes on the way to a node at which a track said its last line."""
        ended: set[int] = set()
        for node, _ in self._way(furthest):
            now = {i for i, t in enumerate(self.tracks) if t.broker is not None and t.has_ended(node.positions[i])}
            if now - ended:
                yield node
            ended |= now

    def _from(self, nodes: Sequence[Node], enough: int) -> SearchResult:
        for node in nodes:
            self._arrive(node, None, (), 0)
        return self._explain(enough)

    def _explain(self, enough: int) -> SearchResult:
        while self._waiting:
            *_, inferred, infer, node = heapq.heappop(self._waiting)
            if self.count_explained(node) >= enough:
                return self._result(node, self.is_whole(node), "")
            if cut := self._reason_to_stop():
                return self._result(self._furthest[0], False, cut)
            if infer:
                for move, after in self._infer_steps(node):
                    self._arrive(after, node, (move,), inferred + 1)
            else:
                for move, after in self._steps_of_events(node):
                    self._arrive(after, node, (move,), 0)
                self._push(node, inferred, infer=True, wall_ms=0.0)
        return self._result(self._furthest[0], False, "")

    def is_whole(self, node: Node) -> bool:
        """Whether every event is explained."""
        return all(track.is_done(position) for track, position in zip(self.tracks, node.positions, strict=True))

    def count_explained(self, node: Node) -> int:
        """The number of explained events."""
        return sum(track.count_explained(position) for track, position in zip(self.tracks, node.positions, strict=True))

    def heads(self, node: Node) -> Iterator[tuple[int, int, Event]]:
        """The events that may be next: (track, index, event)."""
        for place, (track, position) in enumerate(zip(self.tracks, node.positions, strict=True)):
            for index in track.open(position):
                yield place, index, track.events[index]

    # One node

    def _arrive(self, node: Node, before: Node | None, moves: tuple[Move, ...], inferred: int) -> None:
        node, more = self._settle(node)
        if node in self.came:
            return
        self.came[node] = None if before is None else (before, (*moves, *more))
        self.steps[node] = 0 if before is None else self.steps[before] + 1
        explained = self.count_explained(node)
        if explained > self._most:
            self._most, self._furthest = explained, []
        if explained == self._most and len(self._furthest) < 20:
            self._furthest.append(node)
        if self._beyond or not self._is_dead(node):
            self._push(node, inferred, infer=False, wall_ms=self._wall_ms(moves))

    def _wall_ms(self, moves: tuple[Move, ...]) -> float:
        """Return the wall-clock time of the last event that these moves explain, in milliseconds."""
        events = [self.tracks[place].events[index] for move in moves for place, index in move.explained]
        return max((event.wall_ms for event in events), default=0.0)

    def _is_dead(self, node: Node) -> bool:
        """Whether an event that must be explained next can never be."""
        return any(self.is_lost(node, place, index, event) for place, index, event in self.heads(node))

    def is_lost(self, node: Node, place: int, index: int, event: Event) -> bool:
        """Whether an event that is next can never be."""
        meaning, view = self.table[event.kind], self.stepping.view(node.state)
        for check in (*meaning.before, *meaning.after):
            is_above = check.is_above(view, event)
            own_step = bool(meaning.steps) and check not in meaning.before
            if is_above is None or (not is_above and (self._is_silent or own_step)):
                continue
            kinds = check.falls_by if is_above else check.grows_by
            if kinds is not None and not self._may_come(node, place, index, check.subject(event), kinds):
                return True
        return False

    def _may_come(self, node: Node, place: int, index: int, subject: int | None, kinds: frozenset[str]) -> bool:
        """Whether a broker's events of these kinds may come before this one."""
        own = next((p for p, track in enumerate(self.tracks) if track.broker == subject), None)
        if own is None:
            return bool(kinds)
        track, position = self.tracks[own], node.positions[own]
        if own == place and index == position[0]:
            return any(
                track.may_swap(index, i) for i in track.rest(position) if i > index and track.events[i].kind in kinds
            )
        return track.last(kinds) >= position[0]

    def _push(self, node: Node, inferred: int, *, infer: bool, wall_ms: float) -> None:
        """Queue a node that `inferred` steps in a row led to. What they made possible comes before another such step.

        Before a step that nobody observed, what was observed is tried otherwise: as far back as `_BACK` steps.
        """
        self._number += 1
        urgency = 2 * inferred + 1 if infer else max(0, 2 * inferred - 1)
        rank = _BACK * urgency - self.steps[node]
        heapq.heappush(self._waiting, (rank, urgency, wall_ms, self._number, inferred, infer, node))

    def _settle(self, node: Node) -> tuple[Node, tuple[Move, ...]]:
        """The node once every event that agrees with its state is taken."""
        moves: list[Move] = []
        for place, track in enumerate(self.tracks):
            agrees = partial(self._is_settled, track, node)
            while (index := next(filter(agrees, track.open(node.positions[place])), None)) is not None:
                node = self._take(node, place, index, node.state)
                agrees = partial(self._is_settled, track, node)
                moves.append(Move(None, ((place, index),)))
        return node, tuple(moves)

    def _is_settled(self, track: Track, node: Node, index: int) -> bool:
        event = track.events[index]
        if self.table[event.kind].or_nothing or not self._agrees(node, event):
            return False
        return not self._run.may_be_later(self.stepping.view(node.state), event, node.positions)

    def _agrees(self, node: Node, event: Event) -> bool:
        """Whether an event may tell of no step."""
        meaning = self.table[event.kind]
        may_be_nothing = meaning.may_be_nothing or meaning.or_nothing
        return may_be_nothing and difference(meaning.after, self.stepping.view(node.state), event) is None

    def _take(self, node: Node, place: int, index: int, state: int) -> Node:
        positions = list(node.positions)
        positions[place] = self.tracks[place].after(positions[place], index)
        return Node(tuple(positions), state)

    def _steps_of_events(self, node: Node) -> list[tuple[Move, Node]]:
        """The moves that are events, and where they lead; of an eager event, no other move."""
        moves: list[tuple[Move, Node]] = []
        for place, index, event in self.heads(node):
            meaning = self.table[event.kind]
            here = [
                (Move(instance, ((place, index), *also)), after)
                for instance in self.stepping.instances(meaning.steps, event)
                for also, after in self._after(node, place, index, event, meaning, instance)
            ]
            if self._agrees(node, event):
                here.append((Move(None, ((place, index),)), self._take(node, place, index, node.state)))
            if meaning.eager and here:
                return here
            moves += here
        return moves

    def _after(
        self, node: Node, place: int, index: int, event: Event, meaning: Meaning, instance: int
    ) -> Iterator[tuple[tuple[Place, ...], Node]]:
        if difference(meaning.before, self.stepping.view(node.state), event):
            return
        state = self.stepping.step(node.state, instance)
        if state is None or difference(meaning.after, self.stepping.view(state), event):
            return
        yield from self._with_demands(node, self._take(node, place, index, state), event)

    def _with_demands(
        self, before: Node, after: Node, event: Event | None = None
    ) -> Iterator[tuple[tuple[Place, ...], Node]]:
        """Yield the step with the lines that it cannot go without, beside the one that told of it."""
        also: list[Place] = []
        for demand in self.demands(self.stepping.view(before.state), self.stepping.view(after.state)):
            if event is not None and demand.accepts(event):
                continue
            if self._beyond and self.tracks[demand.track].has_ended(before.positions[demand.track]):
                continue
            index = self._line_that_tells(demand, after)
            if index is None:
                return
            also.append((demand.track, index))
            after = self._take(after, demand.track, index, after.state)
        yield tuple(also), after

    def _line_that_tells(self, demand: Demand, node: Node) -> int | None:
        track = self.tracks[demand.track]
        return next((i for i in track.open(node.positions[demand.track]) if demand.accepts(track.events[i])), None)

    def untold(self, node: Node, place: int, index: int, state: int) -> Demand | None:
        """The line that a step cannot go without, and that is not there."""
        taken, event = self._take(node, place, index, state), self.tracks[place].events[index]
        demands = self.demands(self.stepping.view(node.state), self.stepping.view(state))
        return next((d for d in demands if not d.accepts(event) and self._line_that_tells(d, taken) is None), None)

    def _infer_steps(self, node: Node) -> Iterator[tuple[Move, Node]]:
        steps = (*self._unseen(node), *self._steps_that_help(node), *self._steps_beyond(node))
        for instance in dict.fromkeys(steps):
            state = self.stepping.step(node.state, instance)
            if state is not None and state != node.state:
                for also, after in self._with_demands(node, Node(node.positions, state)):
                    yield Move(instance, also), after

    def _unseen(self, node: Node) -> Iterator[int]:
        """Steps that nobody ever tells of."""
        view = self.stepping.view(node.state)
        for action in self._run.unseen:
            for instance, arguments in self.stepping.instances_of(action):
                if self._run.is_due(view, action, arguments, node.positions):
                    yield instance

    def _steps_that_help(self, node: Node) -> Iterator[int]:
        """Yield steps that no line tells of, and which an event waits for."""
        for _, _, event in self.heads(node):
            for instance in self.stepping.instances(self.table[event.kind].helped, event):
                action, actor = self.stepping.actor(instance)
                if self._run.may_infer(action, actor) or (self._beyond and self._has_ended(node, actor)):
                    yield instance

    def _steps_beyond(self, node: Node) -> Iterator[int]:
        """Yield steps of brokers whose logs say nothing more."""
        for action in self._run.beyond if self._is_left else ():
            for instance, arguments in self.stepping.instances_of(action):
                if all(self._has_ended(node, broker) for broker in arguments.values()):
                    yield instance

    def _has_ended(self, node: Node, broker: int | None) -> bool:
        """Whether a broker's log says nothing more."""
        return any(t.has_ended(p) for t, p in zip(self.tracks, node.positions, strict=True) if t.broker == broker)

    # The end

    def _reason_to_stop(self) -> str:
        if len(self.came) > self.limits.nodes:
            return f"after {len(self.came):,} positions"
        seconds = self.limits.seconds
        if seconds is not None and time.process_time() - self.began > seconds:
            return f"after {seconds:g} seconds"
        return ""

    def _result(self, node: Node, is_whole: bool, cut: str) -> SearchResult:
        seconds = time.process_time() - self.began
        return SearchResult(self._way(node), is_whole, len(self.came), seconds, cut, self._furthest)

    def _way(self, node: Node) -> list[tuple[Node, Move]]:
        way: list[tuple[Node, Move]] = []
        while (came := self.came[node]) is not None:
            before, moves = came
            way += [(node, move) for move in reversed(moves)]
            node = before
        return way[::-1]
