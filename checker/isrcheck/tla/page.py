"""The parts of a module that are no terms: its title, rules, comments, declarations and assumptions."""

import textwrap

from isrcheck.tla.layout import WIDTH, definition
from isrcheck.tla.terms import Definition, Term


def title(name: str) -> str:
    dashes = max(4, (76 - len(name) - 8) // 2)
    return f"{'-' * dashes} MODULE {name} {'-' * dashes}"


def rule(said: str) -> list[str]:
    return ["-" * 78, f"(* {said} *)", ""] if said else ["-" * 78, ""]


def safe(text: str) -> str:
    """Text for a comment, which nothing in it can end or nest."""
    return text.replace("(*", "( *").replace("*)", "* )").replace("\r", " ")


def comment(text: str) -> list[str]:
    """A comment before a definition, wrapped."""
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
    """CONSTANTS or VARIABLES, one a line, what each means beside it where that fits."""
    if not rows:
        return []
    wide = max(len(name) for name, _ in rows) + 1
    lines = [f"{word}{'S' if len(rows) > 1 else ''}"]
    for position, (name, said) in enumerate(rows):
        text = name + ("," if position < len(rows) - 1 else "")
        beside = f" \\* {' '.join(safe(said).split())}" if said else ""
        line = f"    {text:<{wide}}{beside}".rstrip()
        if len(line) > WIDTH:
            lines += [f"    \\* {row}" for row in textwrap.wrap(" ".join(safe(said).split()), WIDTH - 8)]
            line = f"    {text}"
        lines.append(line)
    return [*lines, ""]


def assumed(said: str, condition: Term) -> list[str]:
    made = definition(Definition("ASSUME", (), condition))
    made[0] = made[0].replace(" ==", "", 1)
    return [*comment(said), *made, ""]
