"""The forms of a trace, by name."""

from collections.abc import Callable

from isrcheck.errors import UsageError
from isrcheck.evidence.forms.compact import compact_svg
from isrcheck.evidence.forms.mermaid import mermaid_text
from isrcheck.evidence.forms.page import page
from isrcheck.evidence.forms.scene import scene
from isrcheck.evidence.forms.schedule import schedule_text
from isrcheck.evidence.forms.svg import svg
from isrcheck.evidence.trace_document import trace_blocks, trace_document
from isrcheck.evidence.writers.markdown import markdown_of
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.run.trace import Trace

FORMS: dict[str, Callable[[Trace], str]] = {
    "txt": lambda trace: plain_text(trace_blocks(trace)),
    "md": lambda trace: markdown_of(trace_document(trace)),
    "mermaid": lambda trace: mermaid_text(scene(trace)),
    "svg": lambda trace: svg(scene(trace)),
    "html": page,
    "schedule": schedule_text,
}

FOLLOWED = {"txt", "md", "mermaid", "svg", "html"}  # those that also show what can follow


def render_trace(trace: Trace, form: str, compact: bool = False) -> str:
    """The trace as text. Raises UsageError if its states are not what a run could have written."""
    try:
        content = compact_svg(scene(trace)) if compact else FORMS[form](trace)
        content.encode("utf-8")
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise UsageError(
            f"the trace of {trace.name} cannot be shown: its values are not of the form that `isrcheck check` "
            "writes. Make it again with --trace-dir."
        ) from None
    return content
