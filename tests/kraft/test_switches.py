"""What is switched off costs nothing, and what cannot happen in this model does not."""

import pytest
from tools.reports.tables import Row, rows

from isrcheck import check, invariant
from isrcheck.commands.options import parse_constants
from isrcheck.engines.contract import Options
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.passes.choices import Ground, actors_of
from isrmodel.kraft import Kraft
from isrmodel.kraft.releases import Kraft27, Kraft41, Kraft43
from isrmodel.vocabulary import Replica
from isrtoys.processes import Forks

SWITCHED = {
    "late_fetches": ("late",),
    "late_answers": ("answers",),
    "late_waits": ("waiting",),
    "disks": ("unreported", "replaced_so_far"),
    "epoch_cache": ("starts", "on_disk", "torn"),
    "swaps": ("swapped_so_far",),
    "controller_failures": ("taken_over_so_far", "unheard"),
    "hw_waits": ("waits",),
    "answers_earlier": ("waits_since",),
    "clears_pending": ("unanswered", "unsent"),
}


def bits(**constants: int) -> dict[str, int]:
    """Of each variable."""
    found: dict[str, int] = {}
    for scalar in lower(bind(read_model(Kraft), constants)).scalars:
        name = scalar.name.partition("[")[0]
        found[name] = found.get(name, 0) + scalar.bits
    return found


@pytest.mark.slow
@pytest.mark.parametrize("switch", SWITCHED)
def test_what_is_off_has_no_bits(switch: str) -> None:
    off, on = (
        bits(**{switch: number if switch in ("disks", "swaps", "controller_failures") else number == 1})
        for number in (0, 1)
    )
    for variable in SWITCHED[switch]:
        assert off.get(variable, 0) == 0
        assert on[variable] > 0


class WithoutDuplicates(Kraft27):
    """KAFKA-12751 needs a request in time for what is on record already."""

    @invariant
    def asks_for_a_change(self) -> bool:
        """What a leader waits for differs from what it knows, and from what is on record while it is in time."""
        return all(self.is_a_change(r) for r in Replica)

    def is_a_change(self, leader: Replica) -> bool:
        """Whether a leader waits for nothing, or for another ISR than it knows and than is on record in time."""
        request = self.request_pending(leader)
        return request is None or (
            request.isr != self.known[leader].isr and (request.base < self.version or request.isr != self.now.isr)
        )


@pytest.mark.slow
@pytest.mark.parametrize("late_answers", [False, True])
def test_nobody_asks_for_what_is_on_record(late_answers: bool) -> None:
    """S13: a leader asks for its ISR with a change, learning more settles it, and the partition epoch is compared."""
    constants = {
        "min_isr": 1,
        "fences": 1,
        "shrinks": 1,
        "elections": 1,
        "kills": 1,
        "max_version": 12,
        "max_epoch": 8,
        "max_session": 1,
        "clears_pending": late_answers,
    }
    outcome = check(WithoutDuplicates, properties=["asks_for_a_change"], constants=constants, symmetry=True)
    assert outcome.searched is not None
    (asked,) = outcome.properties
    assert (outcome.searched.pruned, asked.verdict.value) == (0, "holds")


SWITCHES = rows("kraft-switches.csv")
ADDS_STEPS = {  # no decision of Kafka's: what is asked for with it is asked of all other properties as well
    "bump_on_shrink": "one more leader epoch, for which followers stop fetching: it costs time, which is not modelled",
    "epoch_cache": "what a crash may leave of a leader-epoch cache: properties of the caches apply only with it",
    "old_checkpoint": "a leader computes its high watermark as it learns that it leads: no verdict was seen to change",
    "registers_early": "two steps, a fencing and a registration, in one: stories are shorter, and no more is lost",
    "rolling": "which stops by plan are searched: only those while all others are in sync",
    "spare_last": "what the published modules leave out of their search",
    "tail": "what else a loss of power may leave: more losses of the same kind",
}


OF_REASSIGNMENT = {
    "all_who_stay",
    "kafka_19975",
    "bump_on_removal",
    "heard_in_epoch",
    "removed_leave",
    "replaces",
}  # test_reassignment.py


def verdict(row: Row, value: str) -> tuple[str, int | None]:
    """What becomes of the row's property, and in how many steps."""
    words = f"{row['constants']} {row['switch']}={value}"
    outcome = check(
        Kraft,
        properties=[row["property"]],
        options=Options(symmetry=True),
        constants=dict(parse_constants(tuple(words.split()))),
    )
    assert outcome.searched is not None
    assert outcome.searched.pruned == 0 or value == row["violated_with"]
    (found,) = outcome.properties
    return found.verdict.value, found.trace.length - 1 if found.trace else None


@pytest.mark.slow
@pytest.mark.parametrize("row", SWITCHES, ids=lambda row: f"{row['switch']}-{row['violated_with']}")
def test_every_decision_is_what_a_property_rests_on(row: Row) -> None:
    assert verdict(row, row["holds_with"]) == ("holds", None)
    assert verdict(row, row["violated_with"]) == ("violated", int(row["steps"]))


def test_every_decision_is_asked() -> None:
    """Whatever is true or false of the model is in the table, or listed with what it is instead."""
    declared = {each.name for each in read_model(Kraft).constants if isinstance(each.default, bool)}
    asked = {row["switch"] for row in SWITCHES} - {"acks"}
    assert declared == asked | set(ADDS_STEPS) | OF_REASSIGNMENT


def test_without_disks_and_reassignments_4_3_has_the_graph_of_4_1() -> None:
    """So the tables of docs/risk.md up to 4.1 are those of 4.4."""
    constants = {"fences": 1, "kills": 1, "max_version": 8, "max_epoch": 6, "max_session": 1}
    searched = [
        check(model, options=Options(symmetry=True), constants=constants).searched for model in (Kraft41, Kraft43)
    ]
    assert searched[0] is not None
    assert searched[1] is not None
    assert (searched[0].distinct, searched[0].digest) == (searched[1].distinct, searched[1].digest)
    assert searched[0].distinct > 5000


def test_faults_are_what_a_question_may_bound() -> None:
    """A story has as few of them as it can: those that count for `limit_faults`, and a response that is lost."""
    actions = read_model(Kraft).actions
    assert {m.name for m in actions if m.fault} == {m.name for m in actions if "limit_faults" in m.calls} | {
        "lose_response"
    }


def test_the_actor_of_a_step_begins_its_sentence() -> None:
    bound = bind(read_model(Kraft), {})
    every, actors, told = Ground(bound), actors_of(bound), dict[str, list[tuple[str, int]]]()
    for position in range(len(every)):
        told.setdefault(bound.ir.actions[every[position][0]].name, []).append(actors.of(position))
    assert told["lose_rack"] == [("Replica", 0)] * 2 + [("Replica", 1)] * 2
    assert {name: set(told[name]) for name in ("fence", "grant", "begin", "reassign", "elect")} == {
        "fence": {("controller", 0)},
        "grant": {("controller", 0)},
        "begin": {("partition", 0)},
        "reassign": {("operator", 0)},
        "elect": {("leadership", 0)},
    }
    toy = bind(read_model(Forks), {})  # without sentences
    assert [actors_of(toy).of(position) for position in range(len(Ground(toy)))] == [
        *[("Philosopher", number) for number in (0, 0, 1, 1)],
        ("Philosopher", 0),
        ("Philosopher", 1),
    ]
