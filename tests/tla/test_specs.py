"""The models as TLA+: one family's text is kept in specs/tla, and all of it reads as TLA+ people write."""

from functools import cache
from pathlib import Path

import pytest
from tools.reports import tla

from isrcheck.tla.layout import WIDTH

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
