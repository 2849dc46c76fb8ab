"""The table of docs/partition.md from its spec: python -m tools.reports.forever_partitions."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from tools.reports.tables import SPECS

PAGE = Path(__file__).parents[2] / "docs" / "partition.md"
TABLE = re.compile(r"(?<=<!-- for ever -->\n).*?(?=<!-- end of for ever -->)", re.DOTALL)
PREFIX = "forever-partition-"
BROKERS, FOLLOWERS = "brokers_go_on", "followers_alive"
PROPERTIES = ("eligible_leads", "caught_up_returns", "dead_leaves", "no_stall", "writes_end")
ENVIRONMENTS = {(BROKERS, FOLLOWERS): "both", (BROKERS,): "brokers", (FOLLOWERS,): "followers"}
SIGNS = {"holds": "ok", "violated": "↻"}


@cache
def runs() -> list[dict[str, Any]]:
    spec = (SPECS / "forever-partition.toml").read_text(encoding="utf-8")
    listed: list[dict[str, Any]] = tomllib.loads(spec)["run"]
    return listed


def verdict(model: str, name: str, environment: tuple[str, ...]) -> str:
    own = (run for run in runs() if (run["model"], tuple(run["fairness"])) == (model, environment))
    return next(str(run["expect"][name]) for run in own if name in run["expect"])


def table() -> str:
    """Return the page's table; what is the same for every model is a line below it."""
    models = list(dict.fromkeys(run["model"] for run in runs()))
    rows = {("no_flapping", "both, each follower once a tick"): signs(models, "no_flapping", (BROKERS, FOLLOWERS))}
    for name in PROPERTIES:
        rows |= {(name, called): signs(models, name, environment) for environment, called in ENVIRONMENTS.items()}
    lines = [
        "| | |" + "".join(f" {model.removeprefix(PREFIX)} |" for model in models),
        "|---|---|" + "---|" * len(models),
    ]
    lines += [
        f"| `{name}` | {called} |" + "".join(f" {sign} |" for sign in row)
        for (name, called), row in rows.items()
        if len({*row}) > 1
    ]
    for called in ENVIRONMENTS.values():
        alike = {name: row[0] for (name, where), row in rows.items() if where == called and len({*row}) == 1}
        lines += [
            "",
            f"For every admission, {called}: {', '.join(f'`{name}` {sign}' for name, sign in alike.items())}.",
        ]
    return "\n".join(lines) + "\n"


def signs(models: list[str], name: str, environment: tuple[str, ...]) -> list[str]:
    return [SIGNS[verdict(model, name, environment)] for model in models]


if __name__ == "__main__":
    PAGE.write_text(TABLE.sub(lambda _: table(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
