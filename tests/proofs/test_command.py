"""`isrcheck prove` as a person types it, and of toys of which every answer is known by hand."""

import json
from pathlib import Path

import pytest
from tests.fixtures.command_line import as_process as in_process

from isrcheck import prove
from isrcheck.errors import UsageError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrtoys import KNOWN, TOYS

TWINS = f"{Path(__file__).parent / 'small.py'}:Twins"


def test_what_was_proved_is_said_and_written(tmp_path: Path) -> None:
    file = tmp_path / "outcome.json"
    done = in_process("prove", TWINS, "--json", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    assert "copy_is_behind  holds, proved" in done.stdout
    assert "Proved for any number of steps, any limit >= 0." in done.stdout
    assert "By induction with the lemmas:\n  twins_are_equal  [" in done.stdout
    outcome = json.loads(file.read_text(encoding="utf-8"))
    assert (outcome["schema"], outcome["verdict"], outcome["exit"]) == ("isrcheck.outcome/2", "holds", 0)
    proved = {"copy_is_behind": "proved", "left_never_falls": "proved"}
    assert {p["name"]: p["assurance"] for p in outcome["properties"]} == proved
    assert (outcome["constants"], outcome["states"]["distinct"]) == ({"limit": "0.."}, None)
    assert outcome["proofs"][0]["lemmas"][0]["name"] == "twins_are_equal"


def test_constants_that_are_given_are_said() -> None:
    done = in_process("prove", "isr-kafka-4485-v2", "--property", "hw_never_decreases", "-c", "replicas=3")
    assert done.returncode == 0
    words = " ".join(done.stdout.split())
    assert "any max_records >= 0, any lag_time_max >= 0, any expiration_period >= 1" in words
    assert "replicas = 3." in words
    assert "The constants are as these assumptions ask: time_can_pass, period_within_lag_time" in words


def test_induction_that_fails_shows_where() -> None:
    done = in_process("prove", TWINS, "--property", "copy_is_behind", "--no-lemmas")
    assert done.returncode == 20
    assert "Not proved: the obligation 'copy_is_behind by copy' is not refuted" in " ".join(done.stdout.split())
    assert "copy_is_behind is not kept after 1 step" in done.stdout
    assert "0  a state not known to be reachable" in done.stdout
    assert "holds" not in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("--lemma", "twins_are_equal", "--no-lemmas"),
            "--lemma names a lemma to use and --no-lemmas refuses all: give one of the two.",
        ),
        (("--cti", "a.gif"), "--cti a.gif has no form: end the name with one of .svg, .txt, .html, .md."),
        (("-c", "limit=many"), "the constant limit is a whole number, not 'many'."),
        (("--lemma", "twin"), "Twins has no lemma or invariant twin. Known: copy_is_behind, twins_are_equal."),
    ],
)
def test_refusals(words: tuple[str, ...], sentence: str) -> None:
    done = in_process("prove", TWINS, *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"isrcheck: {sentence}\n")


def test_lemmas_are_listed() -> None:
    done = in_process("list", "isr-kafka-7152")
    assert "lemmas, for proofs" in done.stdout
    assert "known_is_not_ahead" in done.stdout


PROVED = {
    "toy-evens": {"even"},
    "toy-mutex": {"flags_are_true"},
    "toy-queue": {"never_too_long", "order_is_kept"},
    "toy-thermometer": {"within_what_was_seen", "not_unseen", "memory_grows"},
}
REFUSED = {"toy-clock", "toy-juggler", "toy-ledger", "toy-lottery", "toy-post"}  # sums, division, None among keys


@pytest.mark.parametrize("name", [name for name in TOYS if name not in REFUSED])
def test_no_toy_is_proved_to_hold_what_is_violated(name: str) -> None:
    cls, known = TOYS[name], KNOWN[name]
    violated = {n for n, (verdict, _) in known.properties.items() if verdict == "violated"}
    constants = bind(read_model(cls), known.constants).constants
    for given in ({}, constants):
        proved = {p.name for p in prove(cls, constants=given).outcome.properties if p.verdict.value == "holds"}
        assert not proved & violated
        assert proved >= PROVED.get(name, set())


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_toy_that_prove_cannot_read_is_refused_in_a_sentence(name: str) -> None:
    with pytest.raises(UsageError, match=r"(?s)prove cannot read .*isrcheck check") as refused:
        prove(TOYS[name])
    assert "Traceback" not in str(refused.value)


def test_a_reachability_property_is_refused() -> None:
    with pytest.raises(UsageError) as refused:
        prove(TOYS["toy-clock"], properties=["last_minute"])
    assert str(refused.value) == (
        "last_minute is a reachability property: prove is for invariants and step properties. Use isrcheck check."
    )
