"""Draws the state graphs of docs/graph.md into reports/graphs: python -m tools.reports.graphs.

Laid out by the program whose version the lock holds.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from isrcheck.catalogue import find_model
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.evidence.graph.dot import dot_text
from isrcheck.evidence.graph.explored import View, explore
from isrcheck.evidence.graph.table import lay_out
from isrcheck.evidence.graph.views import complete_view, expression, quotient
from isrcheck.files import write_aside
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains

FOLDER = Path(__file__).parents[2] / "reports" / "graphs"
TWO_EPOCHS = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2, "isr_may_empty": False}
ONE_RECORD = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 2, "isr_may_empty": False}


def reference(model: str, constants: dict[str, int]) -> ReferenceStepper:
    """The reference of a model by name."""
    ir = read_model(find_model(model))
    check_domains(ir)
    return ReferenceStepper(bind(ir, constants))


def all_of(model: str) -> View:
    """A whole graph with all that it violates."""
    stepper = reference(model, {})
    return complete_view(explore(stepper, [p.name for p in stepper.model.properties]), model)


def groups(model: str, constants: dict[str, int], *by: str) -> View:
    """A graph of groups; strong_isr is what they may violate."""
    stepper = reference(model, constants)
    return quotient(explore(stepper, ["strong_isr"]), [expression(stepper, source) for source in by], model)


GRAPHS: dict[str, Callable[[], View]] = {
    "toy-ratchet": partial(all_of, "toy-ratchet"),
    "kip-320-by-isr-and-leader": partial(groups, "kip-320", ONE_RECORD, "quorum_isr", "quorum_leader"),
    "kip-101-by-isr-and-property": partial(groups, "kip-101", TWO_EPOCHS, "quorum_isr", "quorum_leader", "strong_isr"),
}


def draw(name: str, folder: Path = FOLDER) -> None:
    """Makes the text and the picture of one graph."""
    dot = dot_text(GRAPHS[name]())
    write_aside(folder / f"{name}.dot", dot)
    write_aside(folder / f"{name}.svg", lay_out(dot))
    sys.stdout.write(f"{name}.svg\n")


def main() -> None:
    """Makes all of them."""
    for name in GRAPHS:
        draw(name)


if __name__ == "__main__":
    main()
