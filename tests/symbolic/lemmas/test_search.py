"""`prove --unbounded --search-lemmas`: lemmas that are found, printed as a person writes them, and proved with."""

import json
from pathlib import Path

import pytest
from tests.lang.written import load_model
from tests.symbolic.unbounded.test_proofs import WRONG, isrcheck

from isrcheck import Limits, prove
from isrcheck.lang.read import read_model
from isrcheck.run.proving import ProofRun

SMALL = Path(__file__).with_name("small.py")
AUTHORS = {  # what the author of the ISR family wrote, word for word
    "return all(self.known[f] <= self.follower_end[f] for f in Follower)",
    "return all(self.follower_end[f] <= self.log_end for f in Follower)",
}
HEAD = {
    "isr-kafka-7152": "from isrmodel.isr.kafka_7152 import Kafka7152 as Base\nfrom isrmodel.vocabulary import Follower",
    "async-isr": "from isrmodel.async_isr import AsyncIsr as Base",
    f"{SMALL}:Tickets": "from tests.symbolic.lemmas.small import Process, Tickets as Base",
    f"{SMALL}:TwoPhase": "from tests.symbolic.lemmas.small import Manager, Outcome, Phase, TwoPhase as Base",
}


def searched(model: str, name: str) -> ProofRun:
    return prove(model, properties=[name], lemmas=(), search_lemmas=True, unbounded=True)


def found(run: ProofRun) -> dict[str, str]:
    return {lemma.name: lemma.text for lemma in run.outcome.proofs[0].lemmas}


@pytest.mark.parametrize(
    ("model", "name", "count"),
    [
        (f"{SMALL}:TwoPhase", "all_end_alike", 6),
        pytest.param(f"{SMALL}:Tickets", "one_at_a_time", 3, marks=pytest.mark.slow),
        pytest.param("isr-kafka-7152", "isr_at_least_hw", 2, marks=pytest.mark.slow),
        pytest.param("async-isr", "valid_high_watermark", 6, marks=pytest.mark.slow),
    ],
    ids=["TwoPhase", "Tickets", "isr-kafka-7152", "async-isr"],
)
def test_lemmas_are_found_and_may_be_written_into_the_model(
    model: str, name: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written below the class they are read, and carry the proof without a search."""
    run = searched(model, name)
    assert (run.outcome.exit, run.outcome.properties[0].assurance) == (0, "proved")
    lemmas = found(run)
    assert len(lemmas) == count
    if model == "isr-kafka-7152":
        assert {text.splitlines()[-1].strip() for text in lemmas.values()} == AUTHORS
    assert {lemma.place for lemma in run.outcome.proofs[0].lemmas} == {"found by search"}
    body = "\n\n".join(lemmas.values()).replace("\n", "\n    ")
    text = f"from isrcheck import lemma\n{HEAD[model]}\n\n\nclass Written(Base):\n    {body}\n"
    written = load_model(text, tmp_path, monkeypatch)
    assert {*lemmas} <= {lemma.name for lemma in read_model(written).lemmas}
    again = prove(written, properties=[name], lemmas=[*lemmas], unbounded=True).outcome
    assert (again.exit, again.properties[0].assurance) == (0, "proved")
    asked = {note.name for note in again.proofs[0].obligations}
    assert asked == {note.name for note in run.outcome.proofs[0].obligations}


def test_what_is_printed() -> None:
    done = isrcheck("prove", f"{WRONG}:Deposits", "--unbounded", "--search-lemmas", "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    outcome = json.loads(done.stdout)
    (note,) = outcome["proofs"]
    assert [lemma["text"].splitlines() for lemma in note["lemmas"]] == [
        [
            "@lemma",
            "def deposited_is_at_most_paid(self) -> bool:",
            '    """Found by search: true in every state that was searched, and kept by every step."""',
            "    return all(self.deposited[n] <= self.paid[n] for n in Node)",
        ]
    ]
    assert note["searched"] == {"instances": 3, "states": 1500, "dropped": 0}
    assert outcome["command"] == f"isrcheck prove {WRONG}:Deposits --unbounded --search-lemmas"


def test_a_property_that_is_violated_is_not_searched_for() -> None:
    run = searched("async-isr-proposed-only", "valid_high_watermark")
    assert run.outcome.exit == 12
    assert run.outcome.proofs[0].searched is None


def test_what_no_candidate_excludes_is_named_and_drawn() -> None:
    """That a sum is even is not among the candidates."""
    run = searched(f"{WRONG}:Pairs", "never_three")
    assert run.outcome.exit == 20
    obligation = "never_three by add_two"
    expected = f"the search for lemmas found none that refutes the obligation {obligation!r}"
    assert run.outcome.proofs[0].reason == expected
    before, after = (step.state["number"] for step in run.counterexamples["never_three"].steps)
    assert (before, after) == (1, 3)


def test_the_time_limit_is_kept() -> None:
    run = prove(
        "kip-320",
        properties=["strong_isr"],
        lemmas=(),
        search_lemmas=True,
        unbounded=True,
        limits=Limits(seconds=1.0),
    )
    assert run.outcome.exit == 20
    assert run.outcome.proofs[0].reason.startswith("after 1 second, while ")
    assert run.outcome.seconds < 3
