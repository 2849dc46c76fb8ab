"""Ordinary mutations: each changes what a text does, which mostly stays a model, and says whether it found a place."""

import ast
import copy
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from tools.mutants.places import Kinds, Slot, blocks, is_require, methods, role, slots, statements

T = TypeVar("T")
Mutation = Callable[[ast.Module, Random], bool]

_ARITHMETIC: list[type[ast.operator]] = [ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.BitOr, ast.BitAnd]
_ORDERS: list[type[ast.cmpop]] = [ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE]
_ODD = [-1, 2, 3, 7, 2**31, 2**63 - 1, 2**64]
_WRAPS = [
    "({n} - 2) // 2", "-{n} % 3", "({n} - 3) % 2", "-({n} // -2)", "0 - {n}", "max({n}, 1)", "min({n}, 1)",
    "{n} * -1 + 1", "{n} + ({t})", "({n} if {t} else 1 - {n})", "sum(1 for i in range({n}))",
    "len(tuple(i for i in range({n}) if {t}))", "max((i for i in range({n})), default=0)",
    "max(i for i in range({n}))", "-7 // 2 + 4 + {n}", "{n} * 3000000000",
    "2 - -{n}", "min((i * {n} for i in range(-2, 2)), default=1)", "{n} // 2 * 2", "{n} % 2",
]  # fmt: skip
_CONDITIONS = [
    "not {t}", "{t} and {u}", "{t} or {u}", "{u} or {t}", "({t} if {u} else not {t})", "({u} if {t} else {u})",
    "{t} == {u}", "{t} != {u}", "{t} is {u}", "{t} and not {u} or {u} and not {t}", "{t} < {u}", "({t}) + ({u}) == 1",
    "all({t} for i in range(2))", "any({t} and i == 1 for i in range(2))", "{t} or 1 // 0 == 1", "bool({t})",
    "{n} < {m} < 3", "{n} == {m} == 1", "{n} < {m} == {t}", "0 <= {n} <= {m}", "{n} - {m} < 0", "{n} // 2 == {m} % 2",
    "not {n} == {m} and {t}", "max({n}, {m}) > {n}", "{t} <= {u}", "min({n}, 1 - {m}) < 0", "1 < 2 or {t}", "{n}",
    "{t} and 1 // 0 == 1 or {u}", "max(i for i in range({n})) >= 0", "{t} == 1", "({n}, {m}) == (1, 1)",
    "{n} in {{0, {m}}}", "{n} in (0, 1)", "({n}, {m}) < (1, 2)", "frozenset({{{n}, {m}}}) == {{1}}", "{n} is not None",
    "len({{{n}, {m}}}) == 2", "tuple(i for i in range(3) if i != {n})[{m}] == 1", "(0, 1, 2)[{n}] == 1",
    "any(i == j for i in range({n}) for j in range(i, 3) if {t})",
    "all(j < {m} for i in range({n}) if i > 0 for j in range(i))",
]  # fmt: skip


def _pick(rng: Random, options: Sequence[T]) -> T | None:
    return rng.choice(options) if options else None


def _site(tree: ast.Module, rng: Random, kind: type[ast.AST] | tuple[type[ast.AST], ...]) -> Slot | None:
    return _pick(rng, [s for m in methods(tree) for s in slots(m) if isinstance(s.node, kind)])


def _method(tree: ast.Module, rng: Random, *roles: str) -> ast.FunctionDef | None:
    return _pick(rng, [m for m in methods(tree) if not roles or role(m) in roles])


def _expression(source: str) -> ast.expr:
    return ast.parse(source, mode="eval").body


