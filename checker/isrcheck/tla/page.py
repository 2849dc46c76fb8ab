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
    first, *rest = definition(Definition("ASSUME", (), condition))
    return [*comment(said), first.replace(" ==", "", 1), *rest, ""]


def paragraph(defined: Definition, said: str = "") -> list[str]:
    return [*comment(said), *definition(defined), ""]
