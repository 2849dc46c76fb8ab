"""Names, docstrings and calls follow WORDS: functions are verbs, docstrings have subjects, long calls name them.

A file is short enough to be read at once, and a class's name says which class it is.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.structure import naming
from tests.structure.sources import CHECKER, LOGS, MODEL, RISK, ROOT, TOYS, name_of, nodes, python_files, source, tree

from isrcheck.ir.property_kinds import DEADLOCK, INVARIANT, REACHABLE, STEP

RULES = (naming.wrong_names, naming.wrong_docstrings, naming.long_calls)
# Public names of models, which traces and schedules have; a field of an outcome's JSON; an element of Raft's log.
DELIBERATE = {
    "checker/isrcheck/run/parts.py": {"text"},
    "model/isrmodel/kraft/state.py": {"seen"},
    "model/isrmodel/raft/published/messages.py": {"Entry", "entry"},
    "model/isrmodel/raft/published/pulling.py": {"Entry", "entry"},
    "model/isrmodel/raft/state.py": {"Entry"},
}


def violations(file: Path) -> Iterator[str]:
    allowed = {f"{name} fits everything" for name in DELIBERATE.get(name_of(file), ())}
    for rule in RULES:
        yield from (f"{name_of(file)}:{line}: {what}" for line, what in rule(tree(file)) if what not in allowed)


def files() -> tuple[Path, ...]:
    return python_files(CHECKER, MODEL, RISK, TOYS, ROOT / "brokers", ROOT / "tools")


@pytest.mark.heavy(reason="reads every file of the project")
def test_names_and_docstrings_follow_the_rules() -> None:
    assert [each for file in files() for each in violations(file)] == []


@pytest.mark.parametrize(
    ("rule", "source"),
    [
        (naming.wrong_names, "def told(): ..."),
        (naming.wrong_names, "def _asked(): ..."),
        (naming.wrong_names, "def searched_states(): ..."),
        (naming.wrong_names, "def weigh(): ..."),
        (naming.wrong_names, "for part in x: ..."),
        (naming.wrong_names, "def f(text): ..."),
        (naming.wrong_names, "self.found = 1"),
        (naming.wrong_names, "[word for word in x]"),
        (naming.wrong_docstrings, 'def f():\n    """Of one."""'),
        (naming.wrong_docstrings, 'def f():\n    """Raises UsageError."""'),
        (naming.wrong_docstrings, 'class A:\n    """It got more slots."""'),
        (naming.wrong_docstrings, 'class A:\n    """`open`: policies that no class fills."""'),
        (naming.wrong_docstrings, 'def f():\n    """False if no unit is left."""'),
        (naming.long_calls, "f(1, 2, 3, 4, 5, 6, 7)"),
    ],
)
def test_a_violation_is_reported(rule: Callable[[ast.AST], Iterator[object]], source: str) -> None:
    assert [*rule(ast.parse(source))]


@pytest.mark.parametrize(
    "source",
    [
        "def need(): ...",
        "def string(): ...",
        'def f():\n    """At most one process is inside."""',
        "@property\ndef pruned(self): ...",
        "@invariant\ndef acked_present(self): ...",
        "f(1, 2, 3, 4, 5, 6, g=7)",
        "words = 1",
    ],
)
def test_a_name_that_follows_the_rules_is_not_reported(source: str) -> None:
    parsed = ast.parse(source)
    assert [*naming.wrong_names(parsed), *naming.wrong_docstrings(parsed), *naming.long_calls(parsed)] == []


LONGEST = 400


def test_no_file_is_longer_than_400_lines() -> None:
    lengths = {name_of(file): len(source(file).splitlines()) for file in python_files(CHECKER, MODEL, RISK, TOYS, LOGS)}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST} == {}


def test_no_two_classes_of_the_checker_share_a_name() -> None:
    places = defaultdict(set)
    for file in python_files(CHECKER):
        for node in nodes(tree(file)):
            if isinstance(node, ast.ClassDef):
                places[node.name].add(name_of(file))
    assert {name: sorted(files) for name, files in places.items() if len(files) > 1} == {}


NEVER = re.compile(
    r"""\b(
        promis(e|es|ed|ing)
        | left\ idle
        | asleep
        | made\ anew
        | held\ against
        | held\ to
        | noticed\ by
        | nobody\ notices
        | (strikes?|struck|striking)\ out
        | left\ open
        | (?<!there\ )is\ no\ (?!longer\b|more\b|other\b|older\b|faster\b)[a-z]
    )""",
    re.VERBOSE | re.IGNORECASE,
)
READ = {".css", ".html", ".j2", ".js", ".md", ".py", ".toml", ".txt", ".yml"}


def texts() -> Iterator[tuple[Path, str]]:
    named = (ROOT / name for name in ("README.md", "action.yml", "dev", "docs", "specs"))
    roots = [*named, CHECKER, MODEL, RISK, TOYS, LOGS]
    files = [file for root in roots for file in ([root] if root.is_file() else sorted(root.rglob("*")))]
    for file in files:
        if file.suffix in READ or file.name == "dev":
            yield file, file.read_text(encoding="utf-8")


def words(text: str) -> str:
    """Text as running words: names split at underscores and capitals, lines joined, marks of comments left out."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return re.sub(r"[\s_#*`\"']+", " ", apart)


def never_words(text: str) -> list[str]:
    running = words(text)
    return [running[max(0, m.start() - 30) : m.end() + 15] for m in NEVER.finditer(running)]


def test_no_text_uses_a_word_that_is_never_used() -> None:
    assert {name_of(file): uses for file, text in texts() if (uses := never_words(text))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "what it promises", "class PromisedWork", "def left_idle()", "an action asleep", '"left"\n    "open"',
        "held\n# against TLC", "3 is no constant", "nobody_notices", "lines struck out",
    ],
)  # fmt: skip
def test_a_word_is_found(text: str) -> None:
    assert never_words(text)


