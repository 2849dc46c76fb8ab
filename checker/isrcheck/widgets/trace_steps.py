"""A trace, step by step, below a notebook's cell."""

import json
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from isrcheck.errors import UsageError
from isrcheck.evidence.forms.page import PAGE_STYLE, PARTS_SCRIPT, STEPS_PAGE, STEPS_SCRIPT, joined, trace_data
from isrcheck.evidence.forms.scene import scene
from isrcheck.evidence.forms.shapes import STYLE
from isrcheck.run.trace import Trace, read_trace

_SCRIPT = Path(__file__).with_name("trace_steps.js")


def steps(trace: Trace | str | Path) -> "TraceSteps":
    """Steps through a trace, or through the file in which one was saved: by buttons, a slider, or ← → Home End.

    `step` of what it returns is where it stands: it can be set and observed. Raises UsageError for a file that is not
    a whole trace, and for what has no trace.
    """
    if isinstance(trace, str | Path):
        return TraceSteps(read_trace(Path(trace)))
    if isinstance(trace, Trace):
        return TraceSteps(trace)
    raise UsageError(
        f"a {type(trace).__name__} is not a trace: give outcome.property(NAME).trace of a property that was violated, "
        "or the path of a file that --trace-dir wrote."
    )


class TraceSteps(anywidget.AnyWidget):
    """`step` is where it stands; 0 is the initial state."""

    _esm = joined(PARTS_SCRIPT, STEPS_SCRIPT, _SCRIPT)
    step = traitlets.Int(0).tag(sync=True)
    _trace = traitlets.Unicode().tag(sync=True)  # as JSON
    _heading = traitlets.Unicode().tag(sync=True)
    _page = traitlets.Unicode(joined(STEPS_PAGE)).tag(sync=True)
    _style = traitlets.Unicode(joined(PAGE_STYLE) + STYLE).tag(sync=True)

    def __init__(self, trace: Trace) -> None:
        seen = scene(trace)
        self.trace = trace
        data = json.dumps(trace_data(trace, seen), ensure_ascii=False, separators=(",", ":"))
        super().__init__(_trace=data, _heading=seen.heading, step=trace.length - 1)

    @traitlets.validate("step")
    def _known_step(self, proposal: Any) -> int:
        last = len(self.trace.steps) + len(self.trace.follows) - 1
        if not 0 <= proposal["value"] <= last:
            raise UsageError(f"there is no step {proposal['value']}: this trace has the steps 0 to {last}.")
        return int(proposal["value"])

    def __repr__(self) -> str:
        return f"<TraceSteps {self.step} of {self.trace.length - 1}: {repr(self.trace)[1:-1]}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Beside the widget the drawing, for pages that run no widgets."""
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, about = bundle
        return {**data, "text/html": self.trace._repr_html_()}, about
