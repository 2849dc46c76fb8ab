"""What partial-order reduction is known to get wrong, each trap as a system of its own."""

import pytest
from tests.native.systems import Builder
from tests.reduction.full import differences, facts, reduced

from isrcheck.engines.contract import DEADLOCK
from isrcheck.ir.frozen import replace
from isrcheck.ir.scalar import ScalarSystem


def seen_by(system: ScalarSystem, *names: str) -> tuple[int, set[str]]:
    """The states and what was found of these properties, deadlocks left out."""
    assert differences(system, names) == []
    seen = reduced(system, names)
    assert seen is not None
    return seen.distinct, set(names) & set(seen.found)


def is_stuck(system: ScalarSystem) -> bool:
    assert differences(system, ()) == []
    seen = reduced(system, ())
    return seen is not None and DEADLOCK in seen.found


def flipping(b: Builder, scalar: int, action: int = 0) -> None:
    """Something that goes round for ever and matters to nothing."""
    b.step(action, b.k.true, {scalar: b.k.not_(b.vars[scalar])})


def test_an_action_is_not_ignored_for_ever() -> None:
    """Without a proviso the flipping alone is a graph of two states, in which the counter never counts."""
    b = Builder(2, 4)
    flipping(b, 0)
    b.step(1, b.k.lt(b.vars[1], b.k.const(3)), {1: b.k.add(b.vars[1], b.k.const(1))})
    b.claim("low", "invariant", b.k.lt(b.vars[1], b.k.const(3)))
    assert seen_by(b.system(), "low")[1] == {"low"}


def test_a_step_to_the_same_state_is_no_step_on() -> None:
    b = Builder(2, 2)
    b.step(0, b.k.true, {0: b.vars[0]})
    b.step(1, b.k.eq(b.vars[1], b.k.const(0)), {1: b.k.const(1)})
    b.claim("never", "invariant", b.k.eq(b.vars[1], b.k.const(0)))
    assert seen_by(b.system(), "never") == (2, {"never"})


def test_a_cycle_of_several_levels_is_left() -> None:
    """Three steps that go round; what leaves them is taken at the latest where they close."""
    b = Builder(3, 2)
    for place in range(3):
        b.step(0, b.k.eq(b.vars[0], b.k.const(place)), {0: b.k.const((place + 1) % 3)})
    b.step(1, b.k.eq(b.vars[1], b.k.const(0)), {1: b.k.const(1)})
    b.claim("out", "reachable", b.k.eq(b.vars[1], b.k.const(1)))
    distinct, found = seen_by(b.system(), "out")
    assert (distinct, found) == (6, {"out"})


def test_what_a_property_sees_is_not_put_off_in_the_wrong_order() -> None:
    """Each of two independent steps is seen: the state between them is reached in both orders."""
    b = Builder(2, 2)
    for p in range(2):
        b.step(p, b.k.eq(b.vars[p], b.k.const(0)), {p: b.k.const(1)})
    for p in range(2):
        only = b.k.and_(b.k.eq(b.vars[p], b.k.const(1)), b.k.eq(b.vars[1 - p], b.k.const(0)))
        b.claim(f"only{p}", "reachable", only)
    system = b.system()
    assert seen_by(system, "only0", "only1") == (4, {"only0", "only1"})
    assert seen_by(system)[0] == 3  # where nobody asks, one order is enough


def test_visible_steps_in_a_cycle() -> None:
    """A flag goes up and down for ever; another process needs three steps, which are seen only while it is up."""
    b = Builder(2, 4)
    flipping(b, 0)
    b.step(1, b.k.lt(b.vars[1], b.k.const(3)), {1: b.k.add(b.vars[1], b.k.const(1))})
    b.claim("both", "reachable", b.k.and_(b.k.eq(b.vars[0], b.k.const(1)), b.k.eq(b.vars[1], b.k.const(2))))
    assert seen_by(b.system(), "both")[1] == {"both"}


def test_a_deadlock_is_found_and_none_is_made() -> None:
    """Two members take two forks in opposite order; a third counts by itself."""
    b = Builder(3, 3, 3, 3, 4)
    k = b.k
    for m, (first, second) in enumerate(((2, 3), (3, 2))):
        b.step(
            0,
            k.and_(k.eq(b.vars[m], k.const(0)), k.eq(b.vars[first], k.const(0))),
            {m: k.const(1), first: k.const(m + 1)},
        )
        both = {m: k.const(2), second: k.const(m + 1)}
        b.step(1, k.and_(k.eq(b.vars[m], k.const(1)), k.eq(b.vars[second], k.const(0))), both)
        b.step(2, k.eq(b.vars[m], k.const(2)), {m: k.const(0), 2: k.const(0), 3: k.const(0)})
    b.step(3, k.lt(b.vars[4], k.const(3)), {4: k.add(b.vars[4], k.const(1))})
    assert is_stuck(b.system())


