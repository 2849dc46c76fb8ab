"""Headings of help: commands by what they are for, and options of a command that has many."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from isrcheck.wrap import first_paragraph

# The commands of packages that are not installed are left out, and those of others come last.
SECTIONS = {
    "Check": ("list", "check", "simulate", "prove"),
    "Compare": ("compare", "distinguish", "schedule", "sweep"),
    "CI": ("gate", "mutate"),
    "Kafka": ("risk", "code", "conform", "observe"),
    "Exchange": ("explore", "render", "export", "lsp"),
}
OTHERS = "Other packages"
_WIDEST = 30  # letters of a name beside its sentence


def sections_of(names: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each heading with the commands below it."""
    rest = dict.fromkeys(names)
    for title, listed in SECTIONS.items():
        if there := [name for name in listed if name in rest]:
            yield title, there
        rest = {name: None for name in rest if name not in listed}
    if rest:
        yield OTHERS, [*rest]


def summary_of(target: str) -> str:
    """Read the first paragraph of the docstring of MODULE:FUNCTION, without importing the module."""
    module, _, function = target.partition(":")
    spec = find_spec(module)
    source = Path(spec.origin).read_text(encoding="utf-8") if spec and spec.origin else ""
    functions = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    return next((first_paragraph(ast.get_docstring(f) or "") for f in functions if f.name == function), "")


def write_sections(formatter: click.HelpFormatter, sections: Mapping[str, list[tuple[str, str]]]) -> None:
    """Write names and sentences under headings, the sentences of all headings below each other."""
    names = [name for rows in sections.values() for name, _ in rows]
    wide = max((len(name) for name in names if len(name) <= _WIDEST), default=0)
    for title, rows in sections.items():
        with formatter.section(title):
            formatter.write_dl([(name.ljust(wide), sentence) for name, sentence in rows])


class SectionedCommand(click.Command):
    """A command whose options stand under headings: `headings` has them by title, as "-c --property"."""

    def __init__(self, *args: Any, headings: Mapping[str, str], **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.headings = headings

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        by_name = {name: option for option in options for name in option.opts}
        sections = {title: [by_name[name] for name in names.split()] for title, names in self.headings.items()}
        placed = [option for listed in sections.values() for option in listed]
        sections["Other"] = [option for option in options if option not in placed]
        records = {title: [option.get_help_record(ctx) for option in listed] for title, listed in sections.items()}
        write_sections(formatter, {title: [row for row in rows if row] for title, rows in records.items()})
