"""The domains that a name is known to have behind a test, such as `isinstance` or `is None`."""

import ast
from collections.abc import Iterator
from enum import Enum
from types import UnionType
from typing import get_args

from isrcheck.ir import nodes as ir
from isrcheck.ir.domains import Domain, sum_of
from isrcheck.ir.nodes import Expression, Operator
from isrcheck.lang.annotations import enum_domain, is_record, record_domain, sort_domain
from isrcheck.lang.declare import Sort
from isrcheck.lang.names import Names, key_of


def class_domain(node: ast.expr, names: Names) -> Domain:
    """The domain of the class that a pattern or isinstance() names."""
    meaning = None if not isinstance(node, ast.Name) or node.id in names.locals else names.globals.get(node.id)
    return class_of_meaning(meaning, node, names)


def class_of_meaning(meaning: object, node: ast.expr, names: Names) -> Domain:
    if isinstance(meaning, type) and is_record(meaning):
        return record_domain(meaning, names.at(node))
    if isinstance(meaning, type) and issubclass(meaning, Sort) and meaning is not Sort:
        return sort_domain(meaning)
    if isinstance(meaning, type) and issubclass(meaning, Enum) and meaning is not Enum:
        return enum_domain(meaning)
    sentence = f"{ast.unparse(node)} is not a record, an enumeration or a sort of the model."
    raise names.refuse(node, sentence, "Name a part of the union that the value is of.")


def classes_domain(node: ast.expr, names: Names) -> Domain:
    """The domain of several classes: (Vote, Fetch), Vote | Fetch, or the name of a union."""
    match node:
        case ast.Tuple(elts=[_, *_] as parts):
            return sum_of(classes_domain(alternative, names) for alternative in parts)
        case ast.BinOp(left, ast.BitOr(), right):
            return sum_of((classes_domain(left, names), classes_domain(right, names)))
        case ast.Name(name) if name not in names.locals and isinstance(names.globals.get(name), UnionType):
            classes = get_args(names.globals[name])
            if type(None) not in classes:
                return sum_of(class_of_meaning(each, node, names) for each in classes)
    return class_domain(node, names)


def facts(test: Expression, holds: bool) -> Iterator[tuple[str, Domain, bool]]:
    """Yield the facts where a condition holds, or does not: the key of a value, and its classes."""
    match test:
        case ir.IsMember(value, domain):
            if key := key_of(value):
                yield key, domain, holds
        case ir.Not(operand):
            yield from facts(operand, not holds)
        case ir.Operation(operator, left, right) if operator is (Operator.AND if holds else Operator.OR):
            yield from facts(left, holds)
            yield from facts(right, holds)


def learn(names: Names, test: Expression, holds: bool) -> None:
    for key, domain, within in facts(test, holds):
        names.narrowed[key] = (*names.narrowed.get(key, ()), (domain, within))


def where(names: Names, test: Expression, holds: bool) -> Names:
    """The names behind a condition."""
    inner = names.inner(set())
    learn(inner, test, holds)
    return inner


def forget(names: Names, key: str) -> None:
    """Forget facts of a local name, of "self.x", or of "self.": all of the state."""
    for known in [known for known in names.narrowed if known == key or (key == "self." and known.startswith(key))]:
        del names.narrowed[known]


def meet(names: Names, one: Names, two: Names) -> None:
    """Keep the facts that were known before two branches and still are after both."""
    for key, known in [*names.narrowed.items()]:
        if not all(branch.narrowed.get(key, ())[: len(known)] == known for branch in (one, two)):
            del names.narrowed[key]


def become(names: Names, branch: Names) -> None:
    names.narrowed.clear()
    names.narrowed.update(branch.narrowed)