def _fill_form(form: str, slot: Slot, method: ast.FunctionDef, kinds: Kinds, rng: Random) -> ast.expr:
    """A form with expressions of the same method in its gaps: t and u are truths, n and m numbers."""
    own = f"({ast.unparse(slot.node)})"

    def other(kind: str, plain: list[str]) -> str:
        known = [s.node for s in kinds.among(method, kind)]
        return f"({ast.unparse(rng.choice(known))})" if known and rng.random() < 0.8 else rng.choice(plain)

    is_truth = kinds.of(slot.node, method) == "truth"
    gaps = {name: other("truth", ["True", "False"]) for name in "tu"} | {
        name: other("number", ["0", "1"]) for name in "nm"
    }
    gaps["t" if is_truth else "n"] = own
    return _expression(form.format(**gaps))


def _reform(kind: str, forms: Sequence[str]) -> Mutation:
    def mutate(tree: ast.Module, rng: Random) -> bool:
        kinds = Kinds(tree)
        places = [(m, s) for m in methods(tree) for s in kinds.among(m, kind)]
        if not places:
            return False
        method, slot = rng.choice(places)
        slot.put(_fill_form(rng.choice(forms), slot, method, kinds, rng))
        return True

    mutate.__name__ = f"reform_{kind}"
    return mutate


def constant(tree: ast.Module, rng: Random) -> bool:
    slot = _site(tree, rng, ast.Constant)
    if slot is None or not isinstance(slot.node, ast.Constant):
        return False
    value = slot.node.value
    if isinstance(value, bool):
        value = rng.choice([not value, not value, int(value), None])
    elif isinstance(value, int):
        value = rng.choice([value + 1, value - 1, 0, 1, value + 1, bool(value), rng.choice(_ODD)])
    else:
        value = rng.choice([0, False])
    slot.put(ast.Constant(value))
    return True


def operator(tree: ast.Module, rng: Random) -> bool:
    places = [n for m in methods(tree) for n in ast.walk(m) if isinstance(n, ast.BinOp | ast.AugAssign)]
    node = _pick(rng, places)
    if node is None:
        return False
    near: list[type[ast.operator]] = [ast.Add, ast.Sub] if isinstance(node.op, ast.Add | ast.Sub) else _ARITHMETIC
    node.op = rng.choice([op for op in (near if rng.random() < 0.7 else _ARITHMETIC) if not isinstance(node.op, op)])()
    return True


def comparison(tree: ast.Module, rng: Random) -> bool:
    node = _pick(rng, [n for m in methods(tree) for n in ast.walk(m) if isinstance(n, ast.Compare)])
    if node is None:
        return False
    position = rng.randrange(len(node.ops))
    pairs: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
        ast.In: [ast.NotIn], ast.NotIn: [ast.In], ast.Is: [ast.IsNot, ast.Eq], ast.IsNot: [ast.Is, ast.NotEq],
        ast.Eq: [ast.NotEq, ast.NotEq, ast.Is, ast.LtE], ast.NotEq: [ast.Eq, ast.Eq, ast.IsNot, ast.GtE],
    }  # fmt: skip
    node.ops[position] = rng.choice(pairs.get(type(node.ops[position]), _ORDERS))()
    return True


def connective(tree: ast.Module, rng: Random) -> bool:
    node = _pick(rng, [n for m in methods(tree) for n in ast.walk(m) if isinstance(n, ast.BoolOp)])
    if node is None:
        return False
    if rng.random() < 0.5:
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    else:
        rng.shuffle(node.values)
    return True


def graft(tree: ast.Module, rng: Random) -> bool:
    """An expression in the place of another of its kind, from the same method or any other."""
    kinds = Kinds(tree)
    places = [(m, s) for m in methods(tree) for s in slots(m) if kinds.of(s.node, m)]
    if not places:
        return False
    method, slot = rng.choice(places)
    source = method if rng.random() < 0.8 else rng.choice(places)[0]
    others = [s.node for s in kinds.among(source, kinds.of(slot.node, method))]
    other = _pick(rng, [n for n in others if ast.dump(n) != ast.dump(slot.node)])
    if other is None:
        return False
    slot.put(copy.deepcopy(other))
    return True


