"""Makes reports/matrix, the project's own run report: python -m tools.reports.matrix.

The published designs where they first break, one mutant of KIP-320 likewise, every ISR admission policy and the two
designs around them at their defaults, and partitions with the oldest and the newest rule for each decision.
"""

import json
import sys
from pathlib import Path
from typing import Any

from isrcheck.cli import commands
from isrcheck.files import write_aside

FOLDER = Path(__file__).parents[2] / "reports" / "matrix"

_SIZES = ["replicas", "log_size", "max_records", "max_leader_epoch"]
_PUBLISHED = {
    "truncate-to-high-watermark": ["2 1 1 1", "2 1 2 2"],
    "kip-101": ["2 2 2 2"],
    "kip-279": ["3 1 1 1", "3 1 1 2"],
    "kip-320-first-try": ["3 1 1 2"],
    "kip-320": ["2 2 2 2", "3 1 1 2"],
    "kip-320-without-epoch-start": ["3 1 1 1"],
}
_ISR = [
    "isr-original-design",
    "isr-max-messages",
    "isr-kip-16-text",
    "isr-kip-16-merged",
    "isr-kafka-4485-v1",
    "isr-kafka-4485-v2",
    "isr-kafka-4485-merged",
    "isr-kafka-7152",
    "isr-strict-min-isr",
    "isr-kafka-19996-fix",
    "isr-kip-501",
]
_ASYNC = ["async-isr", "async-isr-committed-only", "async-isr-proposed-only"]
_PARTITIONS = [
    f"partition-{policy}-{rule}"
    for policy in ("kafka-4485-v2", "kafka-7152")
    for rule in ("by-high-watermark", "kip-320")
]


def runs_of_published() -> list[str]:
    """The runs of the published designs, with an ISR that the controller never empties."""
    return [
        " ".join([model, *(f"{n}={v}" for n, v in zip(_SIZES, sizes.split(), strict=True)), "isr_may_empty=false"])
        for model, chosen in _PUBLISHED.items()
        for sizes in chosen
    ]


def words() -> list[str]:
    """The command line, but for the folder."""
    runs = [argument for run in [*runs_of_published(), *_ASYNC, *_ISR, *_PARTITIONS] for argument in ("--run", run)]
    return ["report", *runs, "--exit-zero"]


def main(folder: Path = FOLDER) -> None:
    """Makes the report in a folder; its facts, which git keeps, with one run a line."""
    commands.main([*words(), "-o", str(folder)], standalone_mode=False)
    file = folder / "facts.json"
    write_aside(file, one_run_a_line(json.loads(file.read_text(encoding="utf-8"))))


def one_run_a_line(facts: dict[str, Any]) -> str:
    """Facts as JSON, shorter than a report writes them."""
    runs = ",\n".join(json.dumps(run, ensure_ascii=False, separators=(",", ":")) for run in facts["runs"])
    head = json.dumps({**facts, "runs": []}, ensure_ascii=False, indent=1)
    return head.replace('"runs": []', f'"runs": [\n{runs}\n]') + "\n"


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
