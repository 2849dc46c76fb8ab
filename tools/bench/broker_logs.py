"""Logs of a large cluster, made from recorded runs: each partition is one of them, renamed; lines are mixed by time.

    python -m tools.bench.broker_logs DIR --partitions 10000 --megabytes 1024 --runs RUNS/steady-4.1.1 RUNS/isr-4.1.1

writes DIR/brokerN/server.log of at most so many megabytes for each of three brokers, and DIR/controller/controller.log.
If the partitions do not fill them, their runs are told again, of other topics. Runs are of one release, and no broker
stops in them, as it would stop for all partitions. DIR/planted.json names the partitions that lost a record: in the
end a follower fetches again what the high watermark has passed, and stays in the ISR.
"""

import argparse
import heapq
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from operator import itemgetter
from pathlib import Path

from tests.observe.runs import RECORDED, log_lines

from isrlogs.observe.layout import Reader

RUNS = [RECORDED / "zombie-3.9.1"]
FILES = ("broker1/server.log", "broker2/server.log", "broker3/server.log", "controller/controller.log")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\.(\d{3})\d*(.*)")
_ID = re.compile(r"with topic id (?:Some\()?([\w-]{22})")
_NAME = re.compile(r"\btv(?=-0\b|, partition=0\b| with topic ID|')|(?<=for topic )tv$")
_FETCHES = re.compile(r"(Recorded replica (\d+) log end offset \(LEO\) position )(\d+)")
_FETCHES_AGAIN = 3  # the first may be a line that changed its place, the second is noticed
_TOPIC, _TOPIC_ID = "\1", "\2"
_BEGIN_MS = 1_795_305_600_000  # 2026-11-22

Line = tuple[int, str]  # milliseconds, and the line behind its time


@dataclass(frozen=True)
class Script:
    """A recorded run's lines about its partition, by FILES, each with its time since the run began."""

    files: tuple[tuple[Line, ...], ...]

    @cached_property
    def length(self) -> int:
        return max(ms for lines in self.files for ms, _ in lines)

    @cached_property
    def size(self) -> int:
        """The bytes of the longest file."""
        return max(sum(len(message) + 60 for _, message in lines) for lines in self.files)

    @cached_property
    def damaged(self) -> "Script | None":
        """The script with the record lost; None if no follower fetches often enough."""
        for number, lines in enumerate(self.files):
            fetches = [(match[2], int(match[3])) for _, message in lines if (match := _FETCHES.search(message))]
            last = dict(fetches)
            for follower, offset in last.items():
                if fetches.count((follower, offset)) >= _FETCHES_AGAIN and offset:
                    lost = tuple((ms, _behind(message, follower, offset)) for ms, message in lines)
                    return Script((*self.files[:number], lost, *self.files[number + 1 :]))
        return None


def _behind(message: str, follower: str, offset: int) -> str:
    match = _FETCHES.search(message)
    is_it = match is not None and (match[2], int(match[3])) == (follower, offset)
    return _FETCHES.sub(rf"\g<1>{offset - 1}", message) if is_it else message


def script(folder: Path) -> Script:
    reader = Reader()
    names = [f"{Path(file).parent}.log.gz" for file in FILES]
    lines = [log_lines(folder / name) if (folder / name).exists() else [] for name in names]
    topic_id = next(match[1] for line in chain(*lines) if (match := _ID.search(line)))
    kept = [
        [
            (reader.wall_ms(match[1], match[2]), _NAME.sub(_TOPIC, match[3]).replace(topic_id, _TOPIC_ID))
            for line in own
            if (match := _TIME.fullmatch(line)) and (_NAME.search(line) or topic_id in line)
        ]
        for own in lines
    ]
    began = min(ms for own in kept for ms, _ in own)
    return Script(tuple(tuple((ms - began, message) for ms, message in own) for own in kept))


@dataclass(frozen=True)
class Partition:
    """One partition of the large cluster, which begins some time after the others."""

    number: int
    script: Script
    begins: int
    rounds: int  # how often the run is told, each time of another topic
    corrupt: bool

    def lines(self, file: int) -> Iterator[Line]:
        script = self.script.damaged if self.corrupt else self.script
        assert script is not None
        for turn in range(self.rounds):
            topic, topic_id = f"t{self.number}-{turn}", f"{self.number:011}{turn:011}"
            begins = self.begins + turn * self.script.length
            for at, message in script.files[file]:
                yield begins + at, message.replace(_TOPIC, topic).replace(_TOPIC_ID, topic_id)


def partitions(
    runs: Sequence[Path], count: int, bytes_a_broker: int, hours: float, corrupt: int, seed: int
) -> list[Partition]:
    scripts = [script(folder) for folder in runs]
    rounds = max(1, bytes_a_broker // (count * sum(each.size for each in scripts) // len(scripts)))
    chance = random.Random(seed)
    able = [number for number in range(count) if scripts[number % len(scripts)].damaged]
    planted = set(chance.sample(able, corrupt))
    return [
        Partition(
            number,
            scripts[number % len(scripts)],
            # What is planted comes early, so that no end of a file cuts it off.
            _BEGIN_MS + int(3_600_000 * hours * chance.random() * (0.1 if number in planted else 1)),
            rounds,
            number in planted,
        )
        for number in range(count)
    ]


def write(folder: Path, planned: list[Partition], most: int) -> None:
    for number, name in enumerate(FILES):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        written, second, day = 0, 0, ""
        with file.open("w", encoding="utf-8") as stream:
            for at, message in heapq.merge(*(each.lines(number) for each in planned), key=itemgetter(0)):
                if at // 1000 != second:
                    second = at // 1000
                    day = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%d %H:%M:%S")
                line = f"{day}.{at % 1000:03}{message}\n"
                stream.write(line)
                written += len(line)
                if written > most:
                    break
    planted = [f"t{each.number}-{turn}" for each in planned if each.corrupt for turn in range(each.rounds)]
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
