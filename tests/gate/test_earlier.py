"""What a change expects otherwise than before it: a gate that is green because its spec was rewritten says so."""

import subprocess
from pathlib import Path

import pytest
from tests.gate.conftest import SPEC
from tests.gate.verdicts import answer_at_once, verdict_of

from isrcheck.commands.gate import gate
from isrcheck.gate.earlier import SAME, Earlier, earlier
from isrcheck.gate.judge import GateVerdict
from isrcheck.gate.summary import summary_markdown

BEFORE = SPEC.replace('"violated in 3 steps"', '"holds"')
MORE = '\n[[run]]\nmodel = "lamp.py:Lamp"\nconstants = { most = 2 }\nexpect = { counted = "holds" }\n'
LAMP = Path("lamp.toml")


@pytest.fixture(scope="module")
def met(tmp_path_factory: pytest.TempPathFactory) -> GateVerdict:
    return verdict_of(tmp_path_factory.mktemp("met"))


def commit(text: str) -> None:
    """The spec as it was; what the gate ran is on disk again."""

    def git(*words: str) -> None:
        names = ["-c", "user.name=a", "-c", "user.email=a@b.invalid", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *names, *words], check=True, capture_output=True)

    now = LAMP.read_text(encoding="utf-8")
    LAMP.write_text(text, encoding="utf-8")
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "before")
    LAMP.write_text(now, encoding="utf-8")


def compared(met: GateVerdict, before: str) -> Earlier:
    commit(before)
    return earlier(met, [LAMP], "HEAD")


def test_a_verdict_that_a_spec_now_expects_is_shown_and_drawn(met: GateVerdict) -> None:
    found = compared(met, BEFORE)
    assert [(each.what, each.before, each.now) for each in found.changed] == [
        ("seldom_on", "holds", "violated in 3 steps")
    ]
    text = summary_markdown(met, found)
    assert text.startswith("### isrcheck gate: as expected, 1 expectation changed\n")
    assert "| model | constants | what | expected before | expected now |\n" in text
    assert "| `lamp.py:Lamp` |  | seldom\\_on | holds | **violated in 3 steps** |\n" in text
    assert text.count("```mermaid") == 1


def test_what_is_asked_no_longer_is_shown(met: GateVerdict) -> None:
    more = SPEC.replace('counted = "holds"', 'counted = "holds"\ndeadlock = "holds"') + MORE
    found = compared(met, more)
    assert [(each.what, each.before, each.now) for each in found.changed] == [("deadlock", "holds", "nothing")]
    assert found.gone == 1
    assert "- 1 run that a spec had before is gone.\n" in summary_markdown(met, found)


@pytest.mark.parametrize("before", [SPEC, SPEC.replace("# A spec of one's own.\n", "")])
def test_the_same_expectations_are_no_news(met: GateVerdict, before: str) -> None:
    assert compared(met, before) == SAME
    assert not SAME


def test_a_new_spec_changes_nothing(met: GateVerdict) -> None:
    commit(SPEC)
    LAMP.rename("another.toml")
    assert earlier(met, [Path("another.toml")], "HEAD") == SAME


@pytest.mark.parametrize(("before", "ref"), [(SPEC, "no-such"), ("[[run]\n", "HEAD"), (SPEC, "--help")])
def test_what_is_not_known_is_said_and_changes_no_exit_code(
    met: GateVerdict, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], before: str, ref: str
) -> None:
    commit(before)
    answer_at_once(met, monkeypatch)
    assert gate.main(["lamp.toml", "--brief", "--since", ref], standalone_mode=False) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "isrcheck gate: as expected" in shown
    assert f"What the specs expected at {ref} is not known: " in shown
