"""Makes reports/matrix, the project's own run report, of the runs in its runs.toml: python -m tools.reports.matrix."""

import json
import sys
from contextlib import chdir
from pathlib import Path
from typing import Any

from isrcheck.cli import commands
from isrcheck.files import write_aside

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "reports" / "matrix"
RUNS = "reports/matrix/runs.toml"


def main(folder: Path = FOLDER) -> None:
    """Makes the report in a folder; its facts, which git keeps, with one run a line."""
    output = folder.absolute()
    with chdir(ROOT):
        commands.main(["compare", RUNS, "--to", "report", "-o", str(output)], standalone_mode=False)
    file = output / "facts.json"
    write_aside(file, one_run_a_line(json.loads(file.read_text(encoding="utf-8"))))


def one_run_a_line(facts: dict[str, Any]) -> str:
    """Facts as JSON, shorter than a report writes them."""
    runs = ",\n".join(json.dumps(run, ensure_ascii=False, separators=(",", ":")) for run in facts["runs"])
    head = json.dumps({**facts, "runs": []}, ensure_ascii=False, indent=1)
    return head.replace('"runs": []', f'"runs": [\n{runs}\n]') + "\n"


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
