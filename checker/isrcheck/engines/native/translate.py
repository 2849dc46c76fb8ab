"""From the text of kernel functions, in the dialect, to LLVM IR."""

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType

from isrcheck.engines.native.dialect import ELEMENT_BITS

_WORD_MASK = (1 << 64) - 1


class NotInDialect(Exception):
    """A kernel function uses something that the dialect does not have."""


@dataclass(frozen=True, slots=True)
class Value:
    """A name in the IR text and its kind: int, bool, an array or a record."""

    text: str
    kind: str


@dataclass(slots=True)
class _Function:
    """What is known of one function while its body is translated."""

    result: str
    lines: list[str] = field(default_factory=list)
    locals: dict[str, Value] = field(default_factory=dict)
    loops: list[tuple[str, str]] = field(default_factory=list)
    count: int = 0
    ended: bool = False


Signature = tuple[tuple[str, ...], str]

_WORD_OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "udiv", ast.Mod: "urem",
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "lshr",
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "ult", ast.LtE: "ule", ast.Gt: "ugt", ast.GtE: "uge",
}  # fmt: skip


def translate(
    modules: ModuleType | Sequence[ModuleType],
    constants: Mapping[str, int],
    aliases: Mapping[str, str],
    exported: set[str],
) -> str:
    """The IR text of the functions of a module, or of several, of which each may call those before it.

    `aliases` names kinds of arrays; only `exported` functions can be called from outside.
    """
    each = [modules] if isinstance(modules, ModuleType) else modules
    body = [node for module in each for node in ast.parse(inspect.getsource(module)).body]
    return _Translator(constants, aliases, exported).module(ast.Module(body, []))


def _llvm_type(kind: str) -> str:
    return {"int": "i64", "bool": "i1", "None": "void"}.get(kind, "ptr")


def _signed(value: int) -> str:
    value &= _WORD_MASK
    return str(value - (1 << 64) if value >> 63 else value)


