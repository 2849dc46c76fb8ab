"""Python's names as TLA+ has them: operators and constants in CamelCase, variables and parameters in camelCase.

A name that is a word of TLA+, or of the modules that ours extend, has an underscore behind it. So has one that another
name of the module has already; a parameter named like a variable has `the` before it.
"""

from collections.abc import Collection, Iterable

MODULES = ("Integers", "Naturals", "Reals", "Sequences", "FiniteSets", "Bags", "RealTime", "TLC", "TLCExt", "Json")
KEYWORDS = frozenset(
    """
    ASSUME ASSUMPTION AXIOM CASE CHOOSE CONSTANT CONSTANTS DOMAIN ELSE ENABLED EXCEPT EXTENDS IF IN INSTANCE LAMBDA LET
    LOCAL MODULE OTHER SUBSET THEN THEOREM UNCHANGED UNION VARIABLE VARIABLES WITH ACTION BY COROLLARY DEF DEFINE DEFS
    HAVE HIDE LEMMA NEW OBVIOUS OMITTED ONLY PICK PROOF PROPOSITION PROVE QED RECURSIVE STATE SUFFICES TAKE TEMPORAL USE
    WITNESS TRUE FALSE BOOLEAN STRING
    """.split()  # noqa: SIM905  # a list of words reads best as words
)
STANDARD = frozenset(
    "Nat Int Seq Len Head Tail Append SubSeq SelectSeq IsFiniteSet Cardinality".split()  # noqa: SIM905  # as above
)
LIBRARY = ("Max", "Min", "SetMax", "SetMin", "MaxOr", "MinOr", "Range", "Last", "Prefix", "Suffix", "Slice", "Sum")
OWN = frozenset(("None", "Init", "Next", "Spec", "TypeOk", "vars", *LIBRARY))
RESERVED = KEYWORDS | STANDARD | OWN


def module(name: str) -> str:
    """The module of a class; a standard one's name has an underscore behind it."""
    made = upper(name)
    return f"{made}_" if made in MODULES else made


def plain(name: str) -> str:
    """The name in the letters that TLA+ has; others by their number."""
    text = "".join(c if c == "_" or (c.isascii() and c.isalnum()) else f"u{ord(c):04x}" for c in name)
    return text if any(c.isalpha() for c in text) else f"{text}x"


def upper(name: str) -> str:
    """is_true_leader as IsTrueLeader."""
    return "".join(word[:1].upper() + word[1:] for word in plain(name).split("_") if word)


def lower(name: str) -> str:
    """leader_epoch as leaderEpoch; words in capitals stay."""
    first, *rest = [word for word in plain(name).split("_") if word]
    head = first if len(first) > 1 and first.isupper() else first[:1].lower() + first[1:]
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def field(name: str) -> str:
    """A record's field."""
    made = lower(name)
    return f"{made}_" if made in KEYWORDS else made


def free(name: str, taken: Collection[str]) -> str:
    """The name, with underscores behind it until nobody has it."""
    while name in RESERVED or name in taken or name.startswith(("WF_", "SF_")):
        name += "_"
    return name


def free_local(name: str, taken: Collection[str], variables: Collection[str]) -> str:
    """A parameter's or a bound name."""
    made = lower(name)
    return free(f"the{made[:1].upper()}{made[1:]}" if made in variables else made, taken)


def allot(names: Iterable[tuple[str, str]], taken: set[str]) -> dict[str, str]:
    """(name, wished) pairs, each with a name of its own, which is then taken."""
    found = {}
    for name, wished in names:
        found[name] = free(wished, taken)
        taken.add(found[name])
    return found
