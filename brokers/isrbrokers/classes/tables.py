"""Policies that are finite tables, written out as the text of a variant: every engine reads it as any other.

Members of a symmetric sort have no names in a text. A row calls them by the parts of its key that are members, and
others by the sets of the key that they are in, so that one row stands for all that differ in names alone.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from isrcheck import Model, Sort, UsageError

MOST_ROWS = 5_000  # 2,144 rows, of three replicas, took 66 CPU seconds from the jar to a violation
_SET = frozenset

Members = Mapping[type[Any], Sequence[Any]]  # of a sort


class KeyPart(NamedTuple):
    """An expression that the policy may read, as it stands in the text."""

    source: str
    optional: bool = False


class PolicyRow(NamedTuple):
    """The values of a key, and what the policy does then: a statement with {} for each of its values."""

    key: tuple[Any, ...]
    statement: str
    values: tuple[Any, ...] = ()


class PolicyTable(NamedTuple):
    """A policy's rows. Where none applies, the policy is the parent's.

    `first` are a local name that the key needs, and what a row may require of it.
    """

    policy: str
    key: tuple[KeyPart, ...]
    rows: Sequence[PolicyRow]
    first: tuple[str, ...] = ()


def write_variant(cls: type[Model], name: str, sentence: str, tables: Iterable[PolicyTable], members: Members) -> str:
    """Return the text of a variant of a model with tables for policies; `members` are those of its symmetric sorts.

    Raises UsageError where a table is too large, or tells apart what the model does not.
    """
    tables = [table for table in tables if table.rows]
    rows = sum(len(table.rows) for table in tables)
    if rows > MOST_ROWS:
        raise UsageError(f"a table of {rows:,} rows is too large for a policy: {MOST_ROWS:,} at most.")
    imports = {cls.__module__: {cls.__name__}}
    for sort in members:
        imports.setdefault(sort.__module__, set()).add(sort.__name__)
    methods = [_TableText(cls, table, members, imports).lines() for table in tables]
    listed = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(imports.items())]
    body = [line for method in methods for line in ["", *method]]
    heading = [f'"""{sentence}"""', "", *listed, "", "", f"class {name}({cls.__name__}):", f'    """{sentence}"""']
    return "\n".join([*heading, *body]) + "\n"


class _TableText:
    """One table as two methods: which case applies, and what the policy does in each."""

    def __init__(self, cls: type[Model], table: PolicyTable, members: Members, imports: dict[str, set[str]]) -> None:
        self._table, self._members = table, members
        function: Callable[..., Any] = getattr(cls, table.policy)
        source = textwrap.dedent(inspect.getsource(function))
        tree = ast.parse(source).body[0]
        assert isinstance(tree, ast.FunctionDef)
        named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {"policy"}
        known = named & function.__globals__.keys()
        more = {each for row in table.rows for each in _names_in(row.statement)} & function.__globals__.keys()
        if known | more:
            imports.setdefault(function.__module__, set()).update(known | more)
        self._parameters, self._returns = ast.unparse(tree.args), ast.unparse(tree.returns or ast.Constant(None))
        begin = tree.body[ast.get_docstring(tree) is not None].lineno
        self._parents = textwrap.dedent("\n".join(source.splitlines()[begin - 1 :])).splitlines()
        self._given = [argument.arg for argument in tree.args.args[1:]]

    def lines(self) -> list[str]:
        cases: dict[str, int] = {}
        tree: dict[str, Any] = {}
        for row in self._table.rows:
            conditions, statement = self._conditions(row)
            _insert(tree, conditions, cases.setdefault(statement, len(cases) + 1))
        name = f"{self._table.policy}_case"
        return [
            f"    def {name}({self._parameters}) -> int:",
            f'        """The case of {self._table.policy} that applies; 0 is that of the model."""',
            *(f"        {statement}" for statement in self._table.first[:1]),
            *_nest(tree, " " * 8),
            "",
            f"    def {self._table.policy}({self._parameters}) -> {self._returns}:",
            f"        case = self.{name}({', '.join(self._given)})",
            *(line for statement, case in cases.items() for line in self._case(case, statement)),
            "        else:",
            *textwrap.indent("\n".join(self._parents), " " * 12).splitlines(),
        ]

    def _case(self, case: int, statement: str) -> list[str]:
        first = self._table.first
        needed = first if first and first[0].partition(" ")[0] in _names_in(statement) else ()
        return [f"        {'if' if case == 1 else 'elif'} case == {case}:"] + [
            f"            {each}" for each in (*needed, statement)
        ]

    def _conditions(self, row: PolicyRow) -> tuple[list[str], str]:
        names: dict[Any, str] = {}
        pieces = list(zip(self._table.key, row.key, strict=True))
        conditions = [_compare(piece, value, names) for piece, value in pieces if not isinstance(value, _SET)]
        sets = _Sets({piece.source: value for piece, value in pieces if isinstance(value, _SET)}, names, self._members)
        conditions += [*sets.conditions(), sets.count_others()]
        return conditions, row.statement.format(*(self._write(value, names, sets) for value in row.values))

    def _write(self, value: Any, names: Mapping[Any, str], sets: "_Sets") -> str:
        if isinstance(value, _SET):
            return sets.write(value)
        if isinstance(value, Sort) and value not in names:
            raise UsageError(_TOLD_APART.format(self._table.policy))
        return names[value] if isinstance(value, Sort) else _show_literal(value)


_TOLD_APART = "the table of {} tells members apart that are interchangeable: only its key may name them."


def _names_in(statement: str) -> set[str]:
    tree = ast.parse(statement.replace("{}", "None"))
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _show_literal(value: Any) -> str:
    return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)


def _compare(piece: KeyPart, value: Any, names: dict[Any, str]) -> str:
    """The condition for a part that is not a set; a member that has no name yet gets this one."""
    if value is None:
        return f"{piece.source} is None"
    if isinstance(value, bool):
        return piece.source if value else f"not ({piece.source})"
    if not isinstance(value, Sort):
        return f"{piece.source} == {_show_literal(value)}"
    if value in names:
        return f"{piece.source} == {names[value]}"
    others = [f"{piece.source} is not None"] if piece.optional else []
    others += [f"{piece.source} != {name}" for name in names.values()]
    names[value] = piece.source
    return " and ".join(others)


class _Sets:
    """The sets of one key, in terms of the members that have names and of those that have none."""

    def __init__(self, sets: Mapping[str, _SET[Any]], names: Mapping[Any, str], members: Members) -> None:
        self._sets, self._names = sets, names
        sort: tuple[type[Any], Sequence[Any]] = next(iter(members.items()), (Sort, ()))
        self._sort, every = sort
        self._others = [each for each in every if each not in names]
        self._splits = [name for name, value in sets.items() if 0 < len(value & {*self._others}) < len(self._others)]

    def conditions(self) -> list[str]:
        """A condition for each set; what it says of members without names is left to `count_others`."""
        return [
            _MAY_SPLIT + (self._name_members(name, value) or f"{name} != frozenset()")
            if name in self._splits
            else f"{name} == {self.write(value)}"
            for name, value in self._sets.items()
        ]

    def _name_members(self, name: str, value: _SET[Any]) -> str:
        tests = [f"{n} {'in' if m in value else 'not in'} {name}" for m, n in self._names.items()]
        return " and ".join(tests)

    def count_others(self) -> str:
        """The condition that counts members without names by the sets that they are in."""
        alike = [self._describe(each) for each in self._others] if self._splits else []
        return " and ".join(
            f"sum(1 for r in {self._sort.__name__} if {kind}) == {alike.count(kind)}" for kind in sorted({*alike})
        )

    def write(self, value: _SET[Any]) -> str:
        """An expression for a set of members."""
        sort, others = self._sort.__name__, value & {*self._others}
        kinds = {self._describe(each) for each in others}
        if len(others) != sum(self._describe(each) in kinds for each in self._others):
            raise UsageError(_TOLD_APART.format("a policy"))
        if not value:
            return "frozenset()"
        if len(others) == len(self._others) > 0:
            tests = [f"r != {name}" for member, name in self._names.items() if member not in value]
            return f"frozenset(r for r in {sort} if {' and '.join(tests)})" if tests else f"frozenset({sort})"
        tests = [f"r == {name}" for member, name in self._names.items() if member in value]
        return f"frozenset(r for r in {sort} if {' or '.join([*tests, *sorted(kinds)])})"

    def _describe(self, other: Any) -> str:
        """A condition that is true of `r` if it has no name and is in the same sets as another such member."""
        tests = [f"r != {name}" for name in self._names.values()]
        tests += [f"r {'' if other in self._sets[name] else 'not '}in {name}" for name in self._splits]
        return f"({' and '.join(tests)})"


_MAY_SPLIT = " "  # in front: such a condition is asked after those that say what a set is


def _insert(tree: dict[str, Any], conditions: Sequence[str], case: int) -> None:
    for condition in conditions[:-1]:
        tree = tree.setdefault(condition, {})
    if tree.setdefault(conditions[-1], case) != case:
        raise UsageError("two rows of a table differ in names alone, and do not do the same.")


def _nest(tree: dict[str, Any] | int, indent: str) -> Iterator[str]:
    """Yield the lines of the conditions, of which the first that is true leads on; those that lead alike are one."""
    if isinstance(tree, int):
        yield f"{indent}return {tree}"
        return
    leads_to: dict[str, list[str]] = {}
    for condition in sorted(tree, key=lambda each: each.startswith(_MAY_SPLIT)):
        joined, further = _join(condition.strip(), tree[condition])
        if not joined:  # the first name, which every row has
            yield from _nest(further, indent)
            return
        leads_to.setdefault("\n".join(_nest(further, indent + "    ")), []).append(joined)
    for number, (statements, conditions) in enumerate(leads_to.items()):
        yield f"{indent}{'elif' if number else 'if'} {_join_alternatives(conditions)}:"
        yield statements
    yield f"{indent}else:"
    yield f"{indent}    return 0"


def _join(condition: str, tree: dict[str, Any] | int) -> tuple[str, dict[str, Any] | int]:
    """A condition with those behind it that are alone."""
    while isinstance(tree, dict) and len(tree) == 1:
        ((further, tree),) = tree.items()
        both = [each for each in (condition, further.strip()) if each]
        condition = " and ".join(f"({each})" if " or " in each else each for each in both)
    return condition, tree


def _join_alternatives(conditions: Sequence[str]) -> str:
    return conditions[0] if len(conditions) == 1 else " or ".join(f"({each})" for each in conditions)