def precedence(tree: ast.Module, rng: Random) -> bool:
    """(a + b) * c becomes a + (b * c), or the other way round."""
    candidates = [n for m in methods(tree) for n in ast.walk(m) if isinstance(n, ast.BinOp)]
    node = _pick(rng, [n for n in candidates if isinstance(n.left, ast.BinOp) or isinstance(n.right, ast.BinOp)])
    if node is None:
        return False
    if isinstance(node.left, ast.BinOp):
        inner = node.left
        node.left, node.op, node.right = inner.left, inner.op, ast.BinOp(inner.right, node.op, node.right)
    elif isinstance(node.right, ast.BinOp):
        inner = node.right
        node.left, node.op, node.right = ast.BinOp(node.left, node.op, inner.left), inner.op, inner.right
    return True


def index(tree: ast.Module, rng: Random) -> bool:
    node = _pick(rng, [n for m in methods(tree) for n in ast.walk(m) if isinstance(n, ast.Subscript)])
    if node is None:
        return False
    old = ast.unparse(node.slice)
    forms = [f"({old}) + 1", f"({old}) - 1", "-1", "0", "1", f"1 - ({old})", f"({old}):", f":{old}", f"-({old})"]
    if isinstance(node.slice, ast.Slice):
        forms = ["0", "1:", ":1", "1:2", "2:1", ":-1", "None:1", "0:9", "::2"]
    node.slice = ast.parse(f"x[{rng.choice(forms)}]", mode="eval").body.slice  # type: ignore[attr-defined] # chosen for its class
    return True


def comprehension(tree: ast.Module, rng: Random) -> bool:
    """Conditions dropped, negated or moved, clauses in another order, another function around it."""
    kinds = Kinds(tree)
    candidates = [(m, n) for m in methods(tree) for n in ast.walk(m) if isinstance(n, ast.Call) and n.args]
    candidates = [(m, n) for m, n in candidates if isinstance(n.args[0], ast.GeneratorExp)]
    pair = _pick(rng, candidates)
    if pair is None:
        return False
    method, call = pair
    generator = call.args[0]
    assert isinstance(generator, ast.GeneratorExp)
    clause = rng.choice(generator.generators)
    choice = rng.randrange(5)
    if choice == 0 and clause.ifs:
        clause.ifs.pop(rng.randrange(len(clause.ifs)))
    elif choice == 1:
        conditions = [s.node for s in kinds.among(method, "truth")]
        conditions = [c for c in conditions if not any(isinstance(n, ast.GeneratorExp) for n in ast.walk(c))]
        clause.ifs.append(copy.deepcopy(rng.choice(conditions)) if conditions else ast.Constant(True))
    elif choice == 2 and len(generator.generators) > 1:
        generator.generators.reverse()
    elif choice == 3 and call.keywords:
        call.keywords.clear()
    elif isinstance(call.func, ast.Name):
        pairs = {"all": "any", "any": "all", "min": "max", "max": "min", "sum": "max", "tuple": "frozenset"}
        call.func.id = pairs.get(call.func.id, "tuple")
    return True


# Statements


def statement(tree: ast.Module, rng: Random) -> bool:
    """Deleted, written twice, or in another order."""
    method = _method(tree, rng, "action", "helper")
    block = rng.choice(blocks(method)) if method else []
    positions = statements(block)
    if len(positions) < 2:
        return False
    one, two = sorted(rng.sample(positions, 2))
    choice = rng.randrange(4)
    if choice == 0:
        block.pop(one)
    elif choice == 1:
        block.insert(two, copy.deepcopy(block[one]))
    else:
        block[one], block[two] = block[two], block[one]
    return True


