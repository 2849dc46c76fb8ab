"""The expressions of the language: one rule for each kind of Python syntax that it takes.

`EXPRESSIONS` and the tables of `lang/operators.py` are the whole list.
"""

import ast
import builtins
from collections.abc import Callable
from enum import Enum
from functools import partial, reduce
from typing import Any

from msgspec.structs import replace

from isrcheck.ir import nodes as ir
from isrcheck.ir.nodes import Expression, Gathering
from isrcheck.lang import refused
from isrcheck.lang.annotations import enum_domain, is_record, record_domain
from isrcheck.lang.declare import Sort, enabled, subsets
from isrcheck.lang.formulas import FORMULAS
from isrcheck.lang.names import (
    LONG_CHAIN,
    Names,
    bag_of,
    count_of,
    everything,
    is_own,
    keyword_name,
    member_of_sort,
    read_member,
    read_name,
    refuse_early,
    same_package,
)
from isrcheck.lang.narrowing import classes_domain, learn, where
from isrcheck.lang.operators import COMPARISONS, CONNECTIVES, SIGNS, binary_operator, read_enabled, read_taken_action
from isrcheck.place import Place


def read_value(node: ast.expr, names: Names) -> Expression:
    rule = EXPRESSIONS.get(type(node))
    if rule is None:
        kind = type(node).__name__
        raise names.outside(node, *refused.REFUSED_EXPRESSIONS.get(kind, (f"{kind} syntax", refused.WHOLE_GRAMMAR)))
    return rule(node, names)


def read_each(nodes: list[ast.expr], names: Names) -> tuple[Expression, ...]:
    return tuple(read_value(node, names) for node in nodes)


def _constant(node: ast.Constant, names: Names) -> Expression:
    if node.value is None or isinstance(node.value, bool | int):
        return ir.Literal(node.value, names.at(node))
    remedy = "Values are integers, True, False, None and members of sorts and enumerations; for names use an Enum."
    raise names.outside(node, f"the literal {node.value!r}", remedy)


def _attribute(node: ast.Attribute, names: Names) -> Expression:
    if isinstance(node.value, ast.Name) and node.value.id not in names.locals:
        owner = node.value.id
        if owner in (names.self_name, names.before) and owner:
            return read_member(node, node.attr, owner == names.before, names)
        if owner == names.taken and owner:
            return ir.TakenArgument(node.attr, names.at(node))
        meaning = names.globals.get(owner)
        if isinstance(meaning, type) and issubclass(meaning, Enum):
            if node.attr not in meaning.__members__:
                raise names.unknown(node, f"{owner} has no member {node.attr}.", node.attr, meaning.__members__)
            return ir.Literal(meaning[node.attr], names.at(node), enum_domain(meaning))
    return ir.ReadField(read_value(node.value, names), node.attr, names.at(node))


def _subscript(node: ast.Subscript, names: Names) -> Expression:
    at, inside = names.at(node), node.slice
    match bag_of(node.value, names), node.value:
        case "Channels", ast.Attribute(owner, name) if not isinstance(inside, ast.Slice):
            channels = ir.ReadVariable(name, ast.unparse(owner) == names.before, at)
            return ir.Item(channels, read_value(inside, names), at)
        case "Network" | "Bag" as kind, network:
            remedy = f"Write `x in {ast.unparse(network)}`, or .count(x)."
            raise names.refuse(node, f"a {kind.lower()} is not read under a key.", remedy)
    if named := everything(node.value, names):
        return member_of_sort(node, named, names)
    of = read_value(node.value, names)
    if not isinstance(inside, ast.Slice):
        return ir.Item(of, read_index(inside, names), at)
    if inside.step is not None:
        raise names.refuse(inside.step, "a slice has no step here.", "Write [start:stop].")
    ends = (inside.lower, inside.upper)
    start, stop = (read_value(end, names) if end else None for end in ends)
    return ir.Slice(of, start, stop, at)


