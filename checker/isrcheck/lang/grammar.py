"""The grammar as a page: every kind of Python syntax with an example, taken or refused, from the reader's own tables.

`python -m isrcheck.lang.grammar` prints what stands in `docs/language.md`. A test holds the page to it, reads every
example, and walks Python's syntax classes, so that none is unknown here.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from isrcheck.lang.expressions import BUILTINS, EXPRESSIONS
from isrcheck.lang.operators import COMPARISONS, CONNECTIVES, OPERATORS, SIGNS
from isrcheck.lang.refused import REFUSED_EXPRESSIONS, REFUSED_OPERATORS, REFUSED_SIGNS, REFUSED_STATEMENTS
from isrcheck.lang.statements import STATEMENTS

# An example is the body of a method of the model on the page, which has the parameters r: Replica and n: Offset.
# With `return` it is a helper that returns an Offset; otherwise it has effects.
EXAMPLES: dict[str, str] = {
    # Statements
    "Expr": "require(r in self.isr)",
    "Assign": "self.hw[r], self.epoch = n, self.epoch + 1",
    "AnnAssign": "end: int = len(self.log[r])",
    "AugAssign": "self.isr -= {r}",
    "If": "if r in self.isr: self.leader = r",
    "Return": "return self.hw[r]",
    "Pass": "pass",
    # Expressions
    "Constant": "self.leader = None",
    "Name": "self.hw[r] = n",
    "Attribute": "require(self.pace == Pace.FREE and self.last.epoch < self.epoch)",
    "Subscript": "self.log[r] = self.log[r][:n] + self.log[r][n : n + 1]",
    "BinOp": "self.isr = self.isr | {r}",
    "UnaryOp": "require(not self.full)",
    "BoolOp": "require(self.leader is None or self.hw[r] == n)",
    "Compare": "require(0 <= n < len(self.log[r]))",
    "IfExp": "self.leader = r if self.leader is None else None",
    "Tuple": "self.log[r] += (Record(n, self.epoch),)",
    "Set": "require(self.isr == {r})",
    "DictComp": "self.hw = {k: 0 for k in Replica}",
    "Call": "return min(self.end_of(r), n)",
    # Functions, each on a generator or on a value
    "all": "require(all(self.hw[k] >= n for k in self.isr))",
    "any": "require(any(self.hw[k] == n for k in Replica if k != r))",
    "sum": "return sum(1 for k in Replica for e in self.log[k] if e.epoch == n)",
    "min": "return min(self.hw[k] for k in Replica)",
    "max": "return max((self.hw[k] for k in self.isr), default=0)",
    "tuple": "self.log[r] = tuple(e for e in self.log[r] if e.epoch < n)",
    "frozenset": "self.isr = frozenset(k for k in Replica if self.hw[k] >= n)",
    "len": "return len(self.log[r])",
    "range": "require(all(self.log[r][i].epoch <= n for i in range(len(self.log[r]))))",
    # Operators
    "Add": "self.hw[r] = n + 1",
    "Sub": "self.isr = self.isr - {r}",
    "Mult": "require(2 * n > self.replicas)",
    "FloorDiv": "self.hw[r] = n // 2",
    "Mod": "require(n % 2 == 0)",
    "BitOr": "self.isr |= frozenset({r})",
    "BitAnd": "require(self.isr & {r} != frozenset())",
    "Not": "require(not self.full)",
    "USub": "require(-n < 0)",
    "And": "require(n > 0 and self.hw[r] == n)",
    "Or": "require(n > 0 or self.hw[r] == n)",
    "Eq": "require(self.leader == r)",
    "NotEq": "require(self.leader != r)",
    "Lt": "require(self.isr < frozenset(Replica))",
    "LtE": "require(self.hw[r] <= n)",
    "Gt": "require(n > self.hw[r])",
    "GtE": "require(self.isr >= {r})",
    "In": "require(r in self.isr)",
    "NotIn": "require(r not in self.isr)",
    "Is": "require(self.leader is None)",
    "IsNot": "require(self.leader is not None)",
    # Refused statements
    "For": "for k in Replica: self.advance(k)",
    "While": "while n > 0: self.hw[r] = 0",
    "Try": "try: self.hw[r] = n\nfinally: self.full = True",
    "Raise": "raise ValueError",
    "Assert": "assert n > 0",
    "With": "with self.log: self.hw[r] = n",
    "Match": "match n:\n    case 0: self.hw[r] = n",
    "FunctionDef": "def more(): return n",
    "AsyncFunctionDef": "async def more(): return n",
    "ClassDef": "class More: n = 1",
    "Global": "global LIMIT",
    "Import": "import math",
    "ImportFrom": "from math import floor",
    "Delete": "del self.log[r]",
    "TypeAlias": "type Two = int",
    # Refused expressions
    "Lambda": "lowest = lambda k: k",
    "List": "require(n in [1, 2])",
    "ListComp": "require(n in [len(self.log[k]) for k in Replica])",
    "SetComp": "require(n in {len(self.log[k]) for k in Replica})",
    "GeneratorExp": "ends = (len(self.log[k]) for k in Replica)",
    "Dict": "self.hw = {r: n}",
    "NamedExpr": "require((end := len(self.log[r])) > n)",
    "Yield": "end = yield n",
    "YieldFrom": "end = yield from self.log[r]",
    "JoinedStr": 'require(self.pace == f"{n}")',
    "TemplateStr": 'require(self.pace == t"{n}")',
    "Starred": "self.log[r] = (*self.log[r], Record(n, 0))",
    "Slice": "self.log[r] = self.log[r][0:1, n]",
    # Refused operators
    "Div": "self.hw[r] = n / 2",
    "Pow": "require(n**2 > 4)",
    "MatMult": "require(n @ 2 > 4)",
    "LShift": "require(n << 1 > 4)",
    "RShift": "self.hw[r] = n >> 1",
    "BitXor": "self.isr ^= {r}",
    "Invert": "require(~self.full)",
    "UAdd": "self.hw[r] = +n",
}

# Parts of syntax that are neither a statement nor an expression nor an operator, and who decides about them.
PARTS: dict[str, str] = {
    "arg": "parameters are plain, and have types",
    "arguments": "parameters are plain, and have types",
    "keyword": "read with the call that it stands in",
    "comprehension": "read with the generator that it stands in",
    "expr_context": "told by where an expression stands",
    "alias": "refused with import",
    "excepthandler": "refused with try",
    "withitem": "refused with with",
    "match_case": "refused with match",
    "pattern": "refused with match",
    "type_param": "a method with type parameters is refused",
    "type_ignore": "a comment",
    "mod": "a whole file",
    "slice": "a name that Python 3.8 gave up",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the page: what it is called, the names of Python's syntax classes, and what to write instead."""

    what: str
    classes: tuple[str, ...]
    instead: str = ""

    @property
    def examples(self) -> tuple[str, ...]:
        """The examples of its classes that have one."""
        return tuple(EXAMPLES[name] for name in self.classes if name in EXAMPLES)

    def line(self) -> str:
        """The row as Markdown."""
        examples = ", ".join(f"`{text}`" for text in self.examples).replace("\n", " ").replace("|", "\\|") or "—"
        what = "`*`" if self.what == "*" else self.what
        cells = [what, examples, *([self.instead] if self.instead else [])]
        return f"| {' | '.join(cells)} |"


