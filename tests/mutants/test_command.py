"""`isrcheck mutate`: forms, exit codes, mistakes, and names that would do something if they were not shown."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.mutants import models
from tests.mutants.models import fates, surveyed

from isrcheck.cli import commands
from isrcheck.errors import UsageError
from isrcheck.evidence.writers.html import page_of
from isrcheck.evidence.writers.markdown import markdown_of
from isrcheck.gate.mutants import judge
from isrcheck.gate.mutants.report import exit_of, facts_of, remarks, survey_document
from isrcheck.gate.mutants.survey import Reason, check_reasons, read_reasons
from isrcheck.user_cache import CacheFolder

TANK = f"{Path(models.__file__)}:Tank"
TWICE = f"{Path(models.__file__)}:Twice"


CLOCK = '''"""A clock that is stopped early."""

from typing import Annotated

from isrcheck import Model, UpTo, action, invariant, require


class Clock(Model):
    """A clock."""

    hour: Annotated[int, UpTo(9)] = 0

    @action
    def strikes(self) -> None:
        require(self.hour < 2)
        self.hour += 1

    @invariant
    def is_an_hour(self) -> bool:
        """It is no more than nine."""
        return self.hour <= 9
'''


def mutate(*words: str) -> Result:
    return CliRunner().invoke(commands, ["mutate", *words], standalone_mode=False, catch_exceptions=False)


def lines(result: Result) -> list[str]:
    return [line.rstrip() for line in result.output.splitlines()]


def test_the_text() -> None:
    found = mutate(TANK, "--no-cache", "--mutant", "fill", "--all")
    assert found.return_value == 0
    assert lines(found)[1:] == [
        "isrcheck mutate " + TANK + " --mutant fill --all",
        "",
        "[0] defaults: 6 states, depth 5",
        "",
        "5 mutants: 4 killed by a property; 1 survived: another graph, and no property is violated.",
        "",
        "fill  Tank",
        "  place  change                                                                 outcome",
        "  35:9   require(self.is_open) → (gone)                                         survived; 6 states",
        "  36:9   require(self.level < self.size) → (gone)                               never_over in 4 steps",
        "  36:17  require(self.level < self.size) → require(self.level <= self.size)     never_over in 4 steps",
        "  36:17  require(self.level < self.size) → require(self.level + 1 < self.size)  gets_full never reached",
        "  37:9   self.level += 1 → (gone)                                               gets_full never reached",
        "",
        "Properties",
        "  property    kind       kills  alone",
        "  never_over  invariant      2      2",
        "  gets_full   reachable      2      2",
        "",
        "Guards whose removal nothing detects: 1",
        "- fill: require(self.is_open)",
    ]


def test_json_is_alone_on_standard_output() -> None:
    found = json.loads(mutate(TANK, "--no-cache", "--json", "-").output)
    assert found["schema"] == "isrcheck.mutants/2"
    assert {fate: n for fate, n in found["fates"].items() if n} == {"killed": 5, "survived": 4}
    assert found["properties"][0] == {
        "name": "never_over",
        "kind": "invariant",
        "can_kill": True,
        "asked": True,
        "kills": 2,
        "alone": 2,
        "only_history": False,
    }
    assert found["mutants"][0]["name"] == "open_tap/guard-1"


def test_a_list_that_is_not_true_is_exit_21(tmp_path: Path) -> None:
    file = tmp_path / "none.toml"
    file.write_text('[[guard]]\nmodels = ["x"]\nguard = "g"\nbecause = "scope"\nreason = "r"\n', encoding="utf-8")
    found = mutate(TANK, "--no-cache", "--reasons", str(file))
    assert found.return_value == 21
    assert found.output.count("no reason is written") == 3


def test_forms_are_written(tmp_path: Path) -> None:
    for form, begin in (("md", "## Mutants of"), ("html", "<!doctype html>"), ("txt", "")):
        file = tmp_path / f"found.{form}"
        assert mutate(TANK, "--no-cache", "--to", form, "-o", str(file)).return_value == 0
        assert file.read_text(encoding="utf-8").startswith(begin)


def test_properties_that_read_the_bookkeeping_only_are_named() -> None:
    made = surveyed("Twice", everything=True)
    assert remarks(facts_of(made, check_reasons(made, None), "1", "it")) == [
        "Properties that kill no mutant: steps_are_counted, allowed_or_at_the_top.",
        "Properties that read history variables only, so that they trust the bookkeeping: steps_are_counted.",
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--config", "size"], "-c size is not a valid constant: write -c NAME=VALUE, such as -c replicas=3."),
        (["--config", "'"], "--config ''' is not a choice of constants: write --config 'NAME=VALUE ...'."),
        (["-c", "size=1", "--config", "size=2"], "the constant size is given by -c and by --config: give it once."),
        (["--property", "never_ever"], "Tank has no property never_ever. Did you mean never_over?"),
        (["--mutant", "fil/guard"], "has fil/guard in its name. Did you mean fill?"),
        (["--change", "disjunct"], "has nothing of this kind to change."),
        (["--max-states", "2"], "the model itself is cut off after 2 states with these constants"),
    ],
)
def test_mistakes(words: list[str], sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        mutate(TANK, "--no-cache", *words)
    assert sentence in str(error.value)


def test_a_mutant_that_is_cut_off_is_exit_20(tmp_path: Path) -> None:
    """Without its guard the clock goes on to where a larger graph begins; the original needs 3 states."""
    file = tmp_path / "clock.py"
    file.write_text(CLOCK, encoding="utf-8")
    found = mutate(f"{file}:Clock", "--no-cache", "--max-states", "5", "--change", "guard")
    assert found.return_value == 20
    assert "undecided: cut off after 5 states" in found.output
    assert "Guards whose removal nothing detects" not in found.output


def test_processes_of_the_command(tmp_path: Path) -> None:
    environment = {**os.environ, "ISRCHECK_CACHE_DIR": str(tmp_path)}
    words = [sys.executable, "-m", "isrcheck", "mutate", TANK, "--workers", "2", "--to", "md"]
    outputs = [subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout for _ in "12"]
    assert outputs[0] == outputs[1] == mutate(TANK, "--no-cache", "--to", "md").output
    assert len(list(tmp_path.glob("*.json"))) == 9


def test_hostile_names_are_shown_and_not_run() -> None:
    made = surveyed("Tank")
    facts = facts_of(made, check_reasons(made, []), "1", "isrcheck mutate '<script>'")
    bad = '<script>alert(1)</script>|`"\u202e--><b>é界'
    facts["model"] = bad
    facts["wrong_reasons"] = [bad]
    for mutant in facts["mutants"]:
        mutant.update(before=bad, after=bad, method=bad, owner=bad, why=bad)
    page = page_of(survey_document(facts, by_property=True))
    assert "<script" not in page.replace("&lt;script", "")
    assert "\u202e" not in page
    text = markdown_of(survey_document(facts))
    assert "<script>" not in re.sub(r"(`+)[^`].*?(?<!`)\1(?!`)", "", text.replace("\\`", ""), flags=re.DOTALL).replace(
        "\\<", ""
    )
    assert "\u202e" not in text
    assert all(row.count("|") - row.count("\\|") == 4 for row in text.splitlines() if row.startswith("| 2"))


OPEN, CLOSE, FILL = (
    "open_tap: require(not self.is_open)",
    "close_tap: require(self.is_open)",
    "fill: require(self.is_open)",
)


def reason(guard: str) -> Reason:
    return Reason(("Tank", "Other"), guard, "harmless", "It is a toy.")


def test_a_true_list_is_exit_0() -> None:
    made = surveyed("Tank")
    checked = check_reasons(made, [reason(OPEN), reason(CLOSE), reason(FILL)])
    assert [name for name, _ in checked.unneeded] == [OPEN, CLOSE, FILL]
    assert exit_of(made, checked) == 0
    assert facts_of(made, checked, "1", "it")["unneeded_guards"][0] == {
        "guard": OPEN,
        "because": "harmless",
        "reason": "It is a toy.",
    }


def test_a_guard_without_a_reason_is_exit_21() -> None:
    made = surveyed("Tank")
    assert exit_of(made, check_reasons(made, [reason(OPEN), reason(CLOSE)])) == 21
    assert exit_of(made, check_reasons(made, [])) == 21
    assert exit_of(made, check_reasons(made, None)) == 0  # no list was given


def test_a_listed_guard_that_is_needed_is_exit_21() -> None:
    made = surveyed("Tank")
    full = "fill: require(self.level < self.size)"
    checked = check_reasons(made, [reason(OPEN), reason(CLOSE), reason(FILL), reason(full)])
    assert checked.wrong == (
        f"the list of unneeded guards has '{full}' of Tank, whose removal is detected: never_over.",
    )
    assert exit_of(made, checked) == 21


def test_a_listed_guard_that_is_not_there_is_exit_21() -> None:
    made = surveyed("Tank")
    checked = check_reasons(made, [reason(OPEN), reason(CLOSE), reason(FILL), reason("fill: require(self.is_opn)")])
    assert checked.wrong == (
        "the list of unneeded guards has 'fill: require(self.is_opn)', which Tank does not have. "
        "Did you mean fill: require(self.is_open)?",
    )


def test_reasons_of_other_models_are_not_asked() -> None:
    made = surveyed("Tank")
    other = Reason(("Other",), "x: require(False)", "scope", "Elsewhere.")
    assert check_reasons(made, [reason(OPEN), reason(CLOSE), reason(FILL), other]).is_as_listed


WHOLE = '[[guard]]\nmodels = ["Tank"]\nguard = "g"\nbecause = "scope"\nreason = """a\n b"""\n'


def test_a_list_is_read(tmp_path: Path) -> None:
    file = tmp_path / "list.toml"
    file.write_text(WHOLE, encoding="utf-8")
    assert read_reasons(file) == (Reason(("Tank",), "g", "scope", "a b"),)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[guard]\n", "is not TOML: Expected ']]' at the end of an array declaration"),
        ("x = 1\n", ": there is no key x at the top of a spec. Known: guard."),
        (WHOLE.replace("[[guard]]", "[guard]"), ": guard is an array of tables: write [[guard]]."),
        (WHOLE.replace("because", "becuase"), ":4: there is no key becuase in a guard. Did you mean because?"),
        (WHOLE.replace('["Tank"]', '"Tank"'), ":2: models is a list of texts, such as models = [\"...\"], not 'Tank'."),
        (WHOLE.replace('"g"', '""'), ':3: the guard has no guard: write guard = "...".'),
        (WHOLE.replace("scope", "scop"), ":4: there is no because = 'scop'. Did you mean scope?"),
        (WHOLE + WHOLE, "lists 'g' of Tank twice: leave one out."),
    ],
)
def test_a_list_that_is_wrong(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "list.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as error:
        read_reasons(file)
    assert sentence in str(error.value)
    assert str(file) in str(error.value)


def test_a_list_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no file .*none\.toml: give a TOML file"):
        read_reasons(tmp_path / "none.toml")


def test_a_second_survey_searches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = surveyed("Tank", cache=CacheFolder(tmp_path))
    kept = len(list(tmp_path.iterdir()))
    assert kept == 9

    def never(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(judge.Judge, "_search_on", never)
    assert fates(surveyed("Tank", cache=CacheFolder(tmp_path))) == fates(first)
    with pytest.raises(AssertionError):
        surveyed("Tank", {"size": "3"}, cache=CacheFolder(tmp_path))


def test_a_corrupt_cache_changes_no_answer(tmp_path: Path) -> None:
    first = surveyed("Tank", cache=CacheFolder(tmp_path))
    for file in tmp_path.iterdir():
        file.write_text(file.read_text(encoding="utf-8").replace("survived", "killed"), encoding="utf-8")
    assert fates(surveyed("Tank", cache=CacheFolder(tmp_path))) == fates(first)