def read_index(node: ast.expr, names: Names) -> Expression:
    """A key or an index; -1 is the last."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)):
            return ir.Literal(-1, names.at(node))
        case ast.UnaryOp(op=ast.USub()):
            raise names.refuse(node, "a negative index counts from the end.", "Only [-1], the last element, may do so.")
    return read_value(node, names)


def _binary(node: ast.BinOp, names: Names) -> Expression:
    operator = binary_operator(node, names)
    return ir.Operation(operator, read_value(node.left, names), read_value(node.right, names), names.at(node))


def _unary(node: ast.UnaryOp, names: Names) -> Expression:
    if type(node.op) not in SIGNS:
        sign, remedy = refused.REFUSED_SIGNS[type(node.op).__name__]
        raise names.outside(node, f"the sign {sign}", remedy)
    return SIGNS[type(node.op)](read_value(node.operand, names), names.at(node))


def _bool_operation(node: ast.BoolOp, names: Names) -> Expression:
    at = names.at(node)
    inner, parts = names.inner(set()), tuple[Expression, ...]()
    for value in node.values:
        parts += (read_value(value, inner),)
        learn(inner, parts[-1], isinstance(node.op, ast.And))
    join = partial(operate, CONNECTIVES[type(node.op)], at)
    if len(parts) <= LONG_CHAIN:
        return reduce(join, parts)
    while len(parts) > 1:  # in pairs, so that a long chain is not deep
        pairs = map(join, parts[::2], parts[1::2])
        odd = parts[-1:] if len(parts) % 2 else ()
        parts = (*pairs, *odd)
    return parts[0]


def operate(operator: ir.Operator, at: Place, left: Expression, right: Expression) -> Expression:
    return ir.Operation(operator, left, right, at)


def _compare(node: ast.Compare, names: Names) -> Expression:
    if taken := read_taken_action(node, names):
        return taken
    if len(node.ops) > 1 and any(isinstance(op, ast.In | ast.NotIn | ast.Is | ast.IsNot) for op in node.ops):
        raise names.refuse(node, "`in` and `is` do not stand in a chain of comparisons.", "Join two with `and`.")
    at, parts = names.at(node), []
    left = read_value(node.left, names)
    for op, written in zip(node.ops, node.comparators, strict=True):
        if isinstance(op, ast.Is | ast.IsNot) and ast.unparse(written) != "None":
            raise names.refuse(node, "`is` compares with None only.", "Write == or != to compare values.")
        right = read_value(written, names)
        sign = COMPARISONS[type(op)]
        parts.append(operate(sign, at, left, right))
        left = right
    join = partial(operate, ir.Operator.AND, at)
    return reduce(join, parts)


def _choice(node: ast.IfExp, names: Names) -> Expression:
    condition = read_value(node.test, names)
    then = read_value(node.body, where(names, condition, True))
    other = read_value(node.orelse, where(names, condition, False))
    return ir.Conditional(condition, then, other, names.at(node))


def read_clauses(generators: list[ast.comprehension], names: Names) -> tuple[tuple[ir.Clause, ...], Names]:
    """The clauses of a comprehension, and the names known inside them."""
    clauses = []
    for generator in generators:
        target = generator.target
        if generator.is_async or not isinstance(target, ast.Name):
            raise names.refuse(target, "a `for` has one plain name here.", "Write `for r in Replica`.")
        # Python makes the name local to the whole comprehension, the parts before its own `for` included.
        name = target.id
        if names.has_meaning(name):
            raise names.refuse(target, f"{name} has a meaning already.", "Choose another name.")
        refuse_early(name, generators, generator, names)
        over = read_source(generator.iter, names)
        names, name = names.hide(name)
        tests = tuple[Expression, ...]()
        for test in generator.ifs:
            tests += (read_value(test, names),)
            learn(names, tests[-1], True)
        clauses.append(ir.Clause(name, over, tests, names.at(target)))
    return tuple(clauses), names


def read_source(node: ast.expr, names: Names) -> Expression:
    own = "range" not in names.locals and "range" not in names.globals
    at = names.at(node)
    match node:
        case ast.Call(func=ast.Name(id="range"), args=[_] | [_, _] as ends, keywords=[]) if own:
            *first, stop = read_each(ends, names)
            start = first[0] if first else ir.Literal(0, at)
            return ir.IntegerRange(start, stop, at)
        case ast.Call(func=ast.Name(id=name), args=args) if is_own(name, subsets, names):
            if len(args) != 1 or node.keywords:
                raise names.refuse(node, "subsets() takes one set.", "Write `for q in subsets(Replica)`.")
            return ir.Subsets(read_source(args[0], names), at)
    return everything(node, names) or read_value(node, names)


def _dict_comprehension(node: ast.DictComp, names: Names) -> Expression:
    clauses, inner = read_clauses(node.generators, names)
    key = read_value(node.key, inner)
    value = read_value(node.value, inner)
    return ir.Comprehension(Gathering.MAP, value, clauses, names.at(node), key)


def _call(node: ast.Call, names: Names) -> Expression:
    match node.func:
        case ast.Name(name) if name in names.locals:
            raise names.refuse(node, f"{name} is a value, not a function.", "Only helpers and policies are called.")
        case ast.Name(name) if name in BUILTINS and name not in names.globals:
            return BUILTINS[name](node, names)
        case ast.Name(name) if is_own(name, subsets, names):
            raise names.refuse(node, "subsets() stands after `for ... in` only.", "Write any(... for q in subsets(x)).")
        case ast.Name(name) if any(is_own(name, formula, names) for formula in FORMULAS.values()):
            remedy = "Write it behind return, or within all(...), in a method marked @temporal; never within another."
            raise names.refuse(node, f"{name}() is not a condition of a state.", remedy)
        case ast.Name(name) if is_own(name, enabled, names):
            return read_enabled(node, names)
        case ast.Name(name):
            return _call_global(node, name, names)
        case ast.Attribute(old, "_replace"):
            fields = tuple((keyword_name(k, names), read_value(k.value, names)) for k in node.keywords)
            if node.args:
                raise names.refuse(node, "_replace takes fields by name.", "Write record._replace(field=value).")
            return ir.ReplaceFields(read_value(old, names), fields, names.at(node))
        case ast.Attribute(ast.Name(owner), name) if owner in (names.self_name, names.before) and owner:
            arguments = method_arguments(node, name, "helper or policy", names)
            return ir.Call(name, arguments, names.at(node), owner == names.before)
        case ast.Attribute(network, "count") if bag_of(network, names) in ("Network", "Bag"):
            message = read_value(_one_argument(node, names), names)
            return count_of(read_value(network, names), message, names.at(node))
        case ast.Attribute() as func:
            raise refused.method_refusal(node, func, names)
    read_value(node.func, names)
    raise names.outside(node, "this call", refused.CALL_BY_NAME)


def read_generator(node: ast.GeneratorExp, names: Names) -> tuple[tuple[ir.Clause, ...], Expression]:
    clauses, inner = read_clauses(node.generators, names)
    return clauses, read_value(node.elt, inner)


def read_arguments(node: ast.Call, parameters: list[str], what: str, names: Names) -> tuple[Expression, ...]:
    """Read the arguments of a call, each parameter's once, in the order declared."""
    for each in node.args:
        if isinstance(each, ast.Starred):
            raise names.outside(each, "*", "Write each argument.")
    given = dict(zip(parameters, node.args, strict=False))
    for keyword in node.keywords:
        name = keyword_name(keyword, names)
        if name not in parameters or name in given:
            raise names.unknown(keyword.value, f"{what} takes no further {name}.", name, parameters)
        given[name] = keyword.value
    if len(node.args) > len(parameters) or len(given) < len(parameters):
        sentence = f"{what} takes {len(parameters)} argument(s) and was given {len(node.args) + len(node.keywords)}."
        raise names.refuse(node, sentence, f"Its parameters are: {', '.join(parameters) or 'none'}.")
    ordered = [given[name] for name in parameters]
    return read_each(ordered, names)


