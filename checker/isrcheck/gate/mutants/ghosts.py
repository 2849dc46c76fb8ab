"""Properties that can only ever say what the model's own bookkeeping says: they read history variables and no other."""

from isrcheck.ir.nodes import Call, Method, ModelText, ReadVariable, TakenAction, TakenArgument, pieces


def read_by(text: ModelText, method: Method) -> frozenset[str]:
    """The variables that a property reads, in itself or in what it calls."""
    found: set[str] = set()
    waiting, seen = [method], set[str]()
    while waiting:
        for part in pieces(waiting.pop().body):
            if isinstance(part, ReadVariable):
                found.add(part.name)
            elif isinstance(part, Call) and part.helper not in seen:
                seen.add(part.helper)
                waiting.append(text.helpers[part.helper])
    return frozenset(found)


def reads_only_history(text: ModelText, method: Method) -> bool:
    """Whether a property reads history variables and nothing else, not even which step was taken."""
    histories = {v.name for v in text.variables if v.is_history}
    variables = read_by(text, method)
    taken = any(isinstance(part, TakenAction | TakenArgument) for part in pieces(method.body))
    return bool(variables) and variables <= histories and not taken
