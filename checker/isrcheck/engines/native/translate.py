"""From the text of kernel functions, in the dialect, to LLVM IR."""

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType

from isrcheck.engines.native.dialect import ELEMENT_BITS
from isrcheck.engines.native.function_text import FunctionText, TypedValue, llvm_type, signed


class NotInDialect(Exception):
    """A kernel function uses something that the dialect does not have."""


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
    given = [modules] if isinstance(modules, ModuleType) else modules
    unqualified = _Unqualified({module.__name__.rpartition(".")[2] for module in given})
    body = [unqualified.visit(node) for module in given for node in ast.parse(inspect.getsource(module)).body]
    return _Translator(constants, aliases, exported).module(ast.Module(body, []))


class _Unqualified(ast.NodeTransformer):
    """Names without the module in front of them."""

    def __init__(self, modules: set[str]) -> None:
        self._modules = modules

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        match node:
            case ast.Attribute(ast.Name(module), name) if module in self._modules:
                return ast.copy_location(ast.Name(name, ast.Load()), node)
        self.generic_visit(node)
        return node


class _Translator:
    def __init__(self, constants: Mapping[str, int], aliases: Mapping[str, str], exported: set[str]) -> None:
        self._constants = dict(constants)
        self._aliases = aliases
        self._exported = exported
        self._records: dict[str, dict[str, tuple[int, str]]] = {}
        self._signatures: dict[str, Signature] = {}
        self._text = FunctionText("None")
        self._intrinsics: dict[str, Callable[..., TypedValue]] = {
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
        self._text = FunctionText(result)
        names = [each.arg for each in node.args.args]
        for name, kind in zip(names, kinds, strict=True):
            self._text.declare(name, kind)
            self._text.line(f"store {llvm_type(kind)} %{name}, ptr %{name}.v")
        self._block(body)
        if not self._text.ended:
            self._text.line("ret void" if result == "None" else f"ret {llvm_type(result)} 0")
        parameters = ", ".join(f"{llvm_type(kind)} %{name}" for name, kind in zip(names, kinds, strict=True))
        linkage, attribute = ("", "") if node.name in self._exported else ("internal ", " alwaysinline")
        return f"define {linkage}{llvm_type(result)} @{node.name}({parameters}){attribute} {{\n{self._text}\n}}\n"

    # Statements

    def _block(self, body: list[ast.stmt]) -> None:
        for node in body:
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self._assign(target, self._expression(value))
            case ast.If():
                self._if(node)
            case ast.While(test=test, body=body, orelse=[]):
                self._while(test, body)
            case ast.For(target=ast.Name(name), iter=ast.Call(func=ast.Name("range"), args=bounds), body=body):
                self._for_range(name, bounds, body)
            case ast.For(target=ast.Name(name), iter=ast.Call(func=ast.Name("bits"), args=[word]), body=body):
                self._for_bits(name, word, body)
            case ast.Return(value=value):
                self._return(value)
            case ast.Expr(value=ast.Call() as call):
                self._expression(call)
            case ast.Break():
                self._text.jump(self._text.loops[-1][1])
            case ast.Continue():
                self._text.jump(self._text.loops[-1][0])
            case _:
                raise NotInDialect(f"line {node.lineno}: {ast.unparse(node)}")

    def _assign(self, target: ast.expr, value: TypedValue) -> None:
        if value.kind == "bool":
            value = self._text.word(value)
        match target:
            case ast.Name(name):
                place = self._text.locals.get(name) or self._text.declare(name, value.kind)
                self._text.line(f"store {llvm_type(value.kind)} {value.text}, ptr {place.text}")
            case ast.Attribute():
                place = self._field(target)
                self._text.line(f"store {llvm_type(place.kind)} {value.text}, ptr {place.text}")
            case ast.Subscript():
                pointer, bits = self._pointer(target.value, target.slice)
                self._text.line(f"store i{bits} {self._text.narrow(value, bits)}, ptr {pointer.text}")
            case _:
                raise NotInDialect(f"line {target.lineno}: {ast.unparse(target)}")

    def _if(self, node: ast.If) -> None:
        then, other, end = self._text.label(), self._text.label(), self._text.label()
        self._branch(node.test, then, other)
        self._text.start(then)
        self._block(node.body)
        self._text.jump(end)
        self._text.start(other)
        self._block(node.orelse)
        self._text.jump(end)
        self._text.start(end)

    def _while(self, test: ast.expr, body: list[ast.stmt]) -> None:
        head, inside, end = self._text.label(), self._text.label(), self._text.label()
        self._text.start(head)
        self._branch(test, inside, end)
        self._loop_body(inside, body, head, end)
        self._text.jump(head)
        self._text.start(end)

    def _loop_body(self, label: str, body: list[ast.stmt], on_continue: str, on_break: str) -> None:
        self._text.start(label)
        self._text.loops.append((on_continue, on_break))
        self._block(body)
        self._text.loops.pop()

    def _for_range(self, name: str, bounds: list[ast.expr], body: list[ast.stmt]) -> None:
        start, stop = (ast.Constant(0), bounds[0]) if len(bounds) == 1 else bounds
        self._assign(ast.Name(name), self._expression(start))
        limit = self._expression(stop)
        head, inside, step, end = self._text.label(), self._text.label(), self._text.label(), self._text.label()
        self._text.start(head)
        self._text.jump_if(
            self._text.emit(f"icmp ult i64 {self._text.read(name).text}, {limit.text}", "bool"), inside, end
        )
        self._loop_body(inside, body, step, end)
        self._text.start(step)
        self._assign(ast.Name(name), self._text.emit(f"add nuw i64 {self._text.read(name).text}, 1", "int"))
        self._text.jump(head)
        self._text.start(end)

    def _for_bits(self, name: str, word: ast.expr, body: list[ast.stmt]) -> None:
        head, inside, end = self._text.label(), self._text.label(), self._text.label()
        left = f"{name}.{head}"
        self._assign(ast.Name(left), self._expression(word))
        self._text.start(head)
        present = self._text.read(left)
        self._text.jump_if(self._text.truth(present), inside, end)
        self._text.start(inside)
        self._assign(ast.Name(name), self._text.emit(f"call i64 @llvm.cttz.i64(i64 {present.text}, i1 true)", "int"))
        lower = self._text.emit(f"add i64 {present.text}, -1", "int")
        self._assign(ast.Name(left), self._text.emit(f"and i64 {present.text}, {lower.text}", "int"))
        self._loop_body(self._text.label(), body, head, end)
        self._text.jump(head)
        self._text.start(end)

    def _return(self, value: ast.expr | None) -> None:
        if value is None:
            self._text.line("ret void")
        else:
            result = self._expression(value)
            result = self._text.truth(result) if self._text.result == "bool" else self._text.word(result)
            self._text.line(f"ret {llvm_type(self._text.result)} {result.text}")
        self._text.ended = True

    def _branch(self, test: ast.expr, then: str, other: str) -> None:
        """Jump by a condition; `and`, `or` and `not` are decided from left to right."""
        match test:
            case ast.BoolOp(op=op, values=values):
                for part in values[:-1]:
                    following = self._text.label()
                    self._branch(part, *((following, other) if isinstance(op, ast.And) else (then, following)))
                    self._text.start(following)
                self._branch(values[-1], then, other)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._branch(operand, other, then)
            case _:
                self._text.jump_if(self._text.truth(self._expression(test)), then, other)

    # Expressions

    def _expression(self, node: ast.expr) -> TypedValue:
        match node:
            case ast.Constant(value=bool(value)):
                return TypedValue(str(value).lower(), "bool")
            case ast.Constant(value=int(value)):
                return TypedValue(signed(value), "int")
            case ast.Name(name) if name in self._text.locals:
                return self._text.read(name)
            case ast.Name(name) if name in self._constants:
                return TypedValue(signed(self._constants[name]), "int")
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _WORD_OPERATIONS:
                a, b = self._text.word(self._expression(left)), self._text.word(self._expression(right))
                return self._text.emit(f"{_WORD_OPERATIONS[type(op)]} i64 {a.text}, {b.text}", "int")
            case ast.Compare(left=left, ops=[comparison], comparators=[right]):
                a, b = self._text.word(self._expression(left)), self._text.word(self._expression(right))
                return self._text.emit(f"icmp {_COMPARISONS[type(comparison)]} i64 {a.text}, {b.text}", "bool")
            case ast.Attribute():
                place = self._field(node)
                return self._text.emit(f"load {llvm_type(place.kind)}, ptr {place.text}", place.kind)
            case ast.Subscript():
                pointer, bits = self._pointer(node.value, node.slice)
                return self._text.widened(self._text.emit(f"load i{bits}, ptr {pointer.text}", "int"), bits)
            case ast.NamedExpr(target=target, value=value):
                self._assign(target, self._expression(value))
                return self._text.read(target.id)
            case ast.Call(func=ast.Name(name), args=arguments):
                return self._call(name, arguments)
            case _:
                raise NotInDialect(f"line {node.lineno}: {ast.unparse(node)}")

    def _field(self, node: ast.Attribute) -> TypedValue:
        record = self._expression(node.value)
        position, kind = self._records[record.kind][node.attr]
        return self._text.emit(f"getelementptr i8, ptr {record.text}, i64 {8 * position}", kind)

    def _pointer(self, array: ast.expr, position: ast.expr) -> tuple[TypedValue, int]:
        """The array that begins at this element, and the bits of its elements."""
        base = self._expression(array)
        bits = ELEMENT_BITS[base.kind]
        index = self._text.word(self._expression(position))
        return self._text.emit(f"getelementptr i{bits}, ptr {base.text}, i64 {index.text}", base.kind), bits

    def _call(self, name: str, arguments: list[ast.expr]) -> TypedValue:
        if name in self._intrinsics:
            return self._intrinsics[name](*arguments)
        if name not in self._signatures:
            raise NotInDialect(f"{name} is not a function of the kernel")
        kinds, result = self._signatures[name]
        values = [self._expression(each) for each in arguments]
        given = ", ".join(f"{llvm_type(k)} {v.text}" for k, v in zip(kinds, values, strict=True))
        call = f"call {llvm_type(result)} @{name}({given})"
        if result != "None":
            return self._text.emit(call, result)
        self._text.line(call)
        return TypedValue("", "None")

    # Intrinsics

    def _at(self, array: ast.expr, position: ast.expr) -> TypedValue:
        return self._pointer(array, position)[0]

    def _prefetch(self, array: ast.expr, position: ast.expr) -> TypedValue:
        pointer, _ = self._pointer(array, position)
        self._text.line(f"call void @llvm.prefetch.p0(ptr {pointer.text}, i32 0, i32 3, i32 1)")
        return TypedValue("", "None")

    def _acquire(self, array: ast.expr, position: ast.expr) -> TypedValue:
        pointer, bits = self._pointer(array, position)
        element = self._text.emit(f"load atomic i{bits}, ptr {pointer.text} acquire, align {bits // 8}", "int")
        return self._text.widened(element, bits)

    def _publish(self, array: ast.expr, position: ast.expr, *words: ast.expr) -> TypedValue:
        pointer, bits = self._pointer(array, position)
        old, new = (self._text.narrow(self._expression(word), bits) for word in words)
        pair = self._text.emit(f"cmpxchg ptr {pointer.text}, i{bits} {old}, i{bits} {new} acq_rel acquire", "int")
        return self._text.emit(f"extractvalue {{ i{bits}, i1 }} {pair.text}, 1", "bool")

    def _take(self, array: ast.expr, position: ast.expr, count: ast.expr) -> TypedValue:
        pointer, _ = self._pointer(array, position)
        added = self._expression(count)
        return self._text.emit(f"atomicrmw add ptr {pointer.text}, i64 {added.text} seq_cst", "int")

    def _lowest_bit(self, word: ast.expr) -> TypedValue:
        return self._text.emit(f"call i64 @llvm.cttz.i64(i64 {self._expression(word).text}, i1 true)", "int")


DECLARATIONS = {
    "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
    "declare i64 @llvm.cttz.i64(i64, i1)",
}  # of what the translated text calls


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
