"""A condition of a state from the command line, read as if a property of the model returned it."""

import ast
import sys
from collections.abc import Callable
from typing import Any

from isrcheck.errors import ModelError, UsageError
from isrcheck.ir.check.expressions import ExpressionChecker
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ModelIR
from isrcheck.lang.declarations import Declarations
from isrcheck.lang.declare import Model, enabled, subsets
from isrcheck.lang.expressions import read_value
from isrcheck.lang.methods import MethodReader

Condition = Callable[[Model], bool]


def read_condition(ir: ModelIR, expression: str, option: str) -> Condition:
    """The condition that an option gives as text, for states of a model. Raises UsageError."""
    known: dict[str, Any] = {"enabled": enabled, "subsets": subsets}
    for cls in reversed(ir.cls.__mro__[:-2]):  # without Model
        known |= vars(sys.modules[cls.__module__])
    try:
        node = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise UsageError(f"{option}: {expression} is not an expression, such as self.epoch > 1.") from None
    condition: Any = eval(compile(f"lambda self: ({expression.strip()}\n)", option, "eval", dont_inherit=True), known)
    reader = MethodReader(Declarations(ir.cls))
    try:
        read = read_value(node, replace(reader.names_of(condition, option, "self"), asks_enabled=True))
        checked = replace(ir, helpers={**ir.helpers, **reader.helpers})
        ExpressionChecker(checked).truth(read, {}, "the condition")
    except ModelError as error:
        raise UsageError(f"{option} {expression}: {error.sentence} {error.remedy}".rstrip()) from None

    def ask(state: Model) -> bool:
        try:
            return bool(condition(state))
        except Exception as error:
            raise UsageError(f"{option} {expression} raised {type(error).__name__}: {error}.") from None

    return ask
