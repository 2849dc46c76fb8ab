"""The table of docs/policies.md from its spec: python -m tools.reports.forever_policies."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tools.reports.tables import SPECS

SPEC = SPECS / "forever.toml"
PAGE = Path(__file__).parents[2] / "docs" / "policies.md"
TABLE = re.compile(r"(?<=<!-- for ever -->\n).*?(?=<!-- end of for ever -->)", re.DOTALL)

HEADS = {
    "forever-original-design": "V3",
    "forever-max-messages": "0.8",
    "forever-kip-16-text": "KIP-16",
    "forever-kip-16-merged": "0.9",
    "forever-kafka-4485-v1": "4485 v1",
    "forever-kafka-4485-v2": "4485 v2",
    "forever-kafka-4485-merged": "0.10.2",
    "forever-kafka-4485-first-patch": "patch",
    "forever-kafka-7152": "2.1",
    "forever-kafka-8841": "2.4",
    "forever-strict-min-isr": "3.7",
    "forever-kafka-19996-fix": "fix",
    "forever-kip-501": "KIP-501",
}
DRAFTS = {"V3", "KIP-16", "4485 v1", "4485 v2"}  # the page shows what was released or may be
ALIVE, ONE, NOBODY = "followers_alive", "one_follower_alive", ""
STEADY = {"pace": "every-tick", "endless": True}
ROWS: tuple[tuple[str, str, dict[str, Any], str], ...] = (  # property, environment, constants, and what they mean
    ("no_flapping", ALIVE, {**STEADY, "fetch_size": "all"}, "every tick a fetch of everything"),
    ("no_flapping", ALIVE, {**STEADY, "fetch_size": "one", "producers": "settle"}, "every tick one record, fetched"),
    ("pace_returns", ALIVE, {**STEADY, "fetch_size": "one", "producers": "settle"}, "every tick one record, fetched"),
    ("vain_joins_end", ALIVE, {**STEADY, "fetch_size": "all"}, "every tick a fetch of everything"),
    ("vain_joins_end", ALIVE, {**STEADY, "fetch_size": "one"}, "every tick a fetch of one record"),
    ("keep_up_settles", ALIVE, STEADY, "every tick a fetch of everything"),
    ("keep_up_returns", ALIVE, STEADY, "every tick a fetch of everything"),
    ("caught_up_returns", ALIVE, {}, "all fetch again and again"),
    ("caught_up_returns", NOBODY, {}, "any may be silent"),
    ("dead_leaves", NOBODY, {}, "any may be silent"),
    ("no_stall", ALIVE, {}, "all fetch again and again"),
    ("writes_end", ALIVE, {}, "all fetch again and again"),
    ("no_stall", ONE, {}, "one fetches again and again"),
    ("no_stall", NOBODY, {}, "any may be silent"),
    ("writes_end", NOBODY, {}, "any may be silent"),
)
UNSAID = {"endless": False, "producers": "free"}
SIGNS = {"holds": "ok", "violated": "↻"}


@cache
def runs() -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = tomllib.loads(SPEC.read_text(encoding="utf-8"))["run"]
    return listed


def cell(model: str, name: str, environment: str, constants: dict[str, Any]) -> str:
    """Return the signs with 2 replicas and with 3."""
    verdicts = [verdict(model, name, environment, {**constants, "replicas": n}) for n in (2, 3)]
    both = [SIGNS[each] for each in verdicts if each]
    return ", ".join(dict.fromkeys(both)) if both else "·"


def verdict(model: str, name: str, environment: str, constants: dict[str, Any]) -> str:
    """Return the expected verdict, empty where none is expected."""
    for run in runs():
        chosen = {**UNSAID, **run["constants"]}
        asked = run["model"] == model and run.get("fairness", []) == [environment] * bool(environment)
        if asked and {**UNSAID, **constants}.items() <= chosen.items() and name in run["expect"]:
            return str(run["expect"][name])
    return ""


def table() -> str:
    shown = {model: head for model, head in HEADS.items() if head not in DRAFTS}

    def lines() -> Iterator[str]:
        yield "| | |" + "".join(f" {head} |" for head in shown.values())
        yield "|---|---|" + "---|" * len(shown)
        everywhere: dict[str, list[str]] = {}
        for name, environment, constants, meaning in ROWS:
            cells = [cell(model, name, environment, constants) for model in shown]
            if {*cells} == {"ok"}:
                everywhere.setdefault(meaning, []).append(f"`{name}`")
            else:
                yield f"| `{name}` | {meaning} |" + "".join(f" {each} |" for each in cells)
        for meaning, names in everywhere.items():
            yield f"\n`ok` in every version: {', '.join(names)}, where {meaning}."

    return "\n".join(lines()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(TABLE.sub(lambda _: table(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