def test_a_pruned_step_keeps_its_state_from_being_a_deadlock() -> None:
    b = Builder(4, 2)
    n = b.vars[0]
    b.step(0, b.k.true, {0: b.k.add(n, b.k.const(1))}, pruned=b.k.le(b.k.const(3), n))
    b.step(1, b.k.eq(b.vars[1], b.k.const(0)), {1: b.k.const(1)})
    assert not is_stuck(b.system())


def test_whether_a_bound_bites_is_not_put_off() -> None:
    """A step may leave a bound only before another one: then that step is no reason to take the other one alone."""
    b = Builder(2, 2, 2)
    k = b.k
    b.step(0, k.eq(b.vars[0], k.const(1)), {1: k.const(1)}, pruned=k.eq(b.vars[2], k.const(0)))
    b.step(1, k.eq(b.vars[2], k.const(0)), {2: k.const(1)})
    b.step(2, k.eq(b.vars[0], k.const(0)), {0: k.const(1)})
    system = b.system()
    assert facts(system, ()).pruned
    assert differences(system, ()) == []


def test_a_guard_that_is_lost_where_a_bound_bites() -> None:
    """A step takes another one's guard away only where that one leaves its bound: the two are never taken together."""
    b = Builder(4, 2, 2)
    k, (number, flag, ready) = b.k, b.vars
    b.step(0, k.and_(k.eq(number, k.const(3)), k.eq(flag, k.const(0))), {1: k.const(1)})
    b.step(1, k.eq(ready, k.const(0)), {2: k.const(1)})
    may_count = k.or_(k.eq(flag, k.const(0)), k.lt(number, k.const(2)))
    more = {0: k.add(number, k.const(1))}
    b.step(2, k.and_(may_count, k.eq(ready, k.const(1))), more, pruned=k.le(k.const(3), number))
    system = b.system([3, 0, 0])
    assert facts(system, ()).pruned
    assert differences(system, ()) == []


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_error_that_a_later_step_would_hide_is_met(order: tuple[int, int]) -> None:
    """The model goes wrong while the flag is down, which another step puts up for good."""
    b = Builder(2, 2)
    k, (flag, ready) = b.k, b.vars
    wrong = k.and_(k.eq(ready, k.const(1)), k.eq(flag, k.const(0)))
    steps = [
        lambda: b.step(0, k.eq(flag, k.const(0)), {0: k.const(1)}),
        lambda: b.step(1, k.eq(ready, k.const(0)), {1: k.const(1)}),
    ]
    for each in order:
        steps[each]()
    b.step(2, k.eq(ready, k.const(1)), {}, fault=wrong)
    assert reduced(b.system(), ()) is None


def test_a_search_that_has_its_answers_may_end_before_an_error() -> None:
    """As docs/reduce.md says: what is reached is reached, and whether the model goes wrong is another question."""
    b = Builder(4, 3)
    k = b.k
    for p, most in enumerate((3, 2)):
        b.step(p, k.lt(b.vars[p], k.const(most)), {p: k.add(b.vars[p], k.const(1))})
    gone = k.eq(b.vars[1], k.const(2))
    b.step(2, gone, {}, fault=gone)
    b.claim("goal", "reachable", k.eq(b.vars[0], k.const(3)))
    seen = reduced(b.system(), ["goal"], deadlock=False)
    assert seen is not None
    assert (set(seen.found), seen.cut) == ({"goal"}, "when every property was decided")
    assert reduced(b.system(), [], deadlock=False) is None


def test_an_error_in_a_property_is_met() -> None:
    b = Builder(2, 2)
    for p in range(2):
        b.step(p, b.k.eq(b.vars[p], b.k.const(0)), {p: b.k.const(1)})
    wrong = b.k.and_(b.k.eq(b.vars[0], b.k.const(0)), b.k.eq(b.vars[1], b.k.const(1)))
    b.claim("fine", "invariant", b.k.true, fault=wrong)
    assert reduced(b.system(), ["fine"]) is None


def after(b: Builder, first: int, second: int) -> None:
    """A step property with the action as its parameter: the second only after the first."""
    conditions = [b.k.eq(b.before[0], b.k.const(1)) if i == second else b.k.true for i in range(len(b.instances))]
    b.claim("in_order", "step", *conditions)