_TAKEN_WORDS = {
    "Expr": "`require`, and helpers with effects",
    "Assign": "assignment, several at once",
    "AnnAssign": "a local name with its type",
    "AugAssign": "`+=` `-=` `*=` `//=` `%=` `\\|=` `&=`",
    "If": "`if` `elif` `else`",
    "Return": "`return` in what returns a value",
    "Pass": "`pass`",
    "Constant": "integers, `True`, `False`, `None`",
    "Name": "parameters and local names",
    "Attribute": "variables, constants, members of an enumeration, fields",
    "Subscript": "a map's value, an element, `[-1]` for the last, a slice",
    "BinOp": "operators (below)",
    "UnaryOp": "`not`, `-`",
    "BoolOp": "`and`, `or`",
    "Compare": "comparisons (below), chained for integers",
    "IfExp": "`x if c else y`",
    "Tuple": "a sequence",
    "Set": "a set beside a frozenset, or in `frozenset(...)`",
    "DictComp": "a whole map, over all its keys",
    "Call": "records, helpers, policies, functions (below)",
}


def taken_statements() -> list[Row]:
    """The statements of the language."""
    return [Row(_TAKEN_WORDS[kind.__name__], (kind.__name__,)) for kind in STATEMENTS]


def taken_expressions() -> list[Row]:
    """The expressions of the language."""
    return [Row(_TAKEN_WORDS[kind.__name__], (kind.__name__,)) for kind in EXPRESSIONS]


def operators() -> list[Row]:
    """The operators of the language."""
    signs = {"Not": "not", "USub": "- x", "Is": "is None", "IsNot": "is not None"}
    words: dict[str, str] = {}
    words.update({kind.__name__: operator.value for kind, operator in OPERATORS.items()})
    words.update({kind.__name__: operator.value for kind, operator in CONNECTIVES.items()})
    words.update({kind.__name__: operator.value for kind, operator in COMPARISONS.items()})
    words.update({kind.__name__: "" for kind in SIGNS})
    return [Row(f"`{signs.get(name) or word}`".replace("|", "\\|"), (name,)) for name, word in words.items()]


def functions() -> list[Row]:
    """The functions of the language."""
    return [Row(f"`{name}`", (name,)) for name in BUILTINS]


def refused() -> list[Row]:
    """What is not of the language, and what to write instead."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for table in (REFUSED_STATEMENTS, REFUSED_EXPRESSIONS):
        for name, reason in table.items():
            grouped.setdefault(reason, []).append(name)
    for table in (REFUSED_OPERATORS, REFUSED_SIGNS):
        for name, (sign, remedy) in table.items():
            grouped.setdefault((f"`{sign}`", remedy), []).append(name)
    return [Row(what.rstrip(","), tuple(names), remedy) for (what, remedy), names in grouped.items()]


def tables() -> str:
    """All tables as they stand on the page."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    parts = {
        "Statements": taken_statements(),
        "Expressions": taken_expressions(),
        "Functions": functions(),
        "Operators": operators(),
    }
    for title, rows in parts.items():
        yield from ("", f"### {title}", "", "| | For example |", "|---|---|", *(row.line() for row in rows))
    heads = ("", "### Refused", "", "| | For example | Instead |", "|---|---|---|")
    yield from (*heads, *(row.line() for row in refused()), "")


if __name__ == "__main__":
    print(tables())
