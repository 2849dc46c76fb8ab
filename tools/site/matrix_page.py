"""The policy matrix to click through: one table for each family, of the facts of the run report in reports/matrix."""

import json
from itertools import groupby
from typing import Any

from tools.site.repository import read_file

Run = dict[str, Any]
Property = dict[str, Any]

_HEAD = """# Which policy violates what?

Each cell is a verdict and leads to its evidence: a violation, after so many steps, to its shortest trace, drawn step by
step; any other to its run, with all figures and the command that runs it again.
[The report](matrix/index.html) has the same runs on one page.

| sign | meaning |
|---|---|
| ✗ | violated, or for a reachability property: never reached |
| ✓ | holds in every reachable state of the run, or is reached |
| ◐ | holds within bounds: steps that would leave them were pruned |
| ? | undetermined |
| · | not asked: it does not apply |
"""
_FAMILIES = {
    "published": "The published designs",
    "async": "Changes of the ISR by request",
    "isr": "Who is in the ISR: every version's rule",
    "partition": "A partition across changes of leader",
}
_ABOUT = {
    "published": "[Where they are from](README.md#what-was-found). Behind a name: replicas, log, records, last epoch.",
    "async": "The high watermark waits for what the ISR may become, or for less.",
    "isr": "[The versions](docs/policies.md), at their default constants: two replicas.",
    "partition": "[The policies and what they do](docs/partition.md), at the default constants.",
}


def family(run: Run) -> str:
    """The name of the table in which a run stands."""
    first = str(run["model"]).partition("-")[0]
    return first if first in _FAMILIES else "published"


def matrix_page() -> str:
    """The page, in Markdown."""
    runs = list(enumerate(json.loads(read_file("reports/matrix/facts.json"))["runs"], start=1))
    parts = [_HEAD]
    for name, rows in groupby(runs, key=lambda row: family(row[1])):
        parts.append(f"## {_FAMILIES[name]}\n\n{_ABOUT[name]}\n")
        parts.append(table(list(rows)))
    return "\n".join(parts)


def table(runs: list[tuple[int, Run]]) -> str:
    """The runs as columns, since there are more properties than runs and names of both are long."""
    names = list(dict.fromkeys(p["name"] for _, run in runs for p in run["properties"]))
    head = ["property", *(column(number, run) for number, run in runs)]
    rows = [[f"`{name}`", *(cell(number, run, name) for number, run in runs)] for name in names]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def column(number: int, run: Run) -> str:
    """A run's model, and its sizes where a table has the same model twice."""
    model = str(run["model"]).removeprefix("isr-").removeprefix("partition-")
    sizes = "-".join(str(n) for n in list(run["constants"].values())[:4]) if family(run) == "published" else ""
    return f"[{model}{' ' + sizes if sizes else ''}](matrix/index.html#run-{number})"


def cell(number: int, run: Run, name: str) -> str:
    """A verdict, as a link to its evidence."""
    asked = next((p for p in run["properties"] if p["name"] == name), None)
    if asked is None:
        return "·"
    where = f"matrix/traces/{asked['drawn']}.html" if asked["drawn"] else f"matrix/index.html#run-{number}"
    return f"[{short_verdict(asked)}]({where}){{ .{kind(run, asked)} }}"


def kind(run: Run, asked: Property) -> str:
    """How a cell is marked; a reachability property that was reached stays so whatever was pruned."""
    if asked["verdict"] != "holds":
        return str(asked["verdict"])
    return "bounded" if run["states"]["pruned"] and asked["assurance"] == "exhaustive" else "holds"


def short_verdict(asked: Property) -> str:
    """A verdict in a word, with the steps where there are any."""
    steps = f" in {asked['length'] - 1}" if asked["length"] else ""
    if asked["kind"] == "reachable":
        return f"reached{steps}" if asked["verdict"] == "holds" else "never reached"
    return f"{asked['verdict']}{steps}"
