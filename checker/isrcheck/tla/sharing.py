"""What a variant shares with others: which classes of its line, and who calls whom."""

from collections.abc import Iterator

from isrcheck.ir.nodes import Call, Method, ModelText, Perform, pieces


def shared_classes(text: ModelText) -> frozenset[str]:
    """The names of the classes whose module the model's own extends: none, or all up to the last that is open."""
    line = [c for c in reversed(text.cls.__mro__) if c.__name__ in _owners(text)]
    opening = {v.owner for v in text.variables} | _policy_owners(text)
    ends = [i for i, cls in enumerate(line) if cls.__name__ in opening]
    last = ends[-1] if ends else -1
    return frozenset(c.__name__ for c in line[: last + 1]) if last >= 0 and line[last] is not text.cls else frozenset()


def _owners(text: ModelText) -> set[str]:
    methods = (*text.actions, *text.properties, *text.assumptions, *text.applicability, *text.helpers.values())
    declared_ = {v.owner for v in text.variables} | {c.owner for c in text.constants}
    return declared_ | {m.owner for m in methods} | _policy_owners(text) | {text.name}


def _policy_owners(text: ModelText) -> set[str]:
    """The classes that declare a policy, whoever fills it."""
    policies = [n for n, m in text.helpers.items() if m.role == "policy"]
    line = [c for c in reversed(text.cls.__mro__) if c.__module__ != "isrcheck.lang.declare"]
    return {next(c.__name__ for c in line if name in vars(c)) for name in policies}


def every_method(text: ModelText) -> Iterator[Method]:
    yield from (*text.helpers.values(), *text.actions, *text.properties, *text.lemmas)
    yield from (*text.assumptions, *text.applicability)


def called(method: Method) -> set[str]:
    """The helpers that a method calls."""
    return {p.helper for p in pieces(method.body) if isinstance(p, Call | Perform)}