@pytest.mark.parametrize(
    "text",
    [
        "a compromise",
        "there is no key",
        "it is no longer there",
        "is no more than 2",
        "is no older than",
        "the left side",
    ],
)
def test_ordinary_english_is_none(text: str) -> None:
    assert not never_words(text)


NAMES = {kind.name for kind in (INVARIANT, STEP, REACHABLE, DEADLOCK)}
HOME = CHECKER / "ir" / "property_kinds.py"


def compared(module: ast.Module) -> Iterator[int]:
    """The lines in which the name of a kind is compared, or looked up."""
    for node in nodes(module):
        parts: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Dict):
            parts = [key for key in node.keys if key]
        elif isinstance(node, ast.MatchValue):
            parts = [node.value]
        elif isinstance(node, ast.keyword) and node.arg in ("kind", "role"):
            parts = [node.value]
        yield from (node.lineno for part in parts if NAMES & set(literals(part)) and hasattr(node, "lineno"))


def literals(part: ast.expr) -> Iterator[str]:
    parts = part.elts if isinstance(part, ast.Tuple | ast.List | ast.Set) else [part]
    yield from (p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str))


# A word of the language that authors may not use, and a flag of the command line: neither is a kind.
OTHERS = {"lang/refused.py", "commands/mutate.py"}


def test_no_other_module_compares_kinds_by_name() -> None:
    files = [f for f in CHECKER.rglob("*.py") if f != HOME and f.relative_to(CHECKER).as_posix() not in OTHERS]
    assert len(files) > 100
    assert [f"{f.relative_to(ROOT)}:{n}" for f in files for n in compared(tree(f))] == []


@pytest.mark.parametrize("text", ['k == "step"', 'k in ("invariant", "x")', '{"reachable": 1}', 'f(kind="deadlock")'])
def test_a_comparison_is_found(text: str) -> None:
    assert list(compared(ast.parse(text))) == [1]


def test_other_uses_of_the_words_are_none() -> None:
    assert list(compared(ast.parse('print("step"); f("invariant", word="step")'))) == []