class _Translator:
    def __init__(self, constants: Mapping[str, int], aliases: Mapping[str, str], exported: set[str]) -> None:
        self._constants = dict(constants)
        self._aliases = aliases
        self._exported = exported
        self._records: dict[str, dict[str, tuple[int, str]]] = {}
        self._signatures: dict[str, Signature] = {}
        self._f = _Function("None")
        self._intrinsics: dict[str, Callable[[list[ast.expr]], Value]] = {
            "at": self._at, "prefetch": self._prefetch, "acquire": self._acquire, "publish": self._publish,
            "take": self._take, "lowest_bit": self._lowest_bit,
        }  # fmt: skip

    # Declarations

    def module(self, tree: ast.Module) -> str:
        for node in tree.body:
            match node:
                case ast.ClassDef():
                    self._record(node)
                case ast.Assign(targets=[ast.Name(name)], value=ast.Constant(int(value))) if name.isupper():
                    self._constants.setdefault(name, value)
                case ast.FunctionDef():
                    self._signatures[node.name] = self._signature(node)
        bodies = [self._function(node) for node in tree.body if isinstance(node, ast.FunctionDef)]
        return "\n".join(body for body in bodies if body)

    def _kind(self, annotation: ast.expr | None) -> str:
        text = ast.unparse(annotation) if annotation is not None else "None"
        return self._aliases.get(text, text)

    def _record(self, node: ast.ClassDef) -> None:
        fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
        self._records[node.name] = {
            ast.unparse(each.target): (position, self._kind(each.annotation)) for position, each in enumerate(fields)
        }

    def _signature(self, node: ast.FunctionDef) -> Signature:
        return tuple(self._kind(each.annotation) for each in node.args.args), self._kind(node.returns)

    def _function(self, node: ast.FunctionDef) -> str:
        kinds, result = self._signatures[node.name]
        body = [each for each in node.body if not _is_docstring(each)]
        if len(body) == 1 and isinstance(body[0], ast.Raise):
            return ""
        self._f = _Function(result)
        names = [each.arg for each in node.args.args]
        for name, kind in zip(names, kinds, strict=True):
            self._declare(name, kind)
            self._line(f"store {_llvm_type(kind)} %{name}, ptr %{name}.v")
        self._block(body)
        if not self._f.ended:
            self._line("ret void" if result == "None" else f"ret {_llvm_type(result)} 0")
        parameters = ", ".join(f"{_llvm_type(kind)} %{name}" for name, kind in zip(names, kinds, strict=True))
        linkage, attribute = ("", "") if node.name in self._exported else ("internal ", " alwaysinline")
        allocas = [line for line in self._f.lines if " = alloca " in line]
        others = [line for line in self._f.lines if " = alloca " not in line]
        lines = ["entry:", *allocas, *others]
        text = "\n".join(f"  {line}" if not line.endswith(":") else line for line in lines)
        return f"define {linkage}{_llvm_type(result)} @{node.name}({parameters}){attribute} {{\n{text}\n}}\n"

    # Lines

    def _line(self, text: str) -> None:
        self._f.lines.append(text)

    def _name(self) -> str:
        self._f.count += 1
        return f"%t{self._f.count}"

    def _emit(self, text: str, kind: str) -> Value:
        name = self._name()
        self._line(f"{name} = {text}")
        return Value(name, kind)

    def _label(self) -> str:
        self._f.count += 1
        return f"b{self._f.count}"

    def _start(self, label: str) -> None:
        if not self._f.ended:
            self._line(f"br label %{label}")
        self._line(f"{label}:")
        self._f.ended = False

    def _jump(self, label: str) -> None:
        if not self._f.ended:
            self._line(f"br label %{label}")
        self._f.ended = True

    def _declare(self, name: str, kind: str) -> Value:
        self._line(f"%{name}.v = alloca {_llvm_type(kind)}")
        self._f.locals[name] = Value(f"%{name}.v", kind)
        return self._f.locals[name]

    # Statements

    def _block(self, body: list[ast.stmt]) -> None:
        for node in body:
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self._assign(target, self._expression(value))
            case ast.AugAssign(target=target, op=op, value=value):
                assert isinstance(target, ast.Name | ast.Attribute | ast.Subscript)
                self._assign(target, self._expression(ast.BinOp(left=_as_read(target), op=op, right=value)))
            case ast.If():
                self._if(node)
            case ast.While(test=test, body=body, orelse=[]):
                self._while(test, body)
            case ast.For(target=ast.Name(name), iter=ast.Call(func=ast.Name("range"), args=bounds), body=body):
                self._for(name, bounds, body)
            case ast.Return(value=value):
                self._return(value)
            case ast.Expr(value=ast.Call() as call):
                self._expression(call)
            case ast.Break():
                self._jump(self._f.loops[-1][1])
            case ast.Continue():
                self._jump(self._f.loops[-1][0])
            case _:
                raise NotInDialect(f"line {node.lineno}: {ast.unparse(node)}")

    def _assign(self, target: ast.expr, value: Value) -> None:
        if value.kind == "bool":
            value = self._word(value)
        match target:
            case ast.Name(name):
                place = self._f.locals.get(name) or self._declare(name, value.kind)
                self._line(f"store {_llvm_type(value.kind)} {value.text}, ptr {place.text}")
            case ast.Attribute():
                pointer, kind = self._field(target)
                self._line(f"store {_llvm_type(kind)} {value.text}, ptr {pointer}")
            case ast.Subscript():
                pointer, bits = self._element(target)
                text = value.text if bits == 64 else self._emit(f"trunc i64 {value.text} to i{bits}", "int").text
                self._line(f"store i{bits} {text}, ptr {pointer}")
            case _:
                raise NotInDialect(f"line {target.lineno}: {ast.unparse(target)}")

    def _if(self, node: ast.If) -> None:
        then, other, end = self._label(), self._label(), self._label()
        self._branch(node.test, then, other)
        self._start(then)
        self._block(node.body)
        self._jump(end)
        self._start(other)
        self._block(node.orelse)
        self._jump(end)
        self._start(end)

    def _while(self, test: ast.expr, body: list[ast.stmt]) -> None:
        head, inside, end = self._label(), self._label(), self._label()
        self._start(head)
        self._branch(test, inside, end)
        self._start(inside)
        self._f.loops.append((head, end))
        self._block(body)
        self._f.loops.pop()
        self._jump(head)
        self._start(end)

    def _for(self, name: str, bounds: list[ast.expr], body: list[ast.stmt]) -> None:
        start, stop = (ast.Constant(0), bounds[0]) if len(bounds) == 1 else bounds
        self._assign(ast.Name(name), self._expression(start))
        limit = self._expression(stop)
        head, inside, step, end = self._label(), self._label(), self._label(), self._label()
        self._start(head)
        position = self._read(name)
        test = self._emit(f"icmp ult i64 {position.text}, {limit.text}", "bool")
        self._line(f"br i1 {test.text}, label %{inside}, label %{end}")
        self._f.ended = True
        self._start(inside)
        self._f.loops.append((step, end))
        self._block(body)
        self._f.loops.pop()
        self._start(step)
        following = self._emit(f"add nuw i64 {self._read(name).text}, 1", "int")
        self._assign(ast.Name(name), following)
        self._jump(head)
        self._start(end)

    def _return(self, value: ast.expr | None) -> None:
        if value is None:
            self._line("ret void")
        else:
            result = self._expression(value)
            result = self._truth(result) if self._f.result == "bool" else self._word(result)
            self._line(f"ret {_llvm_type(self._f.result)} {result.text}")
        self._f.ended = True

    def _branch(self, test: ast.expr, then: str, other: str) -> None:
        """Jump by a condition; `and`, `or` and `not` are decided from left to right."""
        match test:
            case ast.BoolOp(op=op, values=values):
                for part in values[:-1]:
                    following = self._label()
                    self._branch(part, *((following, other) if isinstance(op, ast.And) else (then, following)))
                    self._start(following)
                self._branch(values[-1], then, other)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._branch(operand, other, then)
            case _:
                condition = self._truth(self._expression(test))
                self._line(f"br i1 {condition.text}, label %{then}, label %{other}")
                self._f.ended = True

    # Expressions

    def _read(self, name: str) -> Value:
        place = self._f.locals[name]
        return self._emit(f"load {_llvm_type(place.kind)}, ptr {place.text}", place.kind)

    def _word(self, value: Value) -> Value:
        return self._emit(f"zext i1 {value.text} to i64", "int") if value.kind == "bool" else value

    def _truth(self, value: Value) -> Value:
        return value if value.kind == "bool" else self._emit(f"icmp ne i64 {value.text}, 0", "bool")

    def _expression(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=bool(value)):
                return Value(str(value).lower(), "bool")
            case ast.Constant(value=int(value)):
                return Value(_signed(value), "int")
            case ast.Name(name) if name in self._f.locals:
                return self._read(name)
            case ast.Name(name) if name in self._constants:
                return Value(_signed(self._constants[name]), "int")
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _WORD_OPERATIONS:
                a, b = self._word(self._expression(left)), self._word(self._expression(right))
                return self._emit(f"{_WORD_OPERATIONS[type(op)]} i64 {a.text}, {b.text}", "int")
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return self._emit(f"xor i64 {self._expression(operand).text}, -1", "int")
            case ast.Compare(left=left, ops=[comparison], comparators=[right]):
                a, b = self._word(self._expression(left)), self._word(self._expression(right))
                return self._emit(f"icmp {_COMPARISONS[type(comparison)]} i64 {a.text}, {b.text}", "bool")
            case ast.Attribute():
                pointer, kind = self._field(node)
                return self._emit(f"load {_llvm_type(kind)}, ptr {pointer}", kind)
            case ast.Subscript():
                pointer, bits = self._element(node)
                return self._widened(self._emit(f"load i{bits}, ptr {pointer}", "int"), bits)
            case ast.Call(func=ast.Name(name), args=arguments):
                return self._call(name, arguments)
            case _:
                raise NotInDialect(f"line {node.lineno}: {ast.unparse(node)}")

    def _widened(self, value: Value, bits: int) -> Value:
        return value if bits == 64 else self._emit(f"zext i{bits} {value.text} to i64", "int")

    def _field(self, node: ast.Attribute) -> tuple[str, str]:
        record = self._expression(node.value)
        position, kind = self._records[record.kind][node.attr]
        pointer = self._emit(f"getelementptr i8, ptr {record.text}, i64 {8 * position}", kind)
        return pointer.text, kind

    def _element(self, node: ast.Subscript) -> tuple[str, int]:
        return self._pointer(node.value, node.slice)

    def _pointer(self, array: ast.expr, position: ast.expr) -> tuple[str, int]:
        base = self._expression(array)
        bits = ELEMENT_BITS[base.kind]
        index = self._word(self._expression(position))
        return self._emit(f"getelementptr i{bits}, ptr {base.text}, i64 {index.text}", base.kind).text, bits

    def _call(self, name: str, arguments: list[ast.expr]) -> Value:
        if name in self._intrinsics:
            return self._intrinsics[name](arguments)
        if name not in self._signatures:
            raise NotInDialect(f"{name} is not a function of the kernel")
        kinds, result = self._signatures[name]
        values = [self._expression(each) for each in arguments]
        given = ", ".join(f"{_llvm_type(k)} {v.text}" for k, v in zip(kinds, values, strict=True))
        call = f"call {_llvm_type(result)} @{name}({given})"
        if result != "None":
            return self._emit(call, result)
        self._line(call)
        return Value("", "None")

    # Intrinsics

    def _at(self, arguments: list[ast.expr]) -> Value:
        base = self._expression(arguments[0])
        index = self._expression(arguments[1])
        return self._emit(f"getelementptr i{ELEMENT_BITS[base.kind]}, ptr {base.text}, i64 {index.text}", base.kind)

    def _prefetch(self, arguments: list[ast.expr]) -> Value:
        pointer, _ = self._pointer(*arguments)
        self._line(f"call void @llvm.prefetch.p0(ptr {pointer}, i32 0, i32 3, i32 1)")
        return Value("", "None")

    def _acquire(self, arguments: list[ast.expr]) -> Value:
        pointer, bits = self._pointer(*arguments)
        return self._widened(self._emit(f"load atomic i{bits}, ptr {pointer} acquire, align {bits // 8}", "int"), bits)

    def _publish(self, arguments: list[ast.expr]) -> Value:
        pointer, bits = self._pointer(arguments[0], arguments[1])
        old, new = (self._narrow(self._expression(each), bits) for each in arguments[2:])
        pair = self._emit(f"cmpxchg ptr {pointer}, i{bits} {old}, i{bits} {new} acq_rel acquire", "int")
        return self._emit(f"extractvalue {{ i{bits}, i1 }} {pair.text}, 1", "bool")

    def _narrow(self, value: Value, bits: int) -> str:
        return value.text if bits == 64 else self._emit(f"trunc i64 {value.text} to i{bits}", "int").text

    def _take(self, arguments: list[ast.expr]) -> Value:
        pointer, _ = self._pointer(arguments[0], arguments[1])
        count = self._expression(arguments[2])
        return self._emit(f"atomicrmw add ptr {pointer}, i64 {count.text} seq_cst", "int")

    def _lowest_bit(self, arguments: list[ast.expr]) -> Value:
        word = self._expression(arguments[0])
        return self._emit(f"call i64 @llvm.cttz.i64(i64 {word.text}, i1 true)", "int")


DECLARATIONS = {
    "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
    "declare i64 @llvm.cttz.i64(i64, i1)",
}  # of what the translated text calls


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _as_read(target: ast.Name | ast.Attribute | ast.Subscript) -> ast.expr:
    return ast.parse(ast.unparse(target), mode="eval").body
