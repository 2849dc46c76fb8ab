"""The native engine as the registry knows it: a bound model, lowered, compiled and searched."""

from isrcheck.engines.contract import Exploration, Request
from isrcheck.engines.native.checkpoint import Checkpointing
from isrcheck.engines.native.fault import NativeFault
from isrcheck.engines.native.search import explore
from isrcheck.errors import ModelError
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel


def search(model: BoundModel, request: Request, checkpointing: Checkpointing | None = None) -> Exploration:
    """Explores a model with machine code made for it. Raises ModelError, or CheckpointRefused."""
    try:
        return explore(lower(model), request, checkpointing)
    except NativeFault as wrong:
        sentence = f"{wrong.fault.sentence}."
        raise ModelError(wrong.fault.place, sentence, "The model's text would raise an error here.") from None