def test_a_step_property_that_asks_which_action_it_was() -> None:
    """No state shows which of two steps came first."""
    b = Builder(2, 2)
    for p in range(2):
        b.step(p, b.k.eq(b.vars[p], b.k.const(0)), {p: b.k.const(1)})
    after(b, 0, 1)
    assert seen_by(b.system(), "in_order")[1] == {"in_order"}


@pytest.mark.parametrize("first", [0, 1])
def test_a_step_that_is_judged_writes_nothing_that_is_read(first: int) -> None:
    """It would be false only between the steps of two other processes."""
    b = Builder(2, 2, 2)
    for p in (first, 1 - first):
        b.step(p, b.k.eq(b.vars[p], b.k.const(0)), {p: b.k.const(1)})
    b.step(2, b.k.eq(b.vars[2], b.k.const(0)), {2: b.k.const(1)})
    fine = b.k.not_(b.k.and_(b.k.eq(b.before[0], b.k.const(1)), b.k.eq(b.before[1], b.k.const(0))))
    b.claim("judged", "step", b.k.true, b.k.true, fine)
    assert seen_by(b.system(), "judged")[1] == {"judged"}


def test_a_step_property_reads_what_it_compares_before_and_after() -> None:
    """The flag excuses that the number changes: it is read though it never changes in the step that is judged."""
    b = Builder(2, 2)
    k, (flag, number) = b.k, b.vars
    b.step(0, k.eq(flag, k.const(0)), {0: k.const(1)})
    b.step(1, k.eq(number, k.const(0)), {1: k.const(1)})
    b.step(2, k.eq(number, k.const(1)), {1: k.const(0)})
    excused = k.or_(k.eq(b.before[1], number), k.eq(flag, k.const(1)))
    b.claim("excused", "step", k.true, k.true, excused)
    assert seen_by(b.system(), "excused")[1] == {"excused"}


def test_what_is_written_twice_is_written_in_both_orders() -> None:
    b = Builder(3, 2, 2)
    for p in (1, 2):
        b.step(p, b.k.eq(b.vars[p], b.k.const(0)), {p: b.k.const(1), 0: b.k.const(p)})
    for last in (1, 2):
        b.claim(f"last{last}", "reachable", b.k.and_(b.k.eq(b.vars[0], b.k.const(last)), *(b.vars[p] for p in (1, 2))))
    assert seen_by(b.system(), "last1", "last2")[1] == {"last1", "last2"}


def test_what_is_enabled_by_another_step_is_not_overlooked() -> None:
    """One step takes another's chance away, which a third one gives: the third has to come first, too."""
    b = Builder(2, 2, 2)
    k = b.k
    b.step(0, k.eq(b.vars[0], k.const(0)), {0: k.const(1)})
    b.step(1, k.eq(b.vars[1], k.const(0)), {1: k.const(1)})
    b.step(2, k.and_(k.eq(b.vars[1], k.const(1)), k.eq(b.vars[0], k.const(0))), {2: k.const(1)})
    b.claim("had", "reachable", k.eq(b.vars[2], k.const(1)))
    assert seen_by(b.system(), "had")[1] == {"had"}


def test_a_choice_reads_what_it_chooses_by() -> None:
    """The new value is of a scalar or of another one; which, a third says."""
    b = Builder(2, 2, 2)
    k = b.k
    b.step(0, k.eq(b.vars[0], k.const(0)), {0: k.const(1)})
    b.step(1, k.true, {1: k.ite(k.eq(b.vars[0], k.const(1)), b.vars[2], k.const(1))})
    b.claim("chosen", "reachable", k.eq(b.vars[1], k.const(1)))
    assert seen_by(b.system(), "chosen")[1] == {"chosen"}


def test_several_initial_states() -> None:
    """What is new to one of them is where another one begins."""
    b = Builder(2, 3)
    flipping(b, 0)
    b.step(1, b.k.lt(b.vars[1], b.k.const(2)), {1: b.k.add(b.vars[1], b.k.const(1))})
    b.claim("low", "invariant", b.k.lt(b.vars[1], b.k.const(2)))
    system = replace(b.system(), others=((1, 0),), started=2)
    assert seen_by(system, "low")[1] == {"low"}


def test_bits_of_a_set_are_read_and_written_one_by_one() -> None:
    b = Builder(8)
    for p in range(3):
        b.step(p, b.k.not_(b.k.bit(b.vars[0], p)), {0: b.k.bit_or(b.vars[0], b.k.const(1 << p))})
    assert seen_by(b.system())[0] == 4
