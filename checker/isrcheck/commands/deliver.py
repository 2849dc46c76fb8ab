"""Delivery of results: to the terminal, to files, and as JSON."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isrcheck.commands.options import console, plain_width
from isrcheck.evidence.document import Document
from isrcheck.evidence.writers.terminal import plain_text, print_document
from isrcheck.files import as_json, write_aside
from isrcheck.ir.frozen import replace

if TYPE_CHECKING:  # an outcome brings the engines, which a list does not need
    from isrcheck.run.outcome import Outcome


class Delivery:
    """Hands over the verdict as soon as it is there, and what a look for vacuity adds to it after that.

    A file of JSON is written again if there is more to say; standard output is JSON alone, or text alone.
    """

    def __init__(self, json_file: str | None, trace_dir: Path | None) -> None:
        self._json_file = json_file
        self._trace_dir = trace_dir
        self._verdict: Outcome | None = None

    def early(self, outcome: "Outcome") -> None:
        """Write the outcome so far to the file of JSON only: whatever happens later, it stays there."""
        if self._json_file and self._json_file != "-":
            write_aside(Path(self._json_file), outcome.to_json())

    def verdict(self, outcome: "Outcome") -> None:
        from isrcheck.evidence.outcome_document import outcome_document
        from isrcheck.run.save import save_traces

        self._verdict = save_traces(outcome, self._trace_dir) if self._trace_dir else outcome
        if self._json_file != "-":
            show_document(outcome_document(self._verdict))
        self.early(self._verdict)

    def rest(self, outcome: "Outcome") -> int:
        from isrcheck.evidence.outcome_document import vacuity_document

        assert self._verdict is not None
        outcome = replace(outcome, properties=self._verdict.properties)
        if self._json_file != "-" and (blocks := list(vacuity_document(outcome))):
            click.echo()
            show_document(blocks)
        if self._json_file == "-" or (self._json_file and outcome.to_dict() != self._verdict.to_dict()):
            hand_over(outcome.to_json(), self._json_file)
        return outcome.exit


def show_with_json(
    document: Document,
    facts: Mapping[str, object],
    json_file: str | None,
    form: str = "txt",
    output: Path | None = None,
) -> None:
    """Show a document, and write its facts as JSON where that is asked; standard output is one of the two alone."""
    if json_file:
        hand_over(as_json(facts), json_file)
    if json_file != "-":
        show_document(document, form, output)


def hand_over(content: str, output: Path | str | None) -> None:
    """Write a file, or print it, also for "-"."""
    if output and output != "-":
        write_aside(Path(output), content)
    else:
        click.echo(content, nl=False)


def show_document(document: Document, form: str = "txt", output: Path | None = None) -> None:
    """Write a document to a file, or print it: as a terminal shows it, or in plain lines to whatever else reads it."""
    if form == "txt" and output is None and (screen := console()).is_terminal:
        print_document(document, screen)
        return
    if form == "html":
        from isrcheck.evidence.writers.html import page_of  # its templates cost a tenth of a second

        hand_over(page_of(document), output)
    elif form == "md":
        from isrcheck.evidence.writers.markdown import markdown_of

        hand_over(markdown_of(document), output)
    else:
        hand_over(plain_text(document, plain_width()), output)
