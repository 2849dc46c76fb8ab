"""Logs of a large cluster, made from recorded runs: each partition is one of them, renamed; lines are mixed by time.

    python -m tests.observe.generate DIR --partitions 10000 --megabytes 1024 --runs RUNS/steady-4.1.1 RUNS/crash-3.9.1

writes DIR/brokerN/server.log of at most so many megabytes for each of three brokers. If the partitions do not fill
them, their runs are told again, of other topics. DIR/planted.json names the partitions that lost a record: in their
logs a later leader begins one record too early.
"""

import argparse
import heapq
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from tests.observe.runs import RECORDED, log_lines

RUNS = [RECORDED / "zombie-3.9.1", RECORDED / "stall2-4.1.1"]  # which lost nothing
_TIME = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})(\d*)(.*)")
_OF_THE_PARTITION = re.compile(r"\btv-0\b|topic=tv, partition=0")
_LEADS_FROM = re.compile(r"(starts at leader epoch 1 from offset )(\d+)")
_FORMAT = "%Y-%m-%d %H:%M:%S.%f"


@dataclass(frozen=True)
class Script:
    """A recorded run's lines about its partition by broker, each with its time since the run began."""

    brokers: tuple[tuple[tuple[timedelta, str], ...], ...]
    topic_id: str

    def elects_again(self) -> bool:
        return any(_LEADS_FROM.search(text) for own in self.brokers for _, text in own)


def script(folder: Path) -> Script:
    files = sorted(folder.glob("broker*.log.gz"))
    lines = [[match for line in log_lines(file) if (match := _TIME.fullmatch(line))] for file in files]
    began = min(datetime.strptime(match[1], _FORMAT) for own in lines for match in own)
    kept = tuple(
        tuple(
            (datetime.strptime(match[1], _FORMAT) - began, match[3])
            for match in own
            if _OF_THE_PARTITION.search(match[3])
        )
        for own in lines
    )
    found = next(re.finditer(r"with topic id (?:Some\()?([\w-]{22})", "".join(text for own in kept for _, text in own)))
    return Script(kept, found[1])


@dataclass(frozen=True)
class Partition:
    """One partition of the large cluster, which begins some time after the others."""

    number: int
    script: Script
    begins: datetime
    rounds: int  # how often the run is told, each time of another topic
    corrupt: bool

    def lines(self, broker: int) -> Iterator[tuple[datetime, str]]:
        own = self.script.brokers[broker] if broker < len(self.script.brokers) else ()
        length = max(at for lines in self.script.brokers for at, _ in lines)
        for turn in range(self.rounds):
            topic, topic_id = f"t{self.number}-{turn}", f"{self.number:011}{turn:011}"
            for at, text in own:
                text = text.replace("tv-0", f"{topic}-0").replace("topic=tv,", f"topic={topic},")
                text = text.replace("'tv'", f"'{topic}'").replace(self.script.topic_id, topic_id)
                if self.corrupt:
                    text = _LEADS_FROM.sub(lambda m: f"{m[1]}{int(m[2]) - 1}", text)
                yield self.begins + turn * length + at, text


def partitions(
    runs: Sequence[Path], count: int, bytes_a_broker: int, hours: float, corrupt: int, seed: int
) -> list[Partition]:
    scripts = [script(folder) for folder in runs]
    size = max(sum(len(text) + 24 for _, text in own) for each in scripts for own in each.brokers)
    rounds = max(1, round(bytes_a_broker / (count * size)))
    chance = random.Random(seed)
    able = [number for number in range(count) if scripts[number % len(scripts)].elects_again()]
    planted = set(chance.sample(able, corrupt))
    return [
        Partition(
            number,
            scripts[number % len(scripts)],
            # What is planted comes early, so that no end of a file cuts it off.
            datetime(2026, 11, 22) + timedelta(hours=hours * chance.random() * (0.1 if number in planted else 1)),
            rounds,
            number in planted,
        )
        for number in range(count)
    ]


def write(folder: Path, made: list[Partition], most: int) -> None:
    for broker in range(3):
        file = folder / f"broker{broker + 1}" / "server.log"
        file.parent.mkdir(parents=True, exist_ok=True)
        written = 0
        with file.open("w", encoding="utf-8") as stream:
            for at, text in heapq.merge(*(each.lines(broker) for each in made), key=lambda line: line[0]):
                line = f"{at.strftime(_FORMAT)[:-3]}{text}\n"
                stream.write(line)
                written += len(line)
                if written > most:
                    break
    planted = [f"t{each.number}-{turn}" for each in made if each.corrupt for turn in range(each.rounds)]
    (folder / "planted.json").write_text(json.dumps(planted), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--partitions", type=int, default=10_000)
    parser.add_argument("--megabytes", type=int, default=1024, help="of each broker's log")
    parser.add_argument("--runs", type=Path, nargs="+", default=RUNS, help="folders of recorded runs")
    parser.add_argument("--hours", type=float, default=1.0, help="within which partitions begin")
    parser.add_argument("--corrupt", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    size = asked.megabytes << 20
    write(asked.folder, partitions(asked.runs, asked.partitions, size, asked.hours, asked.corrupt, asked.seed), size)


if __name__ == "__main__":
    main()