def method_arguments(node: ast.Call, name: str, what: str, names: Names) -> tuple[Expression, ...]:
    if name not in names.methods:
        if name in names.actions:
            remedy = "Actions are not called; move what is shared to a helper."
            raise names.refuse(node, f"{name} is an action.", remedy)
        raise names.unknown(node, f"the model has no {what} {name}.", name, names.methods)
    return _positional(node, name, names)


def _positional(node: ast.Call, name: str, names: Names) -> tuple[Expression, ...]:
    if node.keywords:
        raise names.refuse(node, f"{name}() is called with arguments in order.", "Leave the names out.")
    return read_each(node.args, names)


def _call_global(node: ast.Call, name: str, names: Names) -> Expression:
    meaning = names.globals.get(name)
    if is_record(meaning):
        domain = record_domain(meaning, names.at(node))
        fields = _record_fields(node, meaning, names)
        return ir.MakeRecord(domain, fields, names.at(node))
    if same_package(meaning, names):
        return ir.Call(names.ask(meaning), _positional(node, name, names), names.at(node))
    if isinstance(meaning, type) and issubclass(meaning, Sort | Enum):
        source = "Name one, such as" if issubclass(meaning, Enum) else "Take a parameter, or"
        example = f"{name}.{next(iter(meaning.__members__))}" if issubclass(meaning, Enum) else f"`for x in {name}`"
        raise names.refuse(node, f"members of {name} are not made by a call.", f"{source} {example}.")
    if name in names.globals:
        origin = getattr(meaning, "__module__", None) or type(meaning).__module__
        sentence = f"{name}() is not a plain function of the model's package: it comes from {origin}."
        remedy = "Write a helper of the same meaning: a method, or a function beside the model."
        raise names.refuse(node, sentence, remedy)
    if name in vars(builtins):
        raise refused.builtin_refusal(node, name, names)
    known = [n for n, m in names.globals.items() if is_record(m) or same_package(m, names)]
    raise names.unknown(node, f"there is no function {name}().", name, {*known, *BUILTINS} - {"range"})


