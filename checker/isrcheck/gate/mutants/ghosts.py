"""Properties that can only ever say what the model's own bookkeeping says: they read history variables and no other."""

from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.nodes import Call, ReadVariable, TakenAction, TakenArgument
from isrcheck.ir.traversal import walk


def read_by(ir: ModelIR, method: Method) -> frozenset[str]:
    """The variables that a property reads, in itself or in what it calls."""
    found: set[str] = set()
    waiting, seen = [method], set[str]()
    while waiting:
        for part in walk(waiting.pop().body):
            if isinstance(part, ReadVariable):
                found.add(part.name)
            elif isinstance(part, Call) and part.helper not in seen:
                seen.add(part.helper)
                waiting.append(ir.helpers[part.helper])
    return frozenset(found)


def reads_only_history(ir: ModelIR, method: Method) -> bool:
    """Whether a property reads history variables and nothing else, not even which step was taken."""
    histories = {v.name for v in ir.variables if v.is_history}
    variables = read_by(ir, method)
    taken = any(isinstance(part, TakenAction | TakenArgument) for part in walk(method.body))
    return bool(variables) and variables <= histories and not taken
