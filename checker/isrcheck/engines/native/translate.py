"""A translation of kernel functions, in the dialect, to LLVM IR."""

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import NamedTuple

from isrcheck.engines.native.dialect import ELEMENT_BITS


class NotInDialect(Exception):
    """The dialect does not have it."""


class TypedValue(NamedTuple):
    ir: str
    kind: str


Signature = tuple[tuple[str, ...], str]
NOTHING = TypedValue("", "None")

# What the translated text calls.
DECLARATIONS = {"declare void @llvm.prefetch.p0(ptr, i32, i32, i32)", "declare i64 @llvm.cttz.i64(i64, i1)"}

_WORD_OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "udiv", ast.Mod: "urem",
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "lshr",
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "ult", ast.LtE: "ule", ast.Gt: "ugt", ast.GtE: "uge",
}  # fmt: skip


def translate(
    modules: Sequence[ModuleType], constants: Mapping[str, str], aliases: Mapping[str, str], exported: set[str]
) -> str:
    """The functions' IR text. `aliases` names kinds of arrays; others than `exported` are not called from outside."""
    unqualified = _Unqualified({module.__name__.rpartition(".")[2] for module in modules})
    body = [unqualified.visit(node) for module in modules for node in ast.parse(inspect.getsource(module)).body]
    known = _Declarations(dict(constants), aliases, exported)
    for node in body:
        known.add(node)
    functions = [node for node in body if isinstance(node, ast.FunctionDef) and not _is_elsewhere(node)]
    return "\n".join(_Function(known, node).ir() for node in functions)


class _Unqualified(ast.NodeTransformer):
    def __init__(self, modules: set[str]) -> None:
        self._modules = modules

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        match node:
            case ast.Attribute(ast.Name(module), name) if module in self._modules:
                return ast.copy_location(ast.Name(name, ast.Load()), node)
        self.generic_visit(node)
        return node


def _is_elsewhere(node: ast.FunctionDef) -> bool:
    """Whether a function only raises, since its body is in another module."""
    match node.body:
        case [ast.Raise()] | [ast.Expr(value=ast.Constant(value=str())), ast.Raise()]:
            return True
    return False


class _Declarations:
    def __init__(self, constants: dict[str, str], aliases: Mapping[str, str], exported: set[str]) -> None:
        self.constants, self.exported = constants, exported
        self.records: dict[str, dict[str, tuple[int, str]]] = {}  # the place and kind of each field
        self.signatures: dict[str, Signature] = {}
        self._aliases = aliases

    def add(self, node: ast.stmt) -> None:
        match node:
            case ast.ClassDef(name=name, body=body):
                fields = [each for each in body if isinstance(each, ast.AnnAssign)]
                kinds = ((ast.unparse(each.target), self._kind(each.annotation)) for each in fields)
                self.records[name] = {field: (place, kind) for place, (field, kind) in enumerate(kinds)}
            case ast.Assign(targets=[ast.Name(name)], value=ast.Constant(int(value))) if name.isupper():
                self.constants.setdefault(name, _as_signed(value))
            case ast.FunctionDef(name=name, args=arguments, returns=result):
                kinds_of = tuple(self._kind(each.annotation) for each in arguments.args)
                self.signatures[name] = kinds_of, self._kind(result)

    def _kind(self, annotation: ast.expr | None) -> str:
        spelling = ast.unparse(annotation) if annotation is not None else "None"
        return self._aliases.get(spelling, spelling)


