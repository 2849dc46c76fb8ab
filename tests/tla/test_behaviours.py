"""Golden texts: temporal formulas, and fairness of each choice, of any, and of an environment."""

from functools import cache
from pathlib import Path

import pytest
from tools.reports import tla

from isrcheck import (
    Model,
    Sort,
    Taken,
    Temporal,
    action,
    always_eventually,
    constant,
    each,
    eventually,
    eventually_always,
    fairness,
    leads_to,
    require,
    temporal,
)
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.tla.export import Exported, to_tla
from isrcheck.tla.layout import WIDTH


class Node(Sort, size="nodes"):
    """Somebody."""


class Lamps(Model):
    """A lamp for each node."""

    nodes: int = constant(2, "nodes")
    careful: bool = constant(True, "whether somebody looks after the lamps")

    on: dict[Node, bool] = each(Node, False)

    @action(fair="weak")
    def light(self, node: Node) -> None:
        require(not self.on[node])
        self.on[node] = True

    @action(fair="strong-any")
    def swap(self, node: Node, other: Node) -> None:
        require(self.on[node] and not self.on[other])
        self.on[node] = False
        self.on[other] = True

    @action
    def darken(self, node: Node) -> None:
        self.on[node] = False

    @fairness(fair="strong")
    def thrifty(self, taken: Taken) -> bool:
        """Lamps are not left on."""
        return taken.action == "darken" or (self.careful and taken.action == "swap" and taken.node != taken.other)

    @fairness(fair="weak-any")
    def busy(self, taken: Taken) -> bool:
        """Something goes on."""
        return taken.action != "swap"

    @temporal
    def some_light(self) -> Temporal:
        return eventually(any(self.on[n] for n in Node))

    @temporal
    def each_again(self) -> Temporal:
        return all(always_eventually(self.on[n]) for n in Node)

    @temporal
    def dark_in_the_end(self) -> Temporal:
        return eventually_always(all(not self.on[n] for n in Node))

    @temporal
    def light_wanders(self) -> Temporal:
        return all(
            leads_to(self.on[n] and k > 0, self.on[m] or not self.on[n])
            for n in Node
            for m in Node
            if m != n
            for k in range(2)
        )


def exported(*environments: str) -> Exported:
    return to_tla(bind(read_model(Lamps), {}), environments)


@pytest.mark.parametrize(
    "text",
    [
        "Fairness ==\n    /\\ \\A node \\in Node : WF_vars(Light(node))\n"
        "    /\\ SF_vars(\\E node, other \\in Node : Swap(node, other))\n\nFairSpec == Spec /\\ Fairness\n",
        "SomeLight == <>(\\E n \\in Node : on[n])\n",
        "EachAgain == \\A n \\in Node : []<>on[n]\n",
        "DarkInTheEnd == <>[](\\A n \\in Node : ~on[n])\n",
        "LightWanders == \\A n, m \\in Node : m # n => \\A k \\in 0..1 : on[n] /\\ k > 0 ~> on[m] \\/ ~on[n]\n",
        "(* Lamps are not left on. *)\nThrifty ==\n"
        "    /\\ \\A node, other \\in Node : SF_vars(Careful /\\ node # other /\\ Swap(node, other))\n"
        "    /\\ \\A node \\in Node : SF_vars(Darken(node))\n",
        "Busy == WF_vars((\\E node \\in Node : Light(node)) \\/ \\E node \\in Node : Darken(node))\n",
    ],
)
def test_formulas_and_fairness(text: str) -> None:
    assert text in exported().files["Lamps.tla"]


def test_a_run_assumes_fairness_and_the_environment_chosen() -> None:
    assert "MCSpec == Init /\\ [][MCNext]_vars /\\ Fairness\n" in exported().files["MCLamps.tla"]
    assert "MCSpec == Init /\\ [][MCNext]_vars /\\ Fairness /\\ Busy\n" in exported("busy").files["MCLamps.tla"]
    assert "/\\ Fairness /\\ Busy /\\ Thrifty\n" in exported("busy", "thrifty").files["MCLamps.tla"]


def test_temporal_properties_are_asked() -> None:
    asked = exported().configuration.partition("PROPERTIES")[2].split()[:4]
    assert asked == ["SomeLight", "EachAgain", "DarkInTheEnd", "LightWanders"]


FOLDER = tla.FOLDER
KEPT = "async_isr"


texts = cache(tla.texts)


def test_the_kept_text_is_that_of_the_models() -> None:
    kept = {f.relative_to(FOLDER).as_posix(): f for f in (FOLDER / KEPT).iterdir()}
    assert kept.keys() == texts(KEPT).keys(), "run ./dev tla"
    stale = [path for path, file in kept.items() if file.read_text(encoding="utf-8") != texts(KEPT)[path]]
    assert stale == [], "run ./dev tla"


@pytest.mark.heavy(reason="every model of a family is exported, of which forever has most")
@pytest.mark.parametrize(
    "family", [pytest.param(f, marks=pytest.mark.slow) if f == "kraft" else f for f in tla.families()]
)
def test_no_line_is_too_long(family: str) -> None:
    long = {
        path
        for path, text in texts(family).items()
        if path.endswith(".tla") and max(map(len, text.split("\n"))) > WIDTH
    }
    assert long == set()


def test_the_designs_stand_beside_what_they_share() -> None:
    published = {Path(p).stem for p in texts("published") if p.endswith(".tla")}
    assert {"Replication", "TruncateToHighWatermark", "Kip101", "Kip279", "Kip320FirstTry", "Kip320"} <= published
    extending = [p for p in published if p.startswith(("Kip", "Trunc"))]
    assert all("EXTENDS Replication\n" in texts("published")[f"published/{name}.tla"] for name in extending)


RULES = """
(* The follower reaches the high watermark, and that has reached the leader's own epoch
   (KAFKA-7128). *)
MayJoinIsr(follower, theLeader) ==
    /\\ SharesEpoch(follower, theLeader)
    /\\ hw[theLeader] <= Len(log[follower])
    /\\ HighWatermarkReachedEpoch(theLeader)
"""

COMMIT = """
(* The high watermark passes a record once every member of the leader's own ISR is seen to hold
   it. *)
LeaderAdvancesHighWatermark(theLeader) ==
    /\\ PresumesLeadership(theLeader)
    /\\ \\A r \\in isr[theLeader] : Follows(r, theLeader) /\\ Acknowledges(r, theLeader)
    /\\ hw' = [hw EXCEPT ![theLeader] = @ + 1]
    /\\ UNCHANGED <<log, leaderEpoch, leader, isr, quorumEpoch, quorumLeader, quorumIsr, requests,
                   nextLeaderEpoch, nextRecordId>>
"""


def test_kip_320_reads_as_its_author_would_write_it() -> None:
    text = texts("published")["published/Kip320.tla"]
    assert RULES in text
    assert COMMIT in text
    for rule in (
        "MayFetch(follower, theLeader) == SharesEpoch(follower, theLeader)\n",
        "    PresumesLeadership(theLeader) /\\ leaderEpoch[theLeader] = epoch\n",
        "    SharesEpoch(follower, theLeader) /\\ hw[theLeader] < Len(log[follower])\n",
    ):
        assert rule in text


def test_a_step_property_asks_of_the_action_taken() -> None:
    text = texts("toys")["toys/Cashier.tla"]
    assert (
        "NobodyGoesBroke ==\n"
        "    [][\\A who \\in Customer, amount \\in 0..Purse : Withdraw(who, amount) => balance'[who] # 0]_vars\n"
    ) in text
