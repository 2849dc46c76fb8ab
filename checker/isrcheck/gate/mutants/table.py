"""A survey as CSV: a row for each mutant, a column for each property that can kill."""

import csv
import io
from typing import Any

from isrcheck.gate.mutants.words import cell
from isrcheck.wrap import plain

_FIELDS = ("name", "change", "method", "owner", "at", "before", "after", "fate", "configuration", "why", "distinct")


def survey_csv(facts: dict[str, Any]) -> str:
    """Cells of properties hold the steps of the shortest violation, or `never reached`."""
    properties = [p["name"] for p in facts["properties"] if p["can_kill"]]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_FIELDS, *properties])
    for mutant in facts["mutants"]:
        steps = {n["name"]: cell(n) for n in mutant["killed_by"]}
        row = [mutant[name] for name in _FIELDS] + [steps.get(name, "") for name in properties]
        writer.writerow(plain(value) if isinstance(value, str) else value for value in row)
    return text.getvalue()
