"""The LLVM IR text of one function of the kernel, while it is written."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A name in the IR text and its kind: int, bool, an array or a record."""

    text: str
    kind: str


def llvm_type(kind: str) -> str:
    """How LLVM calls the values of a kind."""
    return {"int": "i64", "bool": "i1", "None": "void"}.get(kind, "ptr")


def signed(value: int) -> str:
    """A word as LLVM writes it: in two's complement."""
    value &= (1 << 64) - 1
    return str(value - (1 << 64) if value >> 63 else value)


@dataclass(slots=True)
class FunctionText:
    """The lines of one function, and what is known at the end of them."""

    result: str
    lines: list[str] = field(default_factory=list)
    locals: dict[str, TypedValue] = field(default_factory=dict)
    loops: list[tuple[str, str]] = field(default_factory=list)  # where `continue` and `break` lead to
    ended: bool = False  # by a jump or a return
    _count: int = 0

    def __str__(self) -> str:
        allocas = [line for line in self.lines if " = alloca " in line]
        others = [line for line in self.lines if " = alloca " not in line]
        lines = ["entry:", *allocas, *others]
        return "\n".join(f"  {line}" if not line.endswith(":") else line for line in lines)

    def line(self, text: str) -> None:
        """Add a line."""
        self.lines.append(text)

    def emit(self, text: str, kind: str) -> TypedValue:
        """Add an instruction that has a result."""
        self._count += 1
        self.line(f"%t{self._count} = {text}")
        return TypedValue(f"%t{self._count}", kind)

    # Blocks

    def label(self) -> str:
        """A name for a block that begins later."""
        self._count += 1
        return f"b{self._count}"

    def start(self, label: str) -> None:
        """Begin a block; the one before leads to it unless it has ended."""
        self.jump(label)
        self.line(f"{label}:")
        self.ended = False

    def jump(self, label: str) -> None:
        """End a block by going on at another one."""
        if not self.ended:
            self.line(f"br label %{label}")
        self.ended = True

    def jump_if(self, condition: TypedValue, then: str, other: str) -> None:
        """End a block by going on at one of two."""
        self.line(f"br i1 {condition.text}, label %{then}, label %{other}")
        self.ended = True

    # Values

    def declare(self, name: str, kind: str) -> TypedValue:
        """A place for a local variable."""
        self.line(f"%{name}.v = alloca {llvm_type(kind)}")
        self.locals[name] = TypedValue(f"%{name}.v", kind)
        return self.locals[name]

    def read(self, name: str) -> TypedValue:
        """The value of a local variable."""
        place = self.locals[name]
        return self.emit(f"load {llvm_type(place.kind)}, ptr {place.text}", place.kind)

    def word(self, value: TypedValue) -> TypedValue:
        """A truth as a word, anything else as it is."""
        return self.emit(f"zext i1 {value.text} to i64", "int") if value.kind == "bool" else value

    def truth(self, value: TypedValue) -> TypedValue:
        """Whether a word is not 0."""
        return value if value.kind == "bool" else self.emit(f"icmp ne i64 {value.text}, 0", "bool")

    def widened(self, value: TypedValue, bits: int) -> TypedValue:
        """An element of an array as a word."""
        return value if bits == 64 else self.emit(f"zext i{bits} {value.text} to i64", "int")

    def narrow(self, value: TypedValue, bits: int) -> str:
        """A word as an element of an array."""
        return value.text if bits == 64 else self.emit(f"trunc i64 {value.text} to i{bits}", "int").text
