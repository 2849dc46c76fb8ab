"""The parts of a module that are not terms, and operators of our modules that the standard ones lack."""

import re
import textwrap
from collections.abc import Iterable

from isrcheck.files import read_beside
from isrcheck.tla.layout import WIDTH, definition, stack
from isrcheck.tla.terms import Definition, Term


def module_text(name: str, extends: str, lines: Iterable[str]) -> str:
    dashes = "-" * max(4, (76 - len(name) - 8) // 2)
    return "\n".join([f"{dashes} MODULE {name} {dashes}", f"EXTENDS {extends}", "", *lines, "=" * 78]) + "\n"


def rule(said: str) -> list[str]:
    return ["-" * 78, f"(* {said} *)", ""] if said else ["-" * 78, ""]


def safe(sentence: str) -> str:
    """Sentence without a mark that would end a comment of TLA+."""
    return sentence.replace("(*", "( *").replace("*)", "* )").replace("\r", " ")


def comment(sentences: str) -> list[str]:
    if not sentences.strip():
        return []
    lines: list[str] = []
    for paragraph in safe(sentences.strip()).split("\n\n"):
        lines += [""] if lines else []
        lines += textwrap.wrap(" ".join(paragraph.split()), WIDTH - 6)
    lines = [line and f"   {line}" for line in lines]
    lines[0] = "(*" + lines[0][2:]
    lines[-1] += " *)"
    return lines


def declare(keyword: str, rows: list[tuple[str, str]]) -> list[str]:
    if not rows:
        return []
    wide = max(len(n) for n, _ in rows) + 1
    lines = [f"{keyword}{'S' if len(rows) > 1 else ''}"]
    for position, (name, sentence) in enumerate(rows):
        called, said = name + ("," if position < len(rows) - 1 else ""), " ".join(safe(sentence).split())
        line = f"    {called:<{wide}} \\* {said}" if sentence else f"    {called}"
        if len(line.rstrip()) > WIDTH:
            lines += [f"    \\* {row}" for row in textwrap.wrap(said, WIDTH - 8)]
            line = f"    {called}"
        lines.append(line.rstrip())
    return [*lines, ""]


def assume_lines(said: str, condition: Term) -> list[str]:
    return [*comment(said), *stack("ASSUME", condition), ""]


def paragraph(defined: Definition, said: str = "") -> list[str]:
    return [*comment(said), *definition(defined), ""]


DEFINITIONS = read_beside(__file__, "operators.tla")
# A comment, perhaps; a name; the rest of the line, and lines with an indentation.
_OPERATOR = re.compile(r"^(?:\\\*.*\n)?(\w+).*\n(?: .*\n)*", re.MULTILINE)
LIBRARY = {m[1]: m[0] for m in _OPERATOR.finditer(DEFINITIONS)}


def operators_for(used: set[str], given: frozenset[str]) -> list[str]:
    """The operators among these names, and those that they are built on, without those given."""
    wanted: set[str] = set()
    for name in used & LIBRARY.keys():
        wanted.update(re.findall(r"\w+", LIBRARY[name]))
    return [n for n in LIBRARY if n in wanted - given]


def from_library(used: set[str], given: frozenset[str]) -> list[str]:
    texts = (LIBRARY[name] for name in operators_for(used, given))
    return "\n".join((*texts, "")).split("\n")[:-1]
