"""The few operators that our modules need and the standard ones lack, each with what it is built on."""

LIBRARY: dict[str, tuple[str, ...]] = {
    "Max": ("Max(a, b) == IF a >= b THEN a ELSE b",),
    "Min": ("Min(a, b) == IF a <= b THEN a ELSE b",),
    "SetMax": ("SetMax(S) == CHOOSE x \\in S : \\A y \\in S : y <= x",),
    "SetMin": ("SetMin(S) == CHOOSE x \\in S : \\A y \\in S : x <= y",),
    "MaxOr": ("MaxOr(S, none) == IF S = {} THEN none ELSE SetMax(S)",),
    "MinOr": ("MinOr(S, none) == IF S = {} THEN none ELSE SetMin(S)",),
    "Range": ("Range(f) == {f[x] : x \\in DOMAIN f}",),
    "Last": ("Last(s) == s[Len(s)]",),
    "Prefix": (
        "\\* The first n elements; all, if there are fewer.",
        "Prefix(s, n) == SubSeq(s, 1, Min(n, Len(s)))",
    ),
    "Suffix": ("\\* All but the first n elements.", "Suffix(s, n) == SubSeq(s, n + 1, Len(s))"),
    "Slice": (
        "\\* The elements after the first m, up to the n-th.",
        "Slice(s, m, n) == SubSeq(s, m + 1, Min(n, Len(s)))",
    ),
    "Sum": (
        "\\* The sum of a function's values.",
        "Sum(f) ==",
        "    LET Over[S \\in SUBSET DOMAIN f] ==",
        "            IF S = {} THEN 0 ELSE LET x == CHOOSE x \\in S : TRUE IN f[x] + Over[S \\ {x}]",
        "    IN  Over[DOMAIN f]",
    ),
}
BUILT_ON = {"MaxOr": ("SetMax",), "MinOr": ("SetMin",), "Prefix": ("Min",), "Slice": ("Min",)}


def needed(used: set[str], given: frozenset[str] = frozenset()) -> list[str]:
    """The operators of the library among these names, and what they are built on, without those given already."""
    wanted = used & LIBRARY.keys()
    wanted |= {base for name in wanted for base in BUILT_ON.get(name, ())}
    return [name for name in LIBRARY if name in wanted and name not in given]
