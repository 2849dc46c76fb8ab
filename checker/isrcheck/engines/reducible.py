"""What does not go with partial-order reduction."""

from isrcheck.engines.contract import Request
from isrcheck.errors import UsageError
from isrcheck.passes.bind import BoundModel


def refuse_reduction(model: BoundModel, request: Request) -> None:
    """Raises UsageError where it would leave out more than steps that change no answer, or is not supported."""
    if not request.reduce:
        return
    ir = model.ir
    if request.temporal:
        name = request.temporal[0]
        leave = "leave it out, or ask for other properties with --property"
        raise UsageError(f"--reduce may change the verdict on {name}, a temporal property: {leave}.")
    has = {"view": (ir.view,), "constraint": ir.constraints, "canonical form": (ir.canonical,)}
    for what, methods in has.items():
        for method in filter(None, methods):
            head = f"{ir.name} has the {what} {method.name}"
            raise UsageError(f"{head}, with which there is no --reduce: leave it out.")
    for name, is_asked in (("checkpoint", request.checkpoint is not None), ("disk", request.disk is not None)):
        if is_asked:
            raise UsageError(f"the reduced graph is not kept on disk: leave one of --reduce and --{name} out.")
