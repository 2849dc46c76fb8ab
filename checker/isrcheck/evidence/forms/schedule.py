"""A trace as a script for `isrcheck schedule`: every step of it, internal ones too."""

from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.run.trace import Trace, constant_options, show_encoded
from isrcheck.wrap import plain


def schedule_text(trace: Trace) -> str:
    lines = [
        f"# {trace.model}: {' '.join(trace.sentence.split())}",
        f"constants: {' '.join(constant_options(trace.constants))}",
    ]
    if isinstance(trace.kind, PropertyKind) and trace.loop is None:
        verdict = "reached" if trace.kind.holds_by_target else "violated"
        lines.append(f"expect: {trace.model} {verdict} {trace.name}")
    for number, step in enumerate(trace.steps[1:]):
        if number == trace.loop:
            lines.append(f"# {trace.forever}, again and again")
        given = (f"{name}={_compact(show_encoded(value))}" for name, value in step.arguments.items())
        lines.append(" ".join((step.action, *given)))
    return "".join(f"{plain(line)}\n" for line in lines)


def _compact(value: str) -> str:
    return "".join(value.split())