def branch(tree: ast.Module, rng: Random) -> bool:
    """Statements of an action under a condition, guards among them; some in its else."""
    kinds, method = Kinds(tree), _method(tree, rng, "action")
    block = rng.choice(blocks(method)) if method else []
    positions = statements(block)
    if method is None or not positions:
        return False
    truths = [s.node for s in kinds.among(method, "truth")] or [_expression("True")]
    test = copy.deepcopy(rng.choice(truths))
    start = rng.choice(positions)
    end = rng.randint(start + 1, len(block))
    then = block[start:end]
    choice = ast.If(test if rng.random() < 0.7 else ast.UnaryOp(ast.Not(), test), then, [])
    if rng.random() < 0.4:
        choice.orelse = copy.deepcopy(rng.choice([then, block[positions[0] : start] or then]))
    if rng.random() < 0.4:
        choice.body = [*then, ast.parse(f"require({ast.unparse(rng.choice(truths))})").body[0]]
    block[start:end] = [choice]
    return True


def guard(tree: ast.Module, rng: Random) -> bool:
    """A guard dropped, moved, split, joined with another by a condition, or asked only sometimes."""
    candidates = [
        (b, i)
        for m in methods(tree)
        if role(m) == "action"
        for b in blocks(m)
        for i in statements(b)
        if is_require(b[i])
    ]
    if not candidates:
        return False
    block, position = rng.choice(candidates)
    call = block[position].value  # type: ignore[attr-defined] # chosen for its class
    choice = rng.randrange(5)
    if choice == 0 and len(block) > 1:
        block.pop(position)
    elif choice == 1:
        block.append(block[position])
        block.pop(position)
        block[position:position] = [] if block[position:] else [ast.Pass()]
    elif choice == 2 and isinstance(call.args[0], ast.BoolOp):
        parts = call.args[0].values
        block[position : position + 1] = [ast.parse(f"require({ast.unparse(p)})").body[0] for p in parts]
    elif choice == 3:
        block[position] = ast.If(copy.deepcopy(call.args[0]), [ast.Pass()], [block[position]])
    else:
        call.args[0] = ast.UnaryOp(ast.Not(), call.args[0])
    return True


def assignment(tree: ast.Module, rng: Random) -> bool:
    """x += y as x = x + y or x = y + x; x = y through a local name; neighbours at once."""
    kinds = (ast.AugAssign, ast.Assign)
    candidates = [(b, i) for m in methods(tree) for b in blocks(m) for i in statements(b) if isinstance(b[i], kinds)]
    if not candidates:
        return False
    block, position = rng.choice(candidates)
    node = block[position]
    if isinstance(node, ast.AugAssign):
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        sides = (read, node.value) if rng.random() < 0.5 else (node.value, read)
        block[position] = ast.Assign([node.target], ast.BinOp(sides[0], node.op, sides[1]))
        return True
    assert isinstance(node, ast.Assign)
    after = block[position + 1] if position + 1 < len(block) else None
    if isinstance(after, ast.Assign) and isinstance(node.targets[0], ast.Name | ast.Attribute | ast.Subscript):
        targets, values = [node.targets[0], after.targets[0]], [node.value, after.value]
        if rng.random() < 0.3:
            values.reverse()
        block[position : position + 2] = [ast.Assign([ast.Tuple(targets, ast.Store())], ast.Tuple(values, ast.Load()))]
    elif rng.random() < 0.5:
        name = rng.choice(["kept", "kept", "len", "max", "frozenset", "r"])
        block[position : position + 1] = [
            ast.Assign([ast.Name(name, ast.Store())], node.value),
            ast.Assign(node.targets, ast.Name(name, ast.Load())),
        ]
    else:
        reads = ast.parse(ast.unparse(node.targets[0]), mode="eval").body
        block[position] = ast.Assign(node.targets, ast.IfExp(_expression("1 < 2"), node.value, reads))
    return True


