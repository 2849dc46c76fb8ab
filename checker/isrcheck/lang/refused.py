"""What is outside the language, in the words of a message: what it is called, and what to write instead.

By the names of Python's syntax classes, since some of them exist only in newer Pythons.
"""

WHOLE_GRAMMAR = "docs/language.md has the whole grammar."

_LOOP = "Say what holds for each element: all(...), any(...), or a comprehension; a choice is a parameter."
_NO_ERRORS = "A step that cannot happen is a require() that is false."
_NO_SCOPE = "Write helpers as methods of the model or functions of its package."

_TEXT = ("an f-string or t-string", "Leave it out: traces show all values; for names use an Enum.")

REFUSED_STATEMENTS: dict[str, tuple[str, str]] = {
    "For": ("a loop", _LOOP),
    "AsyncFor": ("a loop", _LOOP),
    "While": ("a loop", _LOOP),
    "Break": ("a loop", _LOOP),
    "Continue": ("a loop", _LOOP),
    "Try": ("try", _NO_ERRORS),
    "TryStar": ("try", _NO_ERRORS),
    "Raise": ("raise", _NO_ERRORS),
    "Assert": ("assert", "Write require() for a guard, or an @invariant."),
    "With": ("with", "Write its statements alone."),
    "AsyncWith": ("with", "Write its statements alone."),
    "Match": ("match", "Write if/elif/else."),
    "FunctionDef": ("a function inside a method", _NO_SCOPE),
    "AsyncFunctionDef": ("an async function", _NO_SCOPE),
    "ClassDef": ("a class inside a method", _NO_SCOPE),
    "Global": ("global", "State is declared in the class."),
    "Nonlocal": ("nonlocal", "State is declared in the class."),
    "Import": ("an import inside a method", "Import at the top of the file."),
    "ImportFrom": ("an import inside a method", "Import at the top of the file."),
    "Delete": ("del", "Assign the value that stands for absence, such as None."),
    "TypeAlias": ("a type alias inside a method", "Declare it at the top of the file."),
}

REFUSED_EXPRESSIONS: dict[str, tuple[str, str]] = {
    "Lambda": ("a lambda", "Write a helper method."),
    "List": ("a list, which is a mutable value,", "Write a tuple: (a, b)."),
    "ListComp": ("a list comprehension, which makes a mutable value,", "Write tuple(... for ...)."),
    "SetComp": ("a set comprehension, which makes a mutable value,", "Write frozenset(x for x in ...)."),
    "GeneratorExp": (
        "a generator on its own",
        "Put it into all(), any(), sum(), min(), max(), tuple() or frozenset().",
    ),
    "Dict": ("a dict display", "Write {k: ... for k in Sort}, over all keys at once; frozenset() is the empty set."),
    "NamedExpr": ("an assignment inside an expression", "Assign to a local name on a line of its own."),
    "Await": ("await", "Actions are steps of their own; nothing waits."),
    "Yield": ("yield", "Return one value."),
    "YieldFrom": ("yield", "Return one value."),
    "JoinedStr": _TEXT,
    "FormattedValue": _TEXT,
    "TemplateStr": _TEXT,
    "Interpolation": _TEXT,
    "Starred": ("*", "Write each element."),
    "Slice": ("a slice on its own", "Write sequence[start:stop]."),
}

REFUSED_OPERATORS: dict[str, tuple[str, str]] = {
    "Div": ("/", "Write // for the whole part of a quotient."),
    "Pow": ("**", "Multiply."),
    "MatMult": ("@", "Multiply integers with *."),
    "LShift": ("<<", "Multiply by a constant."),
    "RShift": (">>", "Divide by a constant: x // 2."),
    "BitXor": ("^", "Write != between truth values."),
}

REFUSED_SIGNS: dict[str, tuple[str, str]] = {
    "Invert": ("~", "Write `not x` for a truth value."),
    "UAdd": ("+", "Leave it out."),
}
