"""The ten best-known bugs as pages on which one walks: made by the commands that a reader would type."""

import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from isrcheck.cli import commands


@dataclass(frozen=True)
class Bug:
    """A bug of Kafka or of a design, and the run that shows it."""

    name: str
    ticket: str
    story: str
    check: str  # what follows `isrcheck check`
    steps: int
    page: str  # of docs/, where it is told
    cycle: int = 0  # how many of the steps go round for ever

    @property
    def file(self) -> str:
        """The trace that `check --trace-dir` writes."""
        words = shlex.split(self.check)
        return f"{words[0]}-{words[words.index('--property') + 1]}.json"

    @property
    def shown(self) -> str:
        """The command that makes the page of a trace."""
        return f"render {self.file} --to html" if self.cycle else f"explore {self.file}"

    @property
    def end(self) -> str:
        """The end of the sentence on a violation: after how many steps, as isrcheck says it."""
        cycle = f"by a cycle of {self.cycle} steps " if self.cycle else ""
        return f"is violated {cycle}after {self.steps - self.cycle}"


BUGS = tuple(
    Bug(**bug) for bug in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["bug"]
)

_HEAD = """# The ten best-known bugs, step by step

Each page opens at the violation. There you go back along the path, and from any state you take any enabled step
([explorer](../docs/explore.md)). The traces are the shortest ones, of models; which brokers did the same is in
[findings](../docs/findings.md) and [policies](../docs/policies.md#on-brokers).

| bug | what goes wrong | steps | told in |
|---|---|--:|---|
"""


def index() -> str:
    """The page that lists them, with the two commands that make each page."""
    rows = [f"| [{b.ticket}]({b.name}.html) | {b.story} | {b.steps} | [{b.page}](../docs/{b.page}.md) |" for b in BUGS]
    return _HEAD + "\n".join(rows) + "\n\n## The commands\n\n" + "\n".join(map(_commands, BUGS))


def _commands(bug: Bug) -> str:
    return f"{bug.ticket}:\n\n    isrcheck check {bug.check} --stop-at-first --trace-dir .\n    isrcheck {bug.shown}\n"


def write_bugs(folder: Path) -> None:
    """Makes every page."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.md").write_text(index(), encoding="utf-8")
    for bug in BUGS:
        write_bug(bug, folder / f"{bug.name}.html")


def write_bug(bug: Bug, file: Path) -> None:
    """Makes one page."""
    with TemporaryDirectory() as traces:
        for words in _calls(bug, Path(traces), file):
            commands.main(words, standalone_mode=False)


def _calls(bug: Bug, traces: Path, file: Path) -> Iterator[list[str]]:
    """The two commands of a page, with the folder and the file that are meant."""
    yield ["check", *shlex.split(bug.check), "--stop-at-first", "--trace-dir", str(traces)]
    shown = [str(traces / argument) if argument == bug.file else argument for argument in shlex.split(bug.shown)]
    yield [*shown, "-o", str(file)]