def alias(tree: ast.Module, rng: Random) -> bool:
    """A map, or any variable, kept under a local name or another variable while it is written."""
    method = _method(tree, rng, "action")
    names = [
        n for n, annotation in Kinds(tree).variables.items() if annotation.startswith("dict[") or rng.random() < 0.3
    ]
    places = statements(method.body) if method else []
    if method is None or not names or not places:
        return False
    name = rng.choice(names)
    start = places[0]
    second = rng.choice(names)
    lines = [
        [f"kept = self.{name}"], [f"self.{second} = self.{name}"],
        [f"self.{name}, self.{second} = self.{second}, self.{name}"],
    ]  # fmt: skip
    method.body[start:start] = ast.parse("\n".join(rng.choice(lines))).body
    if rng.random() < 0.6:
        last = [f"self.{name} = kept", f"require(kept == self.{name})", f"self.{second} = self.{name}"]
        method.body.append(ast.parse(rng.choice(last)).body[0])
    return True


def change_return(tree: ast.Module, rng: Random) -> bool:
    """A pure method returns earlier, or through a local name that a branch changes."""
    kinds = Kinds(tree)
    candidates = [
        (m, b, i) for m in methods(tree) for b in blocks(m) for i in statements(b) if isinstance(b[i], ast.Return)
    ]
    if not candidates:
        return False
    method, block, position = rng.choice(candidates)
    value = ast.unparse(block[position].value or ast.Constant(None))  # type: ignore[attr-defined] # chosen for its class
    truths = [ast.unparse(s.node) for s in kinds.among(method, "truth")] or ["True"]
    test = rng.choice(truths)
    others = [ast.unparse(s.node) for s in kinds.among(method, kinds.of(_expression(value), method))] or [value]
    other = rng.choice(others)
    forms = [
        f"if {test}:\n    return {other}\nreturn {value}",
        f"y = {value}\nif {test}:\n    y = {other}\nreturn y",
        f"if {test}:\n    y = {value}\nelse:\n    y = {other}\nreturn y",
        f"y = {value}\ny, z = {other}, y\nreturn z",
    ]
    block[position : position + 1] = ast.parse(rng.choice(forms)).body
    return True


# Declarations


def bound(tree: ast.Module, rng: Random) -> bool:
    """A domain's bound, or the default of a constant, one up or down."""
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.args]
    node = _pick(rng, [n for n in calls if n.func.id in ("UpTo", "constant")])  # type: ignore[attr-defined] # chosen for its class
    if node is None or not isinstance(node.args[0], ast.Constant):
        return False
    value = node.args[0].value
    if isinstance(value, str):
        node.args[0] = ast.Constant(f"{value} {rng.choice(['+ 1', '- 1', '* 2', '// 2', '+ 0'])}")
    elif isinstance(value, bool):
        node.args[0] = ast.Constant(not value)
    elif isinstance(value, int):
        node.args[0] = ast.Constant(value + rng.choice([1, -1]))
    return True


def change_declaration(tree: ast.Module, rng: Random) -> bool:
    """Another initial value, another mark above a method."""
    method = _method(tree, rng, "invariant", "reachable")
    variables = [n for c in tree.body if isinstance(c, ast.ClassDef) for n in c.body if isinstance(n, ast.AnnAssign)]
    plain = [n for n in variables if isinstance(n.value, ast.Constant)]
    if plain and (method is None or rng.random() < 0.6):
        node = rng.choice(plain)
        assert isinstance(node.value, ast.Constant)
        value = node.value.value
        node.value = ast.Constant(not value if isinstance(value, bool) else 1 - value if isinstance(value, int) else 0)
        return True
    if method is None:
        return False
    method.decorator_list = [ast.Name("reachable" if role(method) == "invariant" else "invariant", ast.Load())]
    return True


MUTATIONS: tuple[Mutation, ...] = (
    constant, operator, comparison, connective, graft, graft, graft, precedence, index, comprehension, statement,
    statement, branch, branch, guard, guard, assignment, assignment, alias, change_return, bound, change_declaration,
    _reform("truth", _CONDITIONS), _reform("truth", _CONDITIONS), _reform("number", _WRAPS), _reform("number", _WRAPS),
)  # fmt: skip
