"""The list of guards that nothing needs: read strictly, and held to what is found."""

from pathlib import Path

import pytest
from tests.mutants.helpers import fates, surveyed

from isrcheck.errors import UsageError
from isrcheck.gate.mutants import judge
from isrcheck.gate.mutants.report import exit_of, facts_of
from isrcheck.gate.mutants.survey import Reason, check_reasons, read_reasons
from isrcheck.user_cache import CacheFolder

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
