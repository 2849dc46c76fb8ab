"""A variant of a library's model: findings stand at the user's lines, and vacuity of the library's text is a note."""

import json
from pathlib import Path

import pytest
from tests.gate.doors import MODEL, write
from tests.gate.test_forms import Run, all_forms

VARIANT = '''"""A variant of one's own."""

from isrmodel.isr import StrictMinIsr
from isrmodel.vocabulary import Follower


class Mine(StrictMinIsr):
    """It lets everybody in."""

    def may_join(self, follower: Follower) -> bool:
        """Whoever has reached the high watermark."""
        return self.known[follower] >= self.hw
'''
VACUOUS = {"push", "said_of_nothing", "said_of_no_door", "stays_open"}
SPEC = """[[run]]
model = "MODEL"
constants = { replicas = 2 }

[run.expect]
hw_never_decreases = "violated"
"""


def spec(model: str, more: str = "") -> str:
    return SPEC.replace("MODEL", model).replace("\n\n", f"\n{more}\n", 1)


@pytest.fixture(autouse=True)
def variant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("mine.py").write_text(VARIANT, encoding="utf-8")


def outputs(run: Run, capsys: pytest.CaptureFixture[str]) -> tuple[str, str, dict[str, object]]:
    assert all_forms(run) == 21
    log = json.loads(Path("gate.sarif").read_text(encoding="utf-8"))["runs"][0]
    return capsys.readouterr().out, Path("junit.xml").read_text(encoding="utf-8"), log["results"][0]


def uris(locations: object) -> list[tuple[str, int]]:
    assert isinstance(locations, list)
    physical = [each["physicalLocation"] for each in locations]
    return [(each["artifactLocation"]["uri"], each["region"]["startLine"]) for each in physical]


def test_a_librarys_property_is_located_at_the_one_policy_that_a_variant_fills(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("lamp.toml").write_text(spec("mine.py:Mine"), encoding="utf-8")
    out, junit, result = outputs(run, capsys)
    assert uris(result["locations"]) == [("mine.py", 10)]
    expected, definition = uris(result["relatedLocations"])
    assert expected == ("lamp.toml", 6)
    assert definition[0].startswith("isrmodel/isr/")
    assert "::warning file=mine.py,line=10,col=5," in out
    assert "mine.py:10:5" in junit
    for form in (out, junit, str(result["message"])):
        assert "xpected in lamp.toml:6" in form
        assert "lamp.toml:1" not in form
    assert "file:///" not in Path("gate.sarif").read_text(encoding="utf-8")


def test_a_librarys_property_is_located_at_the_class_that_fills_two_policies(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    second = '\n    def may_advance(self) -> bool:\n        """Always."""\n        return True\n'
    Path("mine.py").write_text(VARIANT + second, encoding="utf-8")
    Path("lamp.toml").write_text(spec("mine.py:Mine"), encoding="utf-8")
    _, _, result = outputs(run, capsys)
    assert uris(result["locations"]) == [("mine.py", 7)]


@pytest.mark.parametrize(
    ("expected", "level"),
    [
        ('hw_never_decreases = "violated"', "warning"),
        ('no_bad_expand = "holds"', "error"),
        ('no_bad_expand = "violated in 4 steps"', "error"),
    ],
)
def test_a_property_that_is_no_longer_violated_is_a_warning(
    expected: str, level: str, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    """The gate fails all the same: the spec is out of date."""
    Path("lamp.toml").write_text(spec("mine.py:Mine").replace('hw_never_decreases = "violated"', expected))
    out, _, result = outputs(run, capsys)
    assert result["level"] == level
    assert f"::{level} file=mine.py,line=10" in out


def test_a_model_of_a_library_is_located_at_the_spec(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    Path("lamp.toml").write_text(spec("isr-strict-min-isr"), encoding="utf-8")
    out, _, result = outputs(run, capsys)
    assert uris(result["locations"]) == [("lamp.toml", 6)]
    assert "::warning file=lamp.toml,line=6,col=1," in out


def test_paths_are_those_of_the_checkout_where_the_gate_runs_below_it(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(".git").mkdir()
    Path("below").mkdir()
    Path("lamp.toml").rename("below/lamp.toml")
    Path("mine.py").rename("below/mine.py")
    monkeypatch.chdir("below")
    Path("lamp.toml").write_text(spec("mine.py:Mine"), encoding="utf-8")
    out, _, result = outputs(run, capsys)
    assert uris(result["locations"]) == [("below/mine.py", 10)]
    assert "::warning file=below/mine.py,line=10," in out


def test_an_environment_in_the_checkout_is_not_the_users_text(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path("venv/lib/site-packages")
    folder.mkdir(parents=True)
    Path("mine.py").rename(folder / "mine.py")
    Path("lamp.toml").write_text(spec("venv/lib/site-packages/mine.py:Mine"), encoding="utf-8")
    _, _, result = outputs(run, capsys)
    assert uris(result["locations"]) == [("lamp.toml", 6)]


def vacuous_of(run: Run, text: str, code: int) -> dict[str, list[dict[str, str]]]:
    Path("lamp.toml").write_text(text, encoding="utf-8")
    assert run("lamp.toml", "--json", "gate.json") == code
    data = json.loads(Path("gate.json").read_text(encoding="utf-8"))
    return {name: data[name] for name in ("vacuous", "vacuous_not_asked")}


DOORS = """[[run]]
model = "site-packages/door.py:Doors"

[run.expect]
said_of_open_doors = "holds"
"""


@pytest.fixture
def door() -> None:
    Path("site-packages").mkdir()
    write(MODEL)
    Path("door.py").rename("site-packages/door.py")


@pytest.mark.usefixtures("door")
def test_vacuity_of_a_librarys_text_is_one_note_line(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    found = vacuous_of(run, DOORS, 0)
    assert not found["vacuous"]
    assert {each["what"] for each in found["vacuous_not_asked"]} == VACUOUS
    said = " ".join(capsys.readouterr().out.split())
    assert said.count("Note: 4 vacuous lines in library text that no spec asks about (push, ") == 1
    assert run("lamp.toml", "--update", "--yes") == 0
    assert Path("lamp.toml").read_text(encoding="utf-8") == DOORS


@pytest.mark.usefixtures("door")
def test_a_spec_asks_about_vacuity_by_what_it_expects(run: Run) -> None:
    found = vacuous_of(run, f'{DOORS}stays_open = "holds"\n', 22)
    assert [each["what"] for each in found["vacuous"]] == ["stays_open"]
    assert {each["what"] for each in found["vacuous_not_asked"]} == VACUOUS - {"stays_open"}


@pytest.mark.usefixtures("door")
def test_a_strict_run_asks_about_vacuity_of_all_text(run: Run) -> None:
    found = vacuous_of(run, DOORS.replace("\n\n", "\nstrict = true\n", 1), 22)
    assert {each["what"] for each in found["vacuous"]} == VACUOUS
    assert not found["vacuous_not_asked"]
