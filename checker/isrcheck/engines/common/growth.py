"""Searches that begin again with more slots (ir/slots.py), and lose nothing of what they found before."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from isrcheck.engines.contract import Bounded, Searched
from isrcheck.ir.codec import NeedsSlots, codec
from isrcheck.ir.frozen import replace
from isrcheck.passes.bind import BoundModel
from isrcheck.process.budget import OutOfBudget
from isrcheck.user_cache import user_cache

R = TypeVar("R", Searched, Bounded, Searched | Bounded)
T = TypeVar("T")
_MOST_DOUBLINGS = 16
FOR_SLOTS = "for lack of slots"
_ADDRESS = re.compile(" at 0x[0-9a-f]+")  # of what has no text of its own


class SearchNeedsSlots(NeedsSlots):
    """The result of a search that ended for lack of slots, as if it had been cut there."""

    def __init__(self, variable: str, result: Searched) -> None:
        super().__init__(variable)
        self.result = result


def run_with_growth(model: BoundModel, run: Callable[[], T]) -> T:
    """Run again, with more slots in the model, while a search needs them."""
    while True:
        try:
            return run()
        except NeedsSlots as needs:
            if not model.grow(needs.variable):
                raise


def search_with_growth(model: BoundModel, search: Callable[[], R]) -> R:
    """Search again with more slots while they are needed; a search that is cut has all that earlier ones found."""
    remembered = RememberedSlots(model)
    remembered.grow()
    earlier: Searched | None = None
    while True:
        try:
            return _with(earlier, search())
        except OutOfBudget as over:
            if earlier is None:
                raise
            return replace(earlier, cut=str(over))  # type: ignore[return-value] # of the type of `earlier`, which R names
        except NeedsSlots as needs:
            if not model.grow(needs.variable):
                raise
            remembered.keep(needs.variable)
            if isinstance(needs, SearchNeedsSlots):
                earlier = _with(earlier, needs.result)


def _with(before: Searched | None, result: R) -> R:
    """A path is the same with any number of slots."""
    if before is None or result.cut is None:
        return result
    return replace(result, paths={**before.paths, **result.paths})


class RememberedSlots:
    """How often each variable of a model with its constants got more slots in earlier runs.

    Slots are part of the digest: of another text, in whichever file it stands, nothing is remembered.
    """

    def __init__(self, model: BoundModel) -> None:
        self._model, self._cache = model, user_cache()
        content = _ADDRESS.sub("", repr(model.ir).replace(model.ir.cls.__module__, ""))
        began = [codec(domain).width for domain in model.domains.values()]  # a model that grew is another one
        key = repr((content, sorted(model.constants.items()), began))
        self._name = f"{hashlib.sha256(key.encode()).hexdigest()}.slots"
        self._grown = Counter[str]()

    def grow(self) -> None:
        content = self._cache.get(self._name)
        known = json.loads(content) if content is not None else {}
        for variable in self._model.domains:
            for _ in range(min(known.get(variable, 0), _MOST_DOUBLINGS)):
                if self._model.grow(variable):
                    self._grown[variable] += 1

    def keep(self, variable: str) -> None:
        """Remember that a variable got more slots."""
        self._grown[variable] += 1
        self._cache.put(self._name, json.dumps(self._grown).encode())
