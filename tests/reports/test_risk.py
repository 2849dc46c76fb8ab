"""The page of what settings survive is made of its file, and the file says what a search says now."""

import csv
import re
from pathlib import Path

import pytest
from tools.reports.risk import COLUMNS, FILE, PAGE, SEARCHED, Case, every_case, lines, read, read_rows
from tools.reports.risk_page import ANSWER, page, print_default

from isrcheck.cli import commands
from isrrisk.setting import Setting
from isrrisk.wording import WORDS

SPEC = Path(__file__).parents[2] / "specs" / "sweeps" / "kraft.toml"


def in_file(case: Case) -> list[dict[str, str]]:
    return [row for row in read_rows() if (row["case"], row["budget"]) == (case.name, case.budget)]


def test_the_page_is_made_of_the_file() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
    assert FILE.read_text(encoding="utf-8").partition("\n")[0] == ",".join(COLUMNS)


def test_the_answer_on_the_page_is_that_of_the_table() -> None:
    """Steps and states of the default question, in its printed answer and in the file."""
    printed = ANSWER.read_text(encoding="utf-8")
    rows = in_file(Case(Setting("4.1", 3, 2), SEARCHED[3]))
    for row in rows[:3]:
        assert re.search(rf"{WORDS[row['property']]}  .*  {row['least'].rpartition(': ')[2]}\n", printed)
    assert f"{int(rows[0]['states']):,} states" in " ".join(printed.split())


@pytest.mark.slow
def test_the_answer_on_the_page_is_printed_today() -> None:
    """Seconds are left out, and lines may break elsewhere by their width."""
    assert print_default().split() == ANSWER.read_text(encoding="utf-8").split()


def test_nothing_was_pruned_nor_cut_off() -> None:
    assert {(row["pruned"], row["cut"]) for row in read_rows()} == {("0", "")}


@pytest.mark.slow
@pytest.mark.parametrize("case", every_case(), ids=lambda case: f"{case.name}, {case.budget}")
def test_no_line_has_drifted(case: Case) -> None:
    if rows := in_file(case):
        assert list(lines(case, case.search())) == rows


@pytest.mark.slow
def test_a_sweep_finds_the_same_frontier(tmp_path: Path) -> None:
    """Cell by cell, with a search for each number of faults: 4.1 at min.insync.replicas=2 and acks=all."""
    text = SPEC.read_text(encoding="utf-8").partition('[[grid]]\nname = "two replicas, ELR')[0]
    for whole, one in (("[1, 2]", "2"), ('["all", "1"]', '"all"'), ('"kraft-3.5", "kraft-3.6", "kraft-3.7", ', "")):
        assert whole in text
        text = text.replace(whole, one)
    spec = tmp_path / "one.toml"
    spec.write_text(text.replace('"kraft-4.0", ', ""), encoding="utf-8")
    commands.main(["sweep", str(spec), "--out", str(tmp_path / "swept")], standalone_mode=False)
    with (tmp_path / "swept" / "frontier.csv").open(encoding="utf-8", newline="") as file:
        swept = {(row["property"], read(row["least"]), int(row["length"]) - 1) for row in csv.DictReader(file)}
    case = next(each for each in every_case() if each.setting == Setting("4.1", 2, 2))
    pairs = [(row["property"], each.rpartition(": ")) for row in in_file(case) for each in row["least"].split("; ")]
    assert swept == {
        (name, tuple((kind, dict(read(faults)).get(kind, 0)) for kind in case.most), int(steps))
        for name, (faults, _, steps) in pairs
        if steps
    }
