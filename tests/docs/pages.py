"""The commands that a page shows, each with what the page says it prints."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCED = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:^    .*\n(?:\n(?=    ))*)+", re.MULTILINE)
_PYTHON = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"(?:\$ )?(?=isrcheck |python -m isrcheck|\./dev |cd |pip )")
_SECONDS = re.compile(r"\b\d+(\.\d+)? (s|seconds)\b")
_PACE = re.compile(r",\s+\d+(\.\d+)?\s+(s|min|h)(\s+at\s+the\s+pace\s+so\s+far)?(?=[.,])")
_EXIT = re.compile(r"exit (\d+)(, as expected)?")
_PROGRESS = re.compile(r"\b[\d,]+ of (?=[\d,]+ instances)")


@dataclass(frozen=True)
class Example:
    """One command of a page, the remark behind it, and the lines beneath it."""

    page: str
    command: str
    remark: str
    printed: tuple[str, ...]


def pages() -> list[str]:
    """Return the pages that a user reads, by their paths in the checkout."""
    return ["README.md", *sorted(page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").glob("*.md"))]


def content(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def examples(page: str) -> list[Example]:
    """Return the commands of a page in their order."""
    fenced = [block for kind, block in _FENCED.findall(content(page)) if kind in ("", "console", "sh")]
    indented = _INDENTED.findall(_FENCED.sub("", content(page)))
    blocks = [*fenced, *(re.sub("^    ", "", block, flags=re.MULTILINE) for block in indented)]
    return [example for block in blocks for example in _examples_of_block(page, block)]


def _examples_of_block(page: str, block: str) -> Iterator[Example]:
    lines = iter(block.replace("\\\n", " ").splitlines())
    shown: list[tuple[str, list[str]]] = []
    for line in lines:
        if begin := _COMMAND.match(line):
            shown.append((line[begin.end() :], []))
        elif shown:
            shown[-1][1].append(line)
    for line, printed in shown:
        command, remark = split(line)
        yield Example(page, command, remark, tuple(each.strip() for each in printed if each.strip()))


def split(line: str) -> tuple[str, str]:
    """Split a line into its command and its remark: what follows a '#', or five spaces where no option does."""
    command, _, remark = line.partition(" # ")
    if not remark and (wide := re.search(r"\S {5,}(?=[a-z0-9])", command)):
        command, remark = command[: wide.start() + 1], command[wide.end() :]
    return " ".join(command.split()), remark.strip()


def class_source(page: str, name: str) -> str:
    """Return the Python of a page, or of the README, that defines a class."""
    for where in (page, "README.md"):
        for code in _PYTHON.findall(content(where)):
            if re.search(rf"^class {name}\b", code, re.MULTILINE):
                return str(code)
    raise LookupError(f"{page} has no Python with a class {name}")


def differences(example: Example, output: str) -> list[str]:
    """Return the lines beneath a command that its output lacks, or has in another order; seconds may differ."""
    rest, missing = comparable(output), []
    for line in example.printed:
        if line == "..." or _EXIT.fullmatch(line):
            continue
        _, found, behind = rest.partition(comparable(line))
        if found:
            rest = behind
        else:
            missing.append(line)
    return missing


def comparable(output: str) -> str:
    """Return an output in one line, without box drawing and what depends on the machine."""
    steady = _PROGRESS.sub("N of ", _SECONDS.sub("T s", _PACE.sub("", re.sub(r"[│|]", " ", output))))
    return " ".join(steady.split())


def exit_codes(example: Example) -> set[int]:
    """Return the exit codes that a page allows: the one it prints, else those of its verdict, or of any verdict."""
    if stated := [int(code[1]) for code in map(_EXIT.fullmatch, example.printed) if code]:
        return set(stated)
    if re.search(r"\bviolated\b", example.remark):
        return {12, 13}
    return {0} if re.match(r"holds\b", example.remark) else {0, 10, 11, 12, 13, 20, 21}


# By what the command has in it.
KINDS = {
    r"/data/|/var/log/|\bHOST\b|\[8\]": "names a machine or a disk of the reader's",
    r" trace\.json|\b(RUN|EVENTS|FILE|CHECKOUT|TOPICS|TLC\.json|SPEC\.toml)\b": "names a file of the reader's",
    r"--on kafka|stall3-4\.1\.1": "needs brokers, with Java and Kafka",
    r"--open|^isrcheck lsp": "goes on until the reader ends it",
    r"^(cd|pip|\./dev)\b": "needs what a test does not install or build",
    r"--engine gpu": "needs a GPU; tests/gpu/test_commands.py has an emulated one",
    r"java -cp": "needs Java and TLC",
    r"missed-4\.1\.1": "reads a record that is not kept in git",
    r"--engine spark|specs/sweeps/policies": "takes tens of minutes",
}
# By page and the beginning of the command.
COMMANDS = {
    ("docs/ci.md", "isrcheck gate"): "makes all runs of specs/*.toml, which tests/gate/test_own_gate.py does",
    ("docs/gate.md", "isrcheck gate"): "makes all runs of specs/*.toml, which tests/gate/test_own_gate.py does",
    ("docs/first-gate.md", ""): "tests/story/test_first_gate.py follows this page",
    ("docs/policies.md", "isrcheck check"): "tests/isr/test_policies_page.py runs these, with their verdicts",
    ("docs/install.md", "isrcheck prove"): "is shown where z3 is missing; tests/machines has such an environment",
}


def reason(page: str, command: str) -> str | None:
    """Return why a command of a page is not run; None if it is."""
    for pattern, why in KINDS.items():
        if re.search(pattern, command):
            return why
    for (where, begins), why in COMMANDS.items():
        if page == where and command.startswith(begins):
            return why
    return None
