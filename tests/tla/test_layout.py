"""Where parentheses and line breaks go."""

import pytest

from isrcheck.tla.layout import WIDTH, definition, on_one_line
from isrcheck.tla.terms import Bind, Binder, Definition, If, Infix, Junction, Lexeme, Prefix, Prime, Term

A, B, C = Lexeme("a"), Lexeme("b"), Lexeme("c")


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (Infix("-", A, Infix("-", B, C)), "a - (b - c)"),
        (Infix("-", Infix("-", A, B), C), "a - b - c"),
        (Prefix("-", Prefix("-", A)), "-(-a)"),  # -- is an operator of its own
        (Infix("-", A, Prefix("-", B)), "a - (-b)"),
        (Infix("%", Infix("+", A, B), C), "(a + b) % c"),
        (Infix("=", Infix("=", A, B), C), "(a = b) = c"),
        (Junction("/\\", (A, Junction("\\/", (B, C)))), "a /\\ (b \\/ c)"),
        (Infix("=>", Infix("=>", A, B), C), "(a => b) => c"),
        (Prefix("~", Infix("=", A, B)), "~(a = b)"),
        (Prime(Infix("+", A, B)), "(a + b)'"),
        (Infix("+", If(A, B, C), C), "(IF a THEN b ELSE c) + c"),
        (Junction("/\\", (Binder("\\A", (Bind(("x",), A),), B), C)), "(\\A x \\in a : b) /\\ c"),
        (Infix("\\in", A, Infix("..", Lexeme("0"), Infix("-", B, C))), "a \\in 0..(b - c)"),
    ],
)
def test_parentheses_stand_where_they_are_needed(term: Term, text: str) -> None:
    assert on_one_line(term) == text


def test_what_does_not_fit_is_a_list() -> None:
    long = tuple(Infix("=", Lexeme("v" * 20 + str(n)), Lexeme("w" * 20)) for n in range(4))
    lines = definition(Definition("Init", (), Junction("/\\", long)))
    assert lines[0] == "Init =="
    assert all(line.startswith("    /\\ ") for line in lines[1:])
    assert max(map(len, lines)) <= WIDTH


def test_a_quantifier_before_an_implication_ends_before_it() -> None:
    """Else it would take in the implication, and the property would be another one."""
    for_all = Binder("\\A", (Bind(("x",), A),), Infix("<=", Lexeme("v" * 30), B))
    said = Infix("=>", Junction("/\\", (C, for_all)), Lexeme("w" * 60))
    assert on_one_line(said) == f"c /\\ (\\A x \\in a : {'v' * 30} <= b) => {'w' * 60}"
    assert definition(Definition("Said", (), said)) == [
        "Said ==",
        f"    c /\\ (\\A x \\in a : {'v' * 30} <= b) =>",
        f"        {'w' * 60}",
    ]


def test_an_implication_below_another_has_parentheses() -> None:
    """TLA+ has no order between two of them: SANY refuses it."""
    said = Infix("=>", Lexeme("g" * 50), Infix("=>", Lexeme("h" * 30), Lexeme("i" * 30)))
    assert definition(Definition("Said", (), said)) == [
        "Said ==",
        f"    {'g' * 50} =>",
        f"        ({'h' * 30} => {'i' * 30})",
    ]
