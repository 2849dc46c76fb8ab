"""The table "On brokers" of docs/policies.md: as specs/brokers/findings.toml has it, of runs and scenarios that exist.

`python -m tests.isr.test_on_brokers` writes it again.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.observe.runs import folders

from isrbrokers.releases import find_release
from isrbrokers.scenarios import SCENARIOS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "policies.md"
BEGIN, END = "<!-- on brokers -->\n", "<!-- end of on brokers -->"
TABLE = ROOT / "specs" / "brokers" / "findings.toml"
FINDINGS: list[dict[str, Any]] = tomllib.loads(TABLE.read_text("utf-8"))["finding"]
# Runs of the controller's own recordings are named without the release.
OTHERWISE = {"s20-elr": "4.1.1", "s20-rf3": "4.1.1"}


def version(run: str) -> str:
    found = re.search(r"\d+\.\d+\.\d+(\.\d+)?", run)
    return found[0] if found else next(v for name, v in OTHERWISE.items() if run.startswith(name))


def table() -> str:
    tried = [one for one in FINDINGS if "not_tried" not in one]
    rows = [f"| {one['what']} | `{one['property']}` | {on_brokers(one)} |" for one in tried]
    return "\n".join(["| finding | property | on brokers |", "|---|---|---|", *rows]) + "\n"


def on_brokers(one: dict[str, Any]) -> str:
    said = []
    if one.get("seen"):
        seen = dict.fromkeys(version(run) for run in one["seen"])
        said.append(f"**seen**: {', '.join([*seen, *(f'{v} (recording not kept)' for v in one.get('elsewhere', ()))])}")
    said += [f"{word.replace('_', ' ')}: {one[word]}" for word in ("not_seen",) if word in one]
    return "; ".join(said)


def page() -> str:
    text = PAGE.read_text("utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    return f"{before}{BEGIN}{table()}{END}{after}"


def test_the_page_has_the_table() -> None:
    assert PAGE.read_text("utf-8") == page(), "run python -m tests.isr.test_on_brokers"


@pytest.mark.parametrize("one", FINDINGS, ids=lambda one: one["what"])
def test_each_finding_was_seen_or_says_why_not(one: dict[str, Any]) -> None:
    assert one.get("seen") or one.get("not_seen") or one.get("not_tried")
    assert set(one.get("seen", ())) <= {folder.name for folder in folders()}
    assert bool(one.get("again")) == bool(one.get("seen"))


@pytest.mark.parametrize("words", sorted({words for one in FINDINGS for words in one.get("again", ())}))
def test_a_run_can_be_made_again(words: str) -> None:
    scenario, name = words.split()
    assert scenario in SCENARIOS
    assert find_release(name).number == name


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