def _record_fields(node: ast.Call, record: Any, names: Names) -> tuple[Expression, ...]:
    parameters = list(record._fields)
    missing = parameters[len(node.args) :]
    absent = [p for p in missing if p not in {k.arg for k in node.keywords}]
    if any(p in record._field_defaults for p in absent):
        sentence = f"{record.__name__} is given {', '.join(absent)} by default."
        raise names.refuse(node, sentence, "Write every field of a record.")
    return read_arguments(node, parameters, f"{record.__name__}()", names)


def _one_argument(node: ast.Call, names: Names) -> ast.expr:
    if len(node.args) != 1 or node.keywords:
        name = ast.unparse(node.func)
        raise names.refuse(node, f"{name}() takes one argument here.", f"Write {name}(x).")
    return node.args[0]


def _gather(kind: Gathering, node: ast.Call, names: Names) -> ir.MakeSet | ir.Comprehension:
    at = names.at(node)
    if kind is Gathering.SET and not (node.args or node.keywords):
        return ir.MakeSet((), True, at)
    given = _one_argument(node, names)
    if isinstance(given, ast.GeneratorExp):
        clauses, value = read_generator(given, names)
        return ir.Comprehension(kind, value, clauses, at)
    if kind is Gathering.SET and isinstance(given, ast.Set | ast.Tuple):
        parts = read_each(given.elts, names)
        return ir.MakeSet(parts, True, at)
    source = read_source(given, names)
    clause = ir.Clause("(element)", source, (), at)
    return ir.Comprehension(kind, ir.ReadLocal("(element)", at), (clause,), at)


def _extreme(kind: Gathering, node: ast.Call, names: Names) -> Expression:
    default = None
    for keyword in node.keywords:
        if keyword.arg != "default":
            raise names.refuse(keyword.value, f"{kind.value}() has no {keyword.arg} here.", "Leave it out.")
        default = read_value(keyword.value, names)
    if len(node.args) > 1:
        if default is not None:
            raise names.refuse(node, "a default goes with a generator.", "Leave it out.")
        return ir.Extreme(kind, read_each(node.args, names), names.at(node))
    plain = ast.copy_location(ast.Call(node.func, node.args, []), node)
    comprehension = _gather(kind, plain, names)
    assert isinstance(comprehension, ir.Comprehension)
    return replace(comprehension, default=default)


def _length(node: ast.Call, names: Names) -> Expression:
    argument = _one_argument(node, names)
    return ir.Length(everything(argument, names) or read_value(argument, names), names.at(node))


def _isinstance(node: ast.Call, names: Names) -> Expression:
    if len(node.args) != 2 or node.keywords:
        raise names.refuse(node, "isinstance() takes a value and a class.", "Write isinstance(m, Vote).")
    return ir.IsMember(read_value(node.args[0], names), classes_domain(node.args[1], names), names.at(node))


def _range(node: ast.Call, names: Names) -> Expression:
    raise names.refuse(node, "range() stands after `for ... in` only.", "Write all(... for i in range(n)).")


BUILTINS: dict[str, Callable[[ast.Call, Names], Expression]] = {
    "all": partial(_gather, Gathering.ALL),
    "any": partial(_gather, Gathering.ANY),
    "sum": partial(_gather, Gathering.SUM),
    "min": partial(_extreme, Gathering.MIN),
    "max": partial(_extreme, Gathering.MAX),
    "tuple": partial(_gather, Gathering.SEQUENCE),
    "frozenset": partial(_gather, Gathering.SET),
    "len": _length,
    "range": _range,
    "isinstance": _isinstance,
}

EXPRESSIONS: dict[type[ast.expr], Callable[[Any, Names], Expression]] = {
    ast.Constant: _constant,
    ast.Name: read_name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _bool_operation,
    ast.Compare: _compare,
    ast.IfExp: _choice,
    ast.Tuple: lambda node, names: ir.MakeSequence(read_each(node.elts, names), names.at(node)),
    ast.Set: lambda node, names: ir.MakeSet(read_each(node.elts, names), False, names.at(node)),
    ast.DictComp: _dict_comprehension,
    ast.Call: _call,
}
