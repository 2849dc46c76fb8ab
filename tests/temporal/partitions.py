"""The table of docs/partition.md on what comes in the end, from its spec: python -m tests.temporal.partitions."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.tables import SPECS

PAGE = Path(__file__).parents[2] / "docs" / "partition.md"
TABLE = re.compile(r"(?<=<!-- for ever -->\n).*?(?=<!-- end of for ever -->)", re.DOTALL)
PREFIX = "forever-partition-"
BROKERS, FOLLOWERS = "brokers_go_on", "followers_alive"
PROPERTIES = ("eligible_leads", "caught_up_returns", "dead_leaves", "no_stall", "writes_end")
ENVIRONMENTS = {(BROKERS, FOLLOWERS): "both", (BROKERS,): "brokers", (FOLLOWERS,): "followers"}
SIGNS = {"holds": "ok", "violated": "↻"}


@cache
def runs() -> list[dict[str, Any]]:
    text = (SPECS / "forever-partition.toml").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = tomllib.loads(text)["run"]
    return found


def verdict(model: str, name: str, environment: tuple[str, ...]) -> str:
    own = (run for run in runs() if (run["model"], tuple(run["fairness"])) == (model, environment))
    return next(str(run["expect"][name]) for run in own if name in run["expect"])


def table() -> str:
    models = list(dict.fromkeys(run["model"] for run in runs()))

    def lines() -> Iterator[str]:
        yield "| | |" + "".join(f" {model.removeprefix(PREFIX)} |" for model in models)
        yield "|---|---|" + "---|" * len(models)
        cells = "".join(f" {SIGNS[verdict(model, 'no_flapping', (BROKERS, FOLLOWERS))]} |" for model in models)
        yield f"| `no_flapping` | both, each follower once a tick |{cells}"
        for name in PROPERTIES:
            for environment, called in ENVIRONMENTS.items():
                cells = "".join(f" {SIGNS[verdict(model, name, environment)]} |" for model in models)
                yield f"| `{name}` | {called} |{cells}"

    return "\n".join(lines()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(TABLE.sub(lambda _: table(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