class _Function:
    def __init__(self, known: _Declarations, node: ast.FunctionDef) -> None:
        self.known, self.node = known, node
        self.kinds, self.result = known.signatures[node.name]
        self.lines: list[str] = []
        self.locals: dict[str, TypedValue] = {}
        self.loops: list[tuple[str, str]] = []  # where `continue` and `break` lead to
        self.ended = False  # by a jump or a return
        self.count = 0

    def ir(self) -> str:
        parameters = [f"{_llvm(kind)} %{each.arg}" for each, kind in zip(self.node.args.args, self.kinds, strict=True)]
        for each, kind in zip(self.node.args.args, self.kinds, strict=True):
            self.declare(each.arg, kind)
            self.lines.append(f"store {_llvm(kind)} %{each.arg}, ptr %{each.arg}.v")
        self.block(self.node.body)
        if not self.ended:
            self.lines.append("ret void" if self.result == "None" else f"ret {_llvm(self.result)} 0")
        lines = sorted(self.lines, key=lambda line: " = alloca " not in line)
        body = "\n".join(f"  {line}" if not line.endswith(":") else line for line in ["entry:", *lines])
        linkage, attribute = ("", "") if self.node.name in self.known.exported else ("internal ", " alwaysinline")
        head = f"define {linkage}{_llvm(self.result)} @{self.node.name}({', '.join(parameters)}){attribute}"
        return f"{head} {{\n{body}\n}}\n"

    def emit(self, operation: str, kind: str = "int") -> TypedValue:
        self.count += 1
        self.lines.append(f"%t{self.count} = {operation}")
        return TypedValue(f"%t{self.count}", kind)

    def labels(self, count: int) -> list[str]:
        self.count += count
        return [f"b{self.count - place}" for place in range(count)]

    def start(self, label: str) -> None:
        self.jump(label)
        self.lines.append(f"{label}:")
        self.ended = False

    def jump(self, label: str) -> None:
        if not self.ended:
            self.lines.append(f"br label %{label}")
        self.ended = True

    def jump_if(self, condition: TypedValue, then: str, other: str) -> None:
        self.lines.append(f"br i1 {self.truth(condition).ir}, label %{then}, label %{other}")
        self.ended = True

    def declare(self, name: str, kind: str) -> TypedValue:
        self.lines.append(f"%{name}.v = alloca {_llvm(kind)}")
        self.locals[name] = TypedValue(f"%{name}.v", kind)
        return self.locals[name]

    def load(self, place: TypedValue) -> TypedValue:
        return self.emit(f"load {_llvm(place.kind)}, ptr {place.ir}", place.kind)

    def truth(self, value: TypedValue) -> TypedValue:
        return value if value.kind == "bool" else self.emit(f"icmp ne i64 {value.ir}, 0", "bool")

    def as_word(self, node: ast.expr) -> str:
        value = self.expression(node)
        return self.emit(f"zext i1 {value.ir} to i64").ir if value.kind == "bool" else value.ir

    def element(self, value: TypedValue, bits: int) -> TypedValue:
        return value if bits == 64 else self.emit(f"zext i{bits} {value.ir} to i64")

    def narrow(self, value: str, bits: int) -> str:
        return value if bits == 64 else self.emit(f"trunc i64 {value} to i{bits}").ir

    def block(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self.assign(target, self.expression(value))
            case ast.If():
                self.choice(node)
            case ast.While(test=test, body=body, orelse=[]):
                self.loop(body, lambda inside, end: self.branch(test, inside, end))
            case ast.For(target=ast.Name(name), iter=ast.Call(func=ast.Name("range"), args=bounds), body=body):
                self.count_up(name, bounds, body)
            case ast.For(target=ast.Name(name), iter=ast.Call(func=ast.Name("bits"), args=[mask]), body=body):
                self.each_bit(name, mask, body)
            case ast.Return(value=value):
                self.give(value)
            case ast.Expr(value=ast.Call() as call):
                self.expression(call)
            case ast.Expr(value=ast.Constant(value=str())):
                pass  # a docstring
            case ast.Break():
                self.jump(self.loops[-1][1])
            case ast.Continue():
                self.jump(self.loops[-1][0])
            case _:
                raise _refusal(node)

    def assign(self, target: ast.expr, value: TypedValue) -> None:
        if value.kind == "bool":
            value = self.emit(f"zext i1 {value.ir} to i64")
        match target:
            case ast.Name(name):
                place = self.locals.get(name) or self.declare(name, value.kind)
                self.lines.append(f"store {_llvm(value.kind)} {value.ir}, ptr {place.ir}")
            case ast.Attribute():
                place = self.field(target)
                self.lines.append(f"store {_llvm(place.kind)} {value.ir}, ptr {place.ir}")
            case ast.Subscript():
                pointer, bits = self.pointer(target.value, target.slice)
                self.lines.append(f"store i{bits} {self.narrow(value.ir, bits)}, ptr {pointer.ir}")
            case _:
                raise _refusal(target)

    def choice(self, node: ast.If) -> None:
        then, other, end = self.labels(3)
        self.branch(node.test, then, other)
        for label, body in ((then, node.body), (other, node.orelse)):
            self.start(label)
            self.block(body)
            self.jump(end)
        self.start(end)

    def loop(
        self, body: list[ast.stmt], test: Callable[[str, str], None], step: Callable[[], object] | None = None
    ) -> None:
        """Write a loop. `test` jumps to the body or the end; `step` comes after the body and `continue`."""
        head, inside, end, following = self.labels(4)
        self.start(head)
        test(inside, end)
        self.start(inside)
        self.loops.append((head if step is None else following, end))
        self.block(body)
        self.loops.pop()
        if step is not None:
            self.start(following)
            step()
        self.jump(head)
        self.start(end)

    def count_up(self, name: str, bounds: list[ast.expr], body: list[ast.stmt]) -> None:
        start, stop = (ast.Constant(0), bounds[0]) if len(bounds) == 1 else bounds
        self.assign(ast.Name(name), self.expression(start))
        limit, place = self.expression(stop), self.locals[name]

        def test(inside: str, end: str) -> None:
            self.jump_if(self.emit(f"icmp ult i64 {self.load(place).ir}, {limit.ir}", "bool"), inside, end)

        self.loop(body, test, lambda: self.assign(ast.Name(name), self.emit(f"add nuw i64 {self.load(place).ir}, 1")))

    def each_bit(self, name: str, mask: ast.expr, body: list[ast.stmt]) -> None:
        left = ast.Name(f"{name}.{self.count}")
        self.assign(left, self.expression(mask))

        def test(inside: str, end: str) -> None:
            present = self.load(self.locals[left.id])
            [more] = self.labels(1)
            self.jump_if(present, more, end)
            self.start(more)
            self.assign(ast.Name(name), self.lowest_bit(present.ir))
            lower = self.emit(f"add i64 {present.ir}, -1")
            self.assign(left, self.emit(f"and i64 {present.ir}, {lower.ir}"))

        self.loop(body, test)

    def give(self, value: ast.expr | None) -> None:
        if value is None:
            self.lines.append("ret void")
        elif self.result == "bool":
            self.lines.append(f"ret i1 {self.truth(self.expression(value)).ir}")
        else:
            self.lines.append(f"ret {_llvm(self.result)} {self.as_word(value)}")
        self.ended = True

    def branch(self, test: ast.expr, then: str, other: str) -> None:
        """Jump by a condition; `and`, `or` and `not` are decided from left to right."""
        match test:
            case ast.BoolOp(op, values):
                for term in values[:-1]:
                    [following] = self.labels(1)
                    self.branch(term, *((following, other) if isinstance(op, ast.And) else (then, following)))
                    self.start(following)
                self.branch(values[-1], then, other)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.branch(operand, other, then)
            case _:
                self.jump_if(self.expression(test), then, other)

    def expression(self, node: ast.expr) -> TypedValue:
        match node:
            case ast.Constant(bool(value)):
                return TypedValue(str(value).lower(), "bool")
            case ast.Constant(int(value)):
                return TypedValue(_as_signed(value), "int")
            case ast.Name(name) if name in self.locals:
                return self.load(self.locals[name])
            case ast.Name(name) if name in self.known.constants:
                return TypedValue(self.known.constants[name], "int")
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _WORD_OPERATIONS:
                return self.emit(f"{_WORD_OPERATIONS[type(op)]} i64 {self.as_word(left)}, {self.as_word(right)}")
            case ast.Compare(left=left, ops=[comparison], comparators=[right]):
                predicate = _COMPARISONS[type(comparison)]
                return self.emit(f"icmp {predicate} i64 {self.as_word(left)}, {self.as_word(right)}", "bool")
            case ast.Attribute():
                return self.load(self.field(node))
            case ast.Subscript():
                pointer, bits = self.pointer(node.value, node.slice)
                return self.element(self.emit(f"load i{bits}, ptr {pointer.ir}"), bits)
            case ast.NamedExpr(target=target, value=value):
                self.assign(target, self.expression(value))
                return self.load(self.locals[target.id])
            case ast.Call(ast.Name(name), args):
                return self.call(name, args)
        raise _refusal(node)

    def field(self, node: ast.Attribute) -> TypedValue:
        record = self.expression(node.value)
        place, kind = self.known.records[record.kind][node.attr]
        return self.emit(f"getelementptr i8, ptr {record.ir}, i64 {8 * place}", kind)

    def pointer(self, array: ast.expr, position: ast.expr) -> tuple[TypedValue, int]:
        base = self.expression(array)
        bits = ELEMENT_BITS[base.kind]
        return self.emit(f"getelementptr i{bits}, ptr {base.ir}, i64 {self.as_word(position)}", base.kind), bits

    def call(self, name: str, arguments: list[ast.expr]) -> TypedValue:
        if name == "lowest_bit":
            return self.lowest_bit(self.as_word(arguments[0]))
        if name in ("at", "prefetch", "acquire", "publish", "take", "read_unaligned"):
            return self.intrinsic(name, *self.pointer(arguments[0], arguments[1]), *map(self.as_word, arguments[2:]))
        known = self.known.signatures
        if name not in known:
            raise NotInDialect(f"{name} is not a function of the kernel")
        kinds, result = known[name]
        given = ", ".join(f"{_llvm(k)} {self.expression(a).ir}" for k, a in zip(kinds, arguments, strict=True))
        call = f"call {_llvm(result)} @{name}({given})"
        if result != "None":
            return self.emit(call, result)
        self.lines.append(call)
        return NOTHING

    def lowest_bit(self, mask: str) -> TypedValue:
        return self.emit(f"call i64 @llvm.cttz.i64(i64 {mask}, i1 true)")

    def intrinsic(self, name: str, pointer: TypedValue, bits: int, *words: str) -> TypedValue:
        match name:
            case "at":
                return pointer
            case "prefetch":
                self.lines.append(f"call void @llvm.prefetch.p0(ptr {pointer.ir}, i32 0, i32 3, i32 1)")
                return NOTHING
            case "read_unaligned":
                return self.emit(f"load i64, ptr {pointer.ir}, align 1")
            case "acquire":
                atomic = self.emit(f"load atomic i{bits}, ptr {pointer.ir} acquire, align {bits // 8}")
                return self.element(atomic, bits)
            case "publish":
                old, new = (self.narrow(each, bits) for each in words)
                pair = self.emit(f"cmpxchg ptr {pointer.ir}, i{bits} {old}, i{bits} {new} acq_rel acquire")
                return self.emit(f"extractvalue {{ i{bits}, i1 }} {pair.ir}, 1", "bool")
            case _:
                return self.emit(f"atomicrmw add ptr {pointer.ir}, i64 {words[0]} seq_cst")


def _refusal(node: ast.stmt | ast.expr) -> NotInDialect:
    return NotInDialect(f"line {node.lineno}: {ast.unparse(node)}")


def _llvm(kind: str) -> str:
    return {"int": "i64", "bool": "i1", "None": "void"}.get(kind, "ptr")


def _as_signed(value: int) -> str:
    value &= (1 << 64) - 1
    return str(value - (1 << 64) if value >> 63 else value)
