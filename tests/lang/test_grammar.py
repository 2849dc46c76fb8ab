"""The grammar is closed: whatever Python's syntax has is taken or refused by name, and the page says which."""

import ast
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.lang.engines import explore_both
from tests.lang.written import load_model

from isrcheck.errors import ModelError
from isrcheck.lang import grammar
from isrcheck.lang.expressions import EXPRESSIONS
from isrcheck.lang.operators import COMPARISONS, CONNECTIVES, OPERATORS, SIGNS
from isrcheck.lang.read import read_model
from isrcheck.lang.refused import REFUSED_EXPRESSIONS, REFUSED_OPERATORS, REFUSED_SIGNS, REFUSED_STATEMENTS
from isrcheck.lang.statements import STATEMENTS
from isrcheck.passes import bind, lower

PAGE = Path(__file__).parents[2] / "docs" / "language.md"
BEGIN = "<!-- Made by `python -m isrcheck.lang.grammar`; a test holds it to the reader. -->\n"
END = "<!-- End of what is made. -->\n"

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
        assert group.__name__ in grammar.PARTS, f"nothing is said of {kind.__name__}"


def test_no_name_is_taken_and_refused() -> None:
    for group, table in TAKEN.items():
        assert not {kind.__name__ for kind in table} & set(REFUSED[group])


def test_every_construct_has_an_example() -> None:
    """But for `nonlocal` and `await`, which need a function around the method."""
    rows = [*grammar.taken_statements(), *grammar.taken_expressions(), *grammar.functions(), *grammar.operators()]
    assert [row.what for row in rows if not row.examples] == []
    assert [row.what for row in grammar.refused() if not row.examples] == ["nonlocal", "await"]
    named = {name for row in [*rows, *grammar.refused()] for name in row.classes}
    assert set(grammar.EXAMPLES) <= named


def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def page_model() -> str:
    """The model on the page, to which the examples belong."""
    return page().partition("```python\n")[2].partition("```")[0]


def test_the_page_holds_the_tables_of_the_reader() -> None:
    before, begin, rest = page().partition(BEGIN)
    made, end, after = rest.partition(END)
    assert begin
    assert end
    if os.environ.get("ISRCHECK_ACCEPT"):
        PAGE.write_text(f"{before}{begin}{grammar.tables()}\n{end}{after}", encoding="utf-8")
    else:
        assert made == grammar.tables() + "\n"


def test_the_model_on_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = explore_both(load_model(page_model(), tmp_path, monkeypatch))
    assert set(seen.found) == {"something_commits"}
    assert (seen.distinct, seen.depth) == (9, 5)


def example_model(example: str) -> str:
    """The page's model with an example as one more helper, called by one more method."""
    body = "\n".join(f"        {line}" for line in example.splitlines())
    if example.startswith("return"):
        call = "@action\n    def try_it(self, r: Replica, n: Offset) -> None:\n        self.hw[r] = self.example(r, n)"
        return f"{page_model()}\n    def example(self, r: Replica, n: Offset) -> Offset:\n{body}\n\n    {call}\n"
    return f"{page_model()}\n    @action\n    def example(self, r: Replica, n: Offset) -> None:\n{body}\n"


TAKEN_EXAMPLES = [
    example
    for row in [
        *grammar.taken_statements(),
        *grammar.taken_expressions(),
        *grammar.functions(),
        *grammar.operators(),
    ]
    for example in row.examples
]


@pytest.mark.parametrize("example", TAKEN_EXAMPLES)
def test_what_the_page_says_is_taken(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_model(example_model(example), tmp_path, monkeypatch)
    assert lower(bind(read_model(model), {})).instances


REFUSED_EXAMPLES = [(name, row) for row in grammar.refused() for name in row.classes if name in grammar.EXAMPLES]
NEWER = {"TypeAlias": (3, 12), "TemplateStr": (3, 14)}


@pytest.mark.parametrize(("name", "row"), REFUSED_EXAMPLES, ids=[name for name, _ in REFUSED_EXAMPLES])
def test_what_the_page_says_is_refused(
    name: str, row: grammar.Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.version_info < NEWER.get(name, (3, 11)):
        pytest.skip(f"Python has {name} from {NEWER[name]}")
    model = load_model(example_model(grammar.EXAMPLES[name]), tmp_path, monkeypatch)
    with pytest.raises(ModelError) as caught:
        read_model(model)
    assert caught.value.remedy == row.instead
    assert row.what.strip("`") in caught.value.sentence
