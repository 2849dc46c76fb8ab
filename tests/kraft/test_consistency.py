"""A partition under KRaft without stops is, under a projection, the models that came before it.

At one leader epoch it is KIP-497's `async-isr`; with an ISR that changes in one step it is `kip-320`. Whole graphs are
compared: all projected states, and the steps between them, in both directions. What is left out on either side is
named where it is left out.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import le
from types import SimpleNamespace
from typing import Any

import pytest

from isrcheck import Model, action, require
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.ir.codec import codec
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.passes.choices import Ground
from isrmodel.async_isr import AsyncIsr
from isrmodel.kraft.releases import Kraft27
from isrmodel.published import Kip320
from isrmodel.vocabulary import Replica

State = Any  # a state by its variables' names
Allowed = Callable[[State, str, tuple[Any, ...]], bool]  # whether a step is taken: before, action, arguments
Shown = Any  # a state as the projection sees it, which can be hashed
Projection = Callable[[State], Shown]


@dataclass(frozen=True)
class Projected:
    """What a projection tells apart: the states, and the steps between two of them."""

    states: frozenset[Shown]
    steps: frozenset[tuple[Shown, Shown]]
    distinct: int  # states of the model itself


def projected(model: type[Model], constants: Mapping[str, Any], project: Projection, allowed: Allowed) -> Projected:
    """All that a model reaches from its initial state by the steps that are allowed."""
    bound = bind(read_model(model), constants)
    stepper = ScalarStepper(lower(bound))
    instances = [(bound.ir.actions[action].name, tuple(arguments)) for action, arguments in Ground(bound)]
    codecs = [(name, codec(domain)) for name, domain in bound.domains.items()]

    def shown(state: tuple[int, ...]) -> State:
        scalars = iter(state)
        return SimpleNamespace(**{name: each.unflatten(scalars) for name, each in codecs})

    seen: dict[tuple[int, ...], Shown] = {stepper.initial: project(shown(stepper.initial))}
    waiting, steps = [stepper.initial], set()
    for state in waiting:
        before = shown(state)
        for instance, after in stepper.steps(state):
            if after is None or not allowed(before, *instances[instance]):
                continue
            if after not in seen:
                seen[after] = project(shown(after))
                waiting.append(after)
            if seen[after] != seen[state]:
                steps.add((seen[state], seen[after]))
    return Projected(frozenset(seen.values()), frozenset(steps), len(seen))


NO_STOPS = {"min_isr": 1, "max_session": 0, "elections": 0, "clean_stops": 0, "kills": 0, "power_losses": 0}


def numbered(members: Any) -> tuple[int, ...]:
    """Replicas or followers by their numbers, in order."""
    return tuple(sorted(int(str(member)[1:]) for member in members))


# One leader epoch: KIP-497. Replica 0 leads, and replica n is follower n - 1.


def of_async_isr(state: State) -> Any:
    members = [range(1, len(state.fetched) + 1)[n] for n in range(len(state.fetched))]
    fetched = tuple(state.fetched[f] for f in sorted(state.fetched, key=str))
    waited_for = state.leader.isr | state.pending_isr
    hw = min([state.log_end, *(state.fetched[f] for f in waited_for)])

    def isr(followers: Any) -> tuple[int, ...]:
        return tuple(members[n] for n in numbered(followers))

    return (
        (isr(state.controller.isr), state.controller.version),
        (isr(state.leader.isr), state.leader.version),
        None if state.pending_version is None else (isr(state.pending_isr), state.pending_version),
        (state.log_end, fetched, hw),
    )


def asked_one_at_a_time(before: State, action: str, _: tuple[Any, ...]) -> bool:
    """The published module lets a leader ask again while it waits; a broker has one request in flight."""
    return not action.startswith("leader_requests") or before.pending_version is None


def of_one_epoch(state: State) -> Any:
    """Before the leader has learned that it leads, the partition is as at the beginning."""
    first, *followers = sorted(state.log, key=str)
    begun = state.known[first].epoch > 0
    isr = numbered(state.known[first].isr - {first})
    request, heard = state.request[first], state.heard[first]
    return (
        (numbered(state.now.isr - {first}), max(state.version - 1, 0)),
        (isr, max(state.seen[first] - 1, 0)),
        None if request is None else (numbered(request.isr - {first}), request.base - 1),
        (
            len(state.log[first]) if begun else 0,
            tuple(0 if heard[f] is None else heard[f].offset for f in followers),
            state.hw[first],
        ),
    )


def first_leads_and_drops_one(_: State, action: str, arguments: tuple[Any, ...]) -> bool:
    """Replicas are interchangeable, so one leads; and the published module asks to drop one follower at a time."""
    if action == "begin":
        return str(arguments[0]) == "r0"
    else:
        return action != "ask_drop" or arguments[1] == arguments[2]


def one_epoch(replicas: int, records: int, changes: int, **more: bool) -> Projected:
    """So many changes of the ISR, and for each as many fences and requests as it may take."""
    bounds = {"replicas": replicas, "max_records": records, "max_version": changes + 1, "max_epoch": 1}
    budgets = {"fences": changes, "shrinks": changes + 1, "bump_on_shrink": False}
    return projected(Kraft27, {**NO_STOPS, **bounds, **budgets, **more}, of_one_epoch, first_leads_and_drops_one)


@cache
def by_request(replicas: int, records: int, changes: int) -> Projected:
    bounds = {"replicas": replicas, "max_offset": records, "max_version": changes}
    return projected(AsyncIsr, bounds, of_async_isr, asked_one_at_a_time)


SLOW = [pytest.param(*sizes, marks=pytest.mark.slow) for sizes in ((2, 3, 4), (3, 1, 2))]


@pytest.mark.parametrize(("replicas", "records", "changes"), [(2, 2, 2), *SLOW])
def test_at_one_epoch_it_is_async_isr(replicas: int, records: int, changes: int) -> None:
    ours, published = one_epoch(replicas, records, changes), by_request(replicas, records, changes)
    assert len(ours.states) >= 54
    assert ours.states == published.states
    assert ours.steps == published.steps


@pytest.mark.parametrize("guard", ["maximal", "hw_on_learn", "hw_checked"])
def test_without_a_guard_it_is_another_model(guard: str) -> None:
    ours, published = one_epoch(2, 2, 2, **{guard: False}), by_request(2, 2, 2)
    assert ours.states - published.states


def test_since_kip_841_a_leader_may_take_a_request_back() -> None:
    """INELIGIBLE_REPLICA: the states are the same, and the only new steps are those that forget a request.

    The published leader has no high watermark of its own: it is what it may be. So is ours with `hw_eager`.
    """
    ours, published = one_epoch(2, 2, 2, kip_841=True, hw_eager=True), by_request(2, 2, 2)
    assert ours.states == published.states
    assert published.steps < ours.steps
    for (record, known, asked, logs), after in ours.steps - published.steps:
        assert asked is not None
        assert (*after[:3], after[3][:2]) == (record, known, None, logs[:2])  # the high watermark may move by it


# An ISR that changes in one step: KIP-320. Epochs are counted from 1 here, and from 0 in the published module.


class AtomicIsr(Kraft27):
    """A leader changes the ISR on record and its own at once, as by a conditional write; its removals begin no epoch.

    The published leader drops only who does not keep up with it, and looks at logs where a broker waits for a fetch.
    """

    @action
    def leader_adds(self, leader: Replica, follower: Replica) -> None:
        """A follower that has caught up enters the ISR, at a fetch: Kraft may go by what it heard of it before."""
        require(self.rules(leader) and follower not in self.now.isr and self.is_live(follower))
        require(self.is_served(follower, leader) and not self.diverges(follower, leader))
        require(self.may_be_added(leader, follower))
        self.change_isr(leader, self.now.isr | {follower})

    @action
    def leader_drops(self, leader: Replica, follower: Replica) -> None:
        """A follower leaves the ISR that is in another epoch or behind."""
        require(self.rules(leader) and follower in self.now.isr and follower != leader)
        require(not (self.known[follower].epoch == self.now.epoch and self.log[follower] == self.log[leader]))
        self.change_isr(leader, self.now.isr - {follower})

    def change_isr(self, leader: Replica, isr: frozenset[Replica]) -> None:
        """Request, grant and answer in one step."""
        self.record(self.now._replace(isr=isr))
        self.seen[leader] = self.version
        self.known[leader] = self.now
        self.move_high_watermark(leader)
        self.forget_images()


def of_kip_320(state: State) -> Any:
    leader = state.quorum_leader
    rules = leader is not None and state.leader[leader] == leader and state.leader_epoch[leader] == state.quorum_epoch
    replicas = sorted(state.log, key=str)
    return (
        (state.next_leader_epoch, str(leader), numbered(state.quorum_isr), rules),
        tuple(tuple(record.epoch + 1 for record in state.log[r]) for r in replicas),
        tuple(state.hw[r] for r in replicas),
    )


def of_atomic_isr(state: State) -> Any:
    leader, epoch = state.now.leader, state.now.epoch
    rules = leader is not None and state.known[leader].leader == leader and state.known[leader].epoch == epoch
    replicas = sorted(state.log, key=str)
    return (
        (epoch, str(leader), numbered(state.now.isr), rules),
        tuple(tuple(state.log[r]) for r in replicas),
        tuple(state.hw[r] for r in replicas),
    )


def kip_320_steps(before: State, action: str, arguments: tuple[Any, ...]) -> bool:
    """The published controller ends a leadership in one epoch and begins the next in another; KRaft uses one epoch."""
    leader = before.quorum_leader
    alone = before.quorum_isr == {leader}
    return action != "controller_shrinks_isr" or (leader is not None and (arguments[0] != leader or alone))


def atomic_isr_steps(before: State, action: str, arguments: tuple[Any, ...]) -> bool:
    """The same of a fenced leader; no requests; and a fetch that brings no record tells the follower nothing."""
    if action == "fence":
        alone: bool = before.now.isr == {before.now.leader}
        return arguments[0] != before.now.leader or alone
    elif action == "fetch":
        return len(before.log[arguments[0]]) < len(before.log[arguments[1]])
    else:
        return not action.startswith("ask")


def atomic_isr(replicas: int, records: int, epochs: int, changes: int) -> Projected:
    bounds = {"replicas": replicas, "max_records": records, "max_epoch": epochs, "max_version": epochs + changes}
    budgets = {"fences": epochs, "elections": epochs, "shrinks": 0, "kip_841": True}
    return projected(AtomicIsr, {**NO_STOPS, **bounds, **budgets}, of_atomic_isr, atomic_isr_steps)


def kip_320(replicas: int, records: int, epochs: int) -> Projected:
    bounds = {"replicas": replicas, "log_size": records, "max_records": records * epochs}
    bounds |= {"max_leader_epoch": epochs - 1}
    return projected(Kip320, {**bounds, "isr_may_empty": False}, of_kip_320, kip_320_steps)


def without_hw(state: Any) -> Any:
    record, logs, _ = state
    return record, logs


def greatest_hw(states: frozenset[Any]) -> set[Any]:
    """The states of which there is none that differs by greater high watermarks only."""
    alike: dict[Any, set[tuple[int, ...]]] = {}
    for state in states:
        alike.setdefault(without_hw(state), set()).add(state[-1])
    return {
        (*rest, hw)
        for rest, every in alike.items()
        for hw in every
        if not any(hw != other and all(map(le, hw, other)) for other in every)
    }


LARGER = [pytest.param(*sizes, marks=pytest.mark.slow) for sizes in ((2, 2, 2), (2, 1, 3))]


@pytest.mark.parametrize(("replicas", "records", "epochs"), [(2, 1, 2), *LARGER])
def test_with_an_isr_that_changes_at_once_it_is_kip_320(replicas: int, records: int, epochs: int) -> None:
    """The published leader moves its high watermark as late as it likes, a broker whenever it hears of a fetch.

    So ours are the published states with high watermarks that are not late: among them all that have the greatest.
    What the published module does besides is to admit a follower by a high watermark that is late.
    """
    ours, published = atomic_isr(replicas, records, epochs, changes=3), kip_320(replicas, records, epochs)
    assert len(ours.states) >= 83
    assert ours.states < published.states
    assert greatest_hw(ours.states) == greatest_hw(published.states)
    mine, theirs = (
        {(without_hw(a), without_hw(b)) for a, b in graph.steps if without_hw(a) != without_hw(b)}
        for graph in (ours, published)
    )
    assert mine <= theirs
    for ((epoch, leader, isr, rules), logs), after in theirs - mine:
        assert (rules, isr) == (True, (int(leader[1:]),))
        assert after == ((epoch, leader, tuple(range(replicas)), True), logs)
