"""The grammar is closed: whatever Python's syntax has is taken or refused by name; the page has what is taken."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.lang.written import explore_both, load_model

from isrcheck.errors import ModelError
from isrcheck.lang.expressions import BUILTINS, EXPRESSIONS
from isrcheck.lang.operators import COMPARISONS, CONNECTIVES, OPERATORS, SIGNS
from isrcheck.lang.read import read_model
from isrcheck.lang.refused import REFUSED_EXPRESSIONS, REFUSED_OPERATORS, REFUSED_SIGNS, REFUSED_STATEMENTS
from isrcheck.lang.statements import STATEMENTS
from isrcheck.passes import bind, lower

PAGE = Path(__file__).parents[2] / "docs" / "language.md"

TAKEN: dict[type[ast.AST], Iterable[type[ast.AST]]] = {
    ast.stmt: STATEMENTS,
    ast.expr: EXPRESSIONS,
    ast.operator: OPERATORS,
    ast.unaryop: SIGNS,
    ast.boolop: CONNECTIVES,
    ast.cmpop: COMPARISONS,
}
REFUSED: dict[type[ast.AST], dict[str, tuple[str, str]]] = {
    ast.stmt: REFUSED_STATEMENTS,
    ast.expr: REFUSED_EXPRESSIONS,
    ast.operator: REFUSED_OPERATORS,
    ast.unaryop: REFUSED_SIGNS,
    ast.boolop: {},
    ast.cmpop: {},
}

# Parts of syntax that are neither a statement nor an expression nor an operator, and who decides about them.
PARTS: dict[str, str] = {
    "arg": "parameters are plain, and have types",
    "arguments": "parameters are plain, and have types",
    "keyword": "read with the call that it stands in",
    "comprehension": "read with the generator that it stands in",
    "expr_context": "told by where an expression stands",
    "alias": "refused with import",
    "excepthandler": "refused with try",
    "withitem": "refused with with",
    "match_case": "read with the match that it stands in",
    "pattern": "taken or refused in lang/matching.py, with the match that it stands in",
    "type_param": "a method with type parameters is refused",
    "type_ignore": "a comment",
    "mod": "a whole file",
    "slice": "a name that Python 3.8 gave up",
}


def syntax_classes() -> list[type[ast.AST]]:
    """Every class of Python's syntax that a parser makes, without those that stand for an older Python's constants."""
    found = [v for v in vars(ast).values() if isinstance(v, type) and issubclass(v, ast.AST)]
    kinds = [v for v in found if v.__module__ in ("ast", "_ast") and v is not ast.AST]
    return [v for v in kinds if not issubclass(v, ast.Constant) or v is ast.Constant]


def group_of(kind: type[ast.AST]) -> type[ast.AST]:
    """The group that a class belongs to, such as expr; itself if it stands alone."""
    while kind.__base__ not in (ast.AST, None):
        assert kind.__base__ is not None
        kind = kind.__base__
    return kind


@pytest.mark.parametrize("kind", syntax_classes(), ids=lambda kind: kind.__name__)
def test_every_class_of_pythons_syntax_is_taken_or_refused(kind: type[ast.AST]) -> None:
    group = group_of(kind)
    if group in TAKEN:
        if kind is group:
            return
        taken, refused = kind in set(TAKEN[group]), kind.__name__ in REFUSED[group]
        assert taken != refused, f"{kind.__name__} is {'both taken and refused' if taken else 'neither'}"
    else:
        assert group.__name__ in PARTS, f"nothing is said of {kind.__name__}"


def test_no_name_is_taken_and_refused() -> None:
    for group, table in TAKEN.items():
        assert not {kind.__name__ for kind in table} & set(REFUSED[group])


def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def page_model() -> str:
    """The model on the page, to which the examples belong."""
    return page().partition("```python\n")[2].partition("```")[0]


def rows(*titles: str) -> list[list[str]]:
    """The rows of some of the page's tables, as cells."""
    sections = [page().partition(f"### {title}\n")[2].partition("\n##")[0] for title in titles]
    lines = [line for line in "\n".join(sections).splitlines() if re.match(r"\| [^|]", line)]
    return [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def examples(cell: str) -> list[str]:
    """The examples in a cell; the lines of one are divided by <br>."""
    return [part.replace("`<br>`", "\n").strip("`") for part in cell.split("`, `") if part != "—"]


def test_the_model_on_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = explore_both(load_model(page_model(), tmp_path, monkeypatch))
    assert set(seen.paths) == {"something_commits"}
    assert (seen.distinct, seen.depth) == (9, 5)


def example_model(example: str) -> str:
    """The page's model with an example as one more helper, called by one more method."""
    body = "\n".join(f"        {line}" for line in example.splitlines())
    if example.startswith("return"):
        call = "@action\n    def try_it(self, r: Replica, n: Offset) -> None:\n        self.hw[r] = self.example(r, n)"
        return f"{page_model()}\n    def example(self, r: Replica, n: Offset) -> Offset:\n{body}\n\n    {call}\n"
    return f"{page_model()}\n    @action\n    def example(self, r: Replica, n: Offset) -> None:\n{body}\n"


TAKEN_EXAMPLES = [
    example for row in rows("Statements", "Expressions", "Functions", "Operators") for example in examples(row[1])
]


def test_every_construct_has_an_example() -> None:
    shown = {type(node) for example in TAKEN_EXAMPLES for node in ast.walk(ast.parse(example))}
    assert {kind.__name__ for table in TAKEN.values() for kind in table if kind not in shown} == set()
    assert [row[0] for row in rows("Functions")] == [f"`{name}`" for name in BUILTINS]
    assert all(name in row[1] for name, row in zip(BUILTINS, rows("Functions"), strict=True))


REFUSED_EXAMPLES = tomllib.loads((Path(__file__).parent / "refused.toml").read_text(encoding="utf-8"))
REMEDIES = {
    what.rstrip(","): remedy
    for table in (REFUSED_STATEMENTS, REFUSED_EXPRESSIONS, REFUSED_OPERATORS, REFUSED_SIGNS)
    for what, remedy in table.values()
}


def test_every_refused_syntax_has_an_example() -> None:
    """Except `nonlocal` and `await`, which need a function around the method."""
    assert list(REFUSED_EXAMPLES) == list(REMEDIES)
    assert [what for what, shown in REFUSED_EXAMPLES.items() if not shown] == ["nonlocal", "await"]


@pytest.mark.parametrize("example", TAKEN_EXAMPLES)
def test_what_the_page_says_is_taken(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_model(example_model(example), tmp_path, monkeypatch)
    assert lower(bind(read_model(model), {})).instances


NEWER = {"type Two = int": (3, 12), 'require(self.pace == t"{n}")': (3, 14)}


@pytest.mark.parametrize(
    ("what", "example"), [(what, each) for what, shown in REFUSED_EXAMPLES.items() for each in shown]
)
def test_what_is_refused_says_what_to_write_instead(
    what: str, example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.version_info < NEWER.get(example, (3, 11)):
        pytest.skip(f"Python has this from {NEWER[example]}")
    model = load_model(example_model(example), tmp_path, monkeypatch)
    with pytest.raises(ModelError) as caught:
        read_model(model)
    assert caught.value.remedy == REMEDIES[what]
    assert what in caught.value.sentence
