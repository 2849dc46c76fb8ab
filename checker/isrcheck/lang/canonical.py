"""A canonical form: a method without parameters and guards that rewrites a state to the one that stands for it."""

from collections.abc import Iterator, Mapping

from isrcheck.errors import ModelError
from isrcheck.ir.model import Method
from isrcheck.ir.nodes import Require
from isrcheck.ir.traversal import walk


def the_canonical(methods: list[Method], helpers: Mapping[str, Method]) -> Method | None:
    """The canonical form of a model. Raises ModelError for a second one, for a guard in it, and beside a constraint."""
    forms = [method for method in methods if method.role == "canonical"]
    if not forms:
        return None
    form, *more = forms
    if more:
        sentence = f"{more[0].name}() is a second canonical form, after {form.name}()."
        raise ModelError(more[0].at, sentence, "Do the work of both in one.")
    for node in walk(tuple(method.body for method in _with_callees(form, helpers))):
        if isinstance(node, Require):
            sentence = f"the canonical form {form.name}() has a guard, and every state has one."
            raise ModelError(node.at, sentence, "Write if.")
    for method in methods:
        if method.role == "constraint":
            sentence = f"{form.name}() is a canonical form, and the model has the constraint {method.name}()."
            raise ModelError(form.at, sentence, "Keep one of the two.")
    return form


def _with_callees(method: Method, helpers: Mapping[str, Method]) -> Iterator[Method]:
    waiting, known = [method], {method.name}
    while waiting:
        yield (here := waiting.pop())
        new = here.calls - known
        known |= new
        waiting += [helpers[name] for name in sorted(new) if name in helpers]
