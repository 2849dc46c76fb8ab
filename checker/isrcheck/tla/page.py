"""The parts of a module that are not terms."""

import textwrap
from collections.abc import Iterable

from isrcheck.tla.layout import WIDTH, definition
from isrcheck.tla.terms import Definition, Term


def module_text(name: str, extends: str, lines: Iterable[str]) -> str:
    dashes = "-" * max(4, (76 - len(name) - 8) // 2)
    return "\n".join([f"{dashes} MODULE {name} {dashes}", f"EXTENDS {extends}", "", *lines, "=" * 78]) + "\n"


def rule(said: str) -> list[str]:
    return ["-" * 78, f"(* {said} *)", ""] if said else ["-" * 78, ""]


def safe(text: str) -> str:
    """Text for a comment, which nothing in it can end or nest."""
    return text.replace("(*", "( *").replace("*)", "* )").replace("\r", " ")


def comment(text: str) -> list[str]:
    if not text.strip():
        return []
    lines: list[str] = []
    for paragraph in safe(text.strip()).split("\n\n"):
        lines += [""] if lines else []
        lines += textwrap.wrap(" ".join(paragraph.split()), WIDTH - 6)
    return [
        ("(* " if i == 0 else "   ") * bool(line) + line + (" *)" if i == len(lines) - 1 else "")
        for i, line in enumerate(lines)
    ]


def declared(word: str, rows: list[tuple[str, str]]) -> list[str]:
    """CONSTANTS or VARIABLES, one a line, with what each means."""
    if not rows:
        return []
    wide = max(len(name) for name, _ in rows) + 1
    lines = [f"{word}{'S' if len(rows) > 1 else ''}"]
    for position, (name, sentence) in enumerate(rows):
        called, said = name + ("," if position < len(rows) - 1 else ""), " ".join(safe(sentence).split())
        line = f"    {called:<{wide}} \\* {said}" if sentence else f"    {called}"
        if len(line.rstrip()) > WIDTH:
            lines += [f"    \\* {row}" for row in textwrap.wrap(said, WIDTH - 8)]
            line = f"    {called}"
        lines.append(line.rstrip())
    return [*lines, ""]


def assumed(said: str, condition: Term) -> list[str]:
    first, *rest = definition(Definition("ASSUME", (), condition))
    return [*comment(said), first.replace(" ==", "", 1), *rest, ""]


def paragraph(made: Definition, said: str = "") -> list[str]:
    return [*comment(said), *definition(made), ""]


# The few operators that our modules need and the standard ones lack, each with what it is built on.
LIBRARY: dict[str, tuple[str, ...]] = {
    "Max": ("Max(a, b) == IF a >= b THEN a ELSE b",),
    "Min": ("Min(a, b) == IF a <= b THEN a ELSE b",),
    "SetMax": ("SetMax(S) == CHOOSE x \\in S : \\A y \\in S : y <= x",),
    "SetMin": ("SetMin(S) == CHOOSE x \\in S : \\A y \\in S : x <= y",),
    "MaxOr": ("MaxOr(S, none) == IF S = {} THEN none ELSE SetMax(S)",),
    "MinOr": ("MinOr(S, none) == IF S = {} THEN none ELSE SetMin(S)",),
    "Range": ("Range(f) == {f[x] : x \\in DOMAIN f}",),
    "Last": ("Last(s) == s[Len(s)]",),
    "Prefix": (
        "\\* The first n elements; all, if there are fewer.",
        "Prefix(s, n) == SubSeq(s, 1, Min(n, Len(s)))",
    ),
    "Suffix": ("\\* All but the first n elements.", "Suffix(s, n) == SubSeq(s, n + 1, Len(s))"),
    "Slice": (
        "\\* The elements after the first m, up to the n-th.",
        "Slice(s, m, n) == SubSeq(s, m + 1, Min(n, Len(s)))",
    ),
    "Sum": (
        "\\* The sum of a function's values.",
        "Sum(f) ==",
        "    LET Over[S \\in SUBSET DOMAIN f] ==",
        "            IF S = {} THEN 0 ELSE LET x == CHOOSE x \\in S : TRUE IN f[x] + Over[S \\ {x}]",
        "    IN  Over[DOMAIN f]",
    ),
}
BUILT_ON = {"MaxOr": ("SetMax",), "MinOr": ("SetMin",), "Prefix": ("Min",), "Slice": ("Min",)}


def needed(used: set[str], given: frozenset[str]) -> list[str]:
    """The library's operators among these names with their bases, without those given."""
    wanted = used & LIBRARY.keys()
    wanted |= {base for name in wanted for base in BUILT_ON.get(name, ())}
    return [name for name in LIBRARY if name in wanted and name not in given]


def from_library(used: set[str], given: frozenset[str]) -> list[str]:
    return [line for name in needed(used, given) for line in (*LIBRARY[name], "")]
