"""TLC generates more where an action is true in several ways; the examples count the same, or differ as they say."""

import shutil
from pathlib import Path

import pytest

from isrcheck import Verdict, check

VOTING = [
    ("vote: Vote) -> None:", "vote: Vote, q: frozenset[Acceptor], last: Ballot | None, who: Acceptor | None) -> None:"),
    (
        "any(self.shows_safe(quorum, vote) for quorum in subsets(Acceptor) if self.is_quorum(quorum))",
        "len(q) == 2 and all(not self.is_below(b, vote.ballot) for b in q) and self.is_shown(vote, q, last, who)",
    ),
    (
        "    def shows_safe(",
        """    def is_shown(self, vote: Vote, q: frozenset[Acceptor], last: Ballot | None, a: Acceptor | None) -> bool:
        if last is None:
            return a is None and all(self.silent(q, ballot) for ballot in range(vote.ballot))
        return (
            a is not None and a in q and last < vote.ballot and Vote(last, vote.value) in self.votes[a]
            and all(self.silent(q, ballot) for ballot in range(last + 1, vote.ballot))
        )

    def shows_safe(""",
    ),
]

PAXOS = [
    ("proposal: Proposal) -> None:", "proposal: Proposal, q: frozenset[Acceptor], shown: Promise | None) -> None:"),
    (
        "any(self.allows(quorum, proposal) for quorum in subsets(Acceptor) if self.is_quorum(quorum))",
        "len(q) == 2 and all(self.has_promised(a, proposal.ballot) for a in q) and self.is_shown(proposal, q, shown)",
    ),
    (
        "    def allows(",
        """    def is_shown(self, proposal: Proposal, q: frozenset[Acceptor], shown: Promise | None) -> bool:
        ballot = proposal.ballot
        if shown is None:
            return all(Promise(a, ballot, None) in self.sent for a in q)
        return (
            shown in self.sent and shown.acceptor in q and shown.ballot == ballot
            and shown.vote is not None and shown.vote.value == proposal.value
            and not any(self.reports_later(a, ballot, shown.vote.ballot) for a in q)
        )

    def allows(""",
    ),
]

TERMINATION = [
    ("def ask_again(self)", "def ask_again(self, reason: Reason)"),
    (
        "self.colour[0] == Colour.BLACK or self.token.colour == Colour.BLACK or not self.is_even()",
        "self.is_true(reason)",
    ),
    (
        "    def is_even(",
        """    def is_true(self, reason: Reason) -> bool:
        match reason:
            case Reason.COLOUR:
                return self.colour[0] == Colour.BLACK
            case Reason.TOKEN:
                return self.token.colour == Colour.BLACK
            case Reason.DIFFERENCE:
                return not self.is_even()

    def is_even(""",
    ),
    ("class Token(", 'class Reason(Enum):\n    COLOUR = "a"\n    TOKEN = "b"\n    DIFFERENCE = "c"\n\n\nclass Token('),
]

PAXOS_COMMIT = [
    ("def decide_to_commit(self)", "def decide_to_commit(self, rm: RM, ballot: Ballot, q: frozenset[Acceptor])"),
    ("all(self.is_chosen(rm, Value.PREPARED) for rm in RM)", "self.is_chosen_by(rm, Vote(ballot, Value.PREPARED), q)"),
    ("def decide_to_abort(self)", "def decide_to_abort(self, rm: RM, ballot: Ballot, q: frozenset[Acceptor])"),
    ("any(self.is_chosen(rm, Value.ABORTED) for rm in RM)", "self.is_chosen_by(rm, Vote(ballot, Value.ABORTED), q)"),
    (
        "    def is_quorum(",
        """    def is_chosen_by(self, rm: RM, vote: Vote, q: frozenset[Acceptor]) -> bool:
        return self.is_quorum(q) and all(Accept(rm, vote, a) in self.sent for a in q)

    def is_quorum(""",
    ),
    ("rms: int = constant(2", "rms: int = constant(1"),  # of two, TLC takes every pair of their ballots and quorums
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "name", "edits", "counts"),
    [
        ("voting.py", "Voting", VOTING, (6_752, 41_017, 16)),
        ("paxos.py", "Paxos", PAXOS, (3_921, 23_563, 17)),
        ("termination.py", "Termination", TERMINATION, (321_370, 2_808_396, 47)),
        ("paxos_commit.py", "PaxosCommit", PAXOS_COMMIT, (1_461, 9_936, 15)),
    ],
    ids=["voting", "paxos", "termination", "paxos commit"],
)
def test_witnesses_are_the_difference(
    tmp_path: Path, file: str, name: str, edits: list[tuple[str, str]], counts: tuple[int, int, int]
) -> None:
    shutil.copytree(EXAMPLES, tmp_path, dirs_exist_ok=True)
    text = (EXAMPLES / file).read_text(encoding="utf-8")
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    (tmp_path / file).write_text(text, encoding="utf-8")
    found = check(f"{tmp_path / file}:{name}", properties=[])
    assert (found.distinct, found.generated, found.depth) == counts


EXAMPLES = Path(__file__).parents[2] / "examples"
README = (EXAMPLES / "README.md").read_text(encoding="utf-8")

COUNTS = [
    ("die_hard.py", 14, 73, 7),
    ("two_phase.py:TwoPhase", 288, 1_146, 11),
    ("voting.py:Voting", 6_752, 26_905, 16),
    ("paxos.py", 3_921, 22_995, 17),
    ("readers_writers.py", 21_527, 59_674, 13),
    ("alternating_bit.py:AlternatingBit", 240, 1_392, 10),
    ("chang_roberts.py", 137, 227, 10),
    ("termination.py", 321_370, 2_609_134, 47),
    ("lamport_mutex.py", 724_274, 2_729_079, 61),
    ("paxos_commit.py", 1_321_761, 15_242_979, 28),
    ("producer_id.py", 9_098, 24_169, 22),
]


@pytest.mark.parametrize(("model", "distinct", "generated", "depth"), COUNTS)
def test_counts(model: str, distinct: int, generated: int, depth: int) -> None:
    found = check(str(EXAMPLES / model))
    assert (found.distinct, found.generated, found.depth, found.pruned) == (distinct, generated, depth, 0)
    file = model.partition(":")[0]
    (row,) = [line for line in README.splitlines() if line.startswith(f"| [{file}]")]
    assert f"| {distinct:,} / {generated:,} / {depth} " in row
    if file != "die_hard.py":
        assert all(p.verdict is Verdict.HOLDS for p in found.properties)


def test_the_puzzle_is_solved_in_six_steps() -> None:
    (solved,) = check(str(EXAMPLES / "die_hard.py")).properties
    assert solved.verdict is Verdict.VIOLATED
    assert solved.trace is not None
    assert solved.trace.length - 1 == 6


def test_every_example_is_counted() -> None:
    rows = {line.partition("[")[2].partition("]")[0] for line in README.splitlines() if line.startswith("| [")}
    assert {file.name for file in EXAMPLES.glob("*.py")} == rows == {model.partition(":")[0] for model, *_ in COUNTS}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "constants", "distinct", "generated", "depth"),
    [("producer_id.py", {"clients": 1}, 14, 15, 8), ("producer_id.py", {"clients": 2}, 316, 581, 15)],
)
def test_fewer_clients(model: str, constants: dict[str, int], distinct: int, generated: int, depth: int) -> None:
    """As TLC counts them."""
    found = check(str(EXAMPLES / model), constants=constants)
    assert (found.distinct, found.generated, found.depth, found.pruned) == (distinct, generated, depth, 0)
