"""Widgets of a notebook. They need the extra `notebook`, which is asked for when this is imported."""

from isrcheck.extras import need

need("anywidget")

from isrcheck.widgets.trace_steps import TraceSteps, steps  # noqa: E402 - for who lacks anywidget the sentence comes first

__all__ = ["TraceSteps", "steps"]
