"""A sweep's runs as files that `isrcheck report --from` reads: an outcome each, and the traces that it names."""

import json
from collections.abc import Iterable
from pathlib import Path

from isrcheck.files import file_stem, write_aside
from isrcheck.pipeline.row import Row


def write_outcomes(rows: Iterable[Row], folder: Path) -> int:
    """Writes MODEL-KEY.json for each run with an outcome, its traces beside it; returns how many there are.

    Raises UsageError if one cannot be written.
    """
    written = 0
    for row in rows:
        if row["outcome"] is None:
            continue
        stem = f"{file_stem(row['model'].rpartition('/')[2])}-{row['key'][:12]}"
        outcome = json.loads(row["outcome"])
        for said, found in zip(outcome["properties"], row["properties"], strict=True):
            if found["trace"]:
                said["trace"]["file"] = f"{stem}-{found['name']}.json"
                write_aside(folder / said["trace"]["file"], found["trace"])
        write_aside(folder / f"{stem}.json", json.dumps(outcome, indent=1, ensure_ascii=False) + "\n")
        written += 1
    return written
