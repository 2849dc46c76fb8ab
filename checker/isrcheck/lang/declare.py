"""The words that a model's author imports to declare variables, constants, actions and properties.

Declarations are ordinary attributes and methods; `lang/declarations.py` reads the objects.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from itertools import combinations
from types import FunctionType, MethodType
from typing import Any, ClassVar, Final, Literal, TypeVar, cast, overload
from weakref import WeakKeyDictionary

from isrcheck.errors import ModelError
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.frozen import FrozenStruct
from isrcheck.place import Place

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")
F = TypeVar("F", bound=Callable[..., Any])

_MARK: Final = "__isrcheck_mark__"


class NotEnabled(Exception):
    """Raised by a `require` whose condition is false; never seen by a model's author."""


def require(condition: bool) -> None:
    """A guard: the action can happen only where the condition is true."""
    if not condition:
        raise NotEnabled


ANSWERS: Final = "(enabled)"  # the attribute of a state that answers `enabled`


def is_enabled(action: Callable[..., None]) -> bool:
    """Whether an action has a step here, for some choice of its parameters. Properties ask it."""
    assert isinstance(action, MethodType)
    if ANSWERS not in vars(action.__self__):
        raise TypeError("enabled() is read by isrcheck and has no value of its own")
    return bool(vars(action.__self__)[ANSWERS](action.__self__, action.__name__))


enabled = is_enabled  # the word of TLA+


class SortMeta(type):
    """Makes a sort iterable: `for r in Replica` runs over its members in order."""

    def __iter__(cls: type[T]) -> Iterator[T]:
        return iter(cast(tuple[T, ...], members_of(cast(type[Sort], cls))))

    def __len__(cls) -> int:
        return len(members_of(cast(type[Sort], cls)))

    def __getitem__(cls: type[T], index: int) -> T:
        """The member with this index, counting from 0: Node[0]. Of a symmetric sort none is told from the others."""
        sort = cast(type[Sort], cls)
        if sort.symmetric or index < 0:
            what = "leave symmetric=True out" if sort.symmetric else "count from 0"
            raise TypeError(f"{sort.__name__}[{index}] names a member: {what}")
        size = sort_sizes.get({}).get(sort)
        if size is not None and index >= size:
            raise IndexError(f"{sort.__name__} has {size} members here, and none is {sort.__name__}[{index}]")
        return cast(T, member(sort, index))


class Sort(metaclass=SortMeta):
    """A finite set of things that can be told apart and not otherwise compared, such as the replicas of a partition.

    `class Replica(Sort, size="replicas", symmetric=True)`: the size is an expression over the model's constants;
    `symmetric` allows `--symmetry` to treat states alike that differ only in who is who; `letter` begins the members'
    names in traces (by default the first letter of the class: r0, r1, ...).
    """

    size: ClassVar[str]
    symmetric: ClassVar[bool]
    letter: ClassVar[str]
    _members: ClassVar[list[Any]]

    index: int

    def __init_subclass__(cls, size: str = "", symmetric: bool = False, letter: str = "") -> None:
        cls.size, cls.symmetric, cls._members = size, symmetric, []
        cls.letter = letter or cls.__name__[0].lower()

    def __init__(self, index: int) -> None:
        self.index = index

    def __repr__(self) -> str:
        return f"{self.letter}{self.index}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (member, (type(self), self.index))


def member(sort: type[Sort], index: int) -> Sort:
    """The member of a sort with this index, counting from 0: one object for each, for as long as Python runs."""
    while len(sort._members) <= index:
        sort._members.append(sort(len(sort._members)))
    return cast(Sort, sort._members[index])


sort_sizes: ContextVar[dict[type[Sort], int]] = ContextVar("sort_sizes")


def members_of(sort: type[Sort]) -> tuple[Sort, ...]:
    """The members of a sort in the run at hand, in order.

    Raises LookupError outside a run: a sort has a size only once a model's constants are chosen.
    """
    size = sort_sizes.get({}).get(sort)
    if size is None:
        raise LookupError(f"{sort.__name__} has no members here: its size is known only while a model is being run")
    return tuple(member(sort, index) for index in range(size))


def subsets(of: type[K] | Iterable[K]) -> Iterator[frozenset[K]]:
    """All subsets of a sort or a set, for a comprehension to run over."""
    members = tuple(cast(Iterable[K], of))
    return (frozenset(chosen) for size in range(len(members) + 1) for chosen in combinations(members, size))


class UpTo:
    """A bound chosen when a model is run: integers from 0, or sequences by length, up to an expression of constants."""

    def __init__(self, bound: str | int) -> None:
        self.bound = str(bound)

    def __repr__(self) -> str:
        return f"UpTo({self.bound!r})"


class Between(UpTo):
    """Integers from one expression of constants, which is 0 or less, to another: Between("-n", "n")."""

    def __init__(self, low: str | int, high: str | int) -> None:
        super().__init__(high)
        self.low = str(low)

    def __repr__(self) -> str:
        return f"Between({self.low!r}, {self.bound!r})"


Measure = Literal["value", "ticks", "many"]


class Constant(FrozenStruct):
    default: Any
    sentence: str
    at_least: int | None
    at_most: int | None
    setting: str = ""
    measure: Measure = "value"


def constant(
    default: T,
    sentence: str,
    *,
    at_least: int | None = 0,
    at_most: int | None = None,
    setting: str = "",
    measure: Measure = "value",
) -> T:
    """Declare a constant: an int, a bool or a member of an enumeration.

    `setting` names what it stands for in the modelled system, such as replica.lag.time.max.ms, and `measure` how: the
    same value, a time in ticks, or one for many.
    """
    return cast(T, Constant(default, sentence, at_least, at_most, setting, measure))


REQUIRED: Final = object()


def constant_of(kind: type[T], sentence: str, *, at_least: int | None = 0, at_most: int | None = None) -> T:
    """Declare a constant of this type without a default: every run must choose it."""
    return cast(T, Constant(REQUIRED, sentence, at_least, at_most))


class Each(FrozenStruct):
    keys: Any
    value: Any


@overload
def each(keys: type[K], value: V) -> dict[K, V]: ...
@overload
def each(keys: object, value: V) -> dict[Any, V]: ...
def each(keys: object, value: V) -> dict[Any, V]:
    """A total map in which every key of a sort, an enumeration or a bounded integer has this value at first."""
    return cast(dict[Any, V], Each(keys, value))


class Start(FrozenStruct):
    expression: str


def start(expression: str) -> Any:
    """Begin with an integer that constants decide: `free: Count` with the value `start("slots - 1")`."""
    return Start(str(expression))


class Members(FrozenStruct):
    of: Any


@overload
def members(of: type[K]) -> frozenset[K]: ...
@overload
def members(of: object) -> frozenset[Any]: ...
def members(of: object) -> frozenset[Any]:
    """The set that holds every member at first."""
    return cast(frozenset[Any], Members(of))


class History(FrozenStruct):
    value: Any


def history(value: T) -> T:
    """Declare a history variable: part of the state, written by actions, read by properties alone."""
    return cast(T, History(value))


Role = str | kinds.PropertyKind  # the role of a property is its kind


Fair = Literal["weak", "strong", "weak-any", "strong-any"]


class RoleMark(FrozenStruct):
    role: Role = "helper"
    about: tuple[str, ...] = ()  # the properties and actions that an `applies` speaks of
    internal: bool = False
    fair: str = ""
    sentence: str = ""
    fault: bool = False
    other: Any = None  # the model that a `refines` names


def mark_of(method: Callable[..., Any]) -> RoleMark:
    mark: RoleMark = getattr(method, _MARK, RoleMark())
    return mark


def with_role(role: Role, doc: str = "", about: tuple[str, ...] = (), **more: Any) -> Callable[[F], F]:
    """The decorator that gives a method its role. It refuses a second one: the first would be gone."""

    def decorate(method: F) -> F:
        known = getattr(method, _MARK, RoleMark(role, about))
        if (known.role, known.about) != (role, about):
            at = Place(method.__code__.co_filename, method.__code__.co_firstlineno)
            sentence = f"{method.__name__}() has two roles, {known.role} and {role}."
            raise ModelError(at, sentence, "Keep one, and write two methods.")
        setattr(method, _MARK, RoleMark(role, about, **more))
        return method

    decorate.__name__, decorate.__doc__ = str(role), doc
    return decorate


@overload
def action(method: F) -> F: ...
@overload
def action(*, internal: bool = ..., fair: Fair = ..., sentence: str = ..., fault: bool = ...) -> Callable[[F], F]: ...
def action(
    method: Any = None, *, internal: bool = False, fair: str = "", sentence: str = "", fault: bool = False
) -> Any:
    """A step of the protocol. Its parameters range over their domains; its requires say when it can happen.

    Temporal properties speak of behaviours in which a fair action is not put off for ever: `fair="weak"` where it can
    happen from some time on, `"strong"` where it can happen again and again; for each choice of its parameters apart,
    or with `"weak-any"` and `"strong-any"` for all of them together (docs/temporal.md).

    `@action(internal=True)` is an internal action: what the protocol does by itself, in reaction to its environment. It
    means nothing to a search. A schedule leaves it out, and it may then happen at any time (docs/schedules.md).

    `sentence="{broker} is killed"` tells a step in a story, with the values of its parameters (docs/drawing.md), and
    `fault=True` is for what breaks: a story has it as early as it can be.
    """
    marks: dict[str, Any] = {"internal": internal, "fair": fair, "sentence": sentence, "fault": fault}
    mark: Callable[[Any], Any] = with_role("action", **marks)
    return mark if method is None else mark(method)


@overload
def fairness(method: F) -> F: ...
@overload
def fairness(*, fair: Fair = ...) -> Callable[[F], F]: ...
def fairness(method: Any = None, *, fair: str = "weak") -> Any:
    """An environment that --fairness chooses: def p(self, taken: Taken) -> bool says which steps are fair in it."""
    mark: Callable[[Any], Any] = with_role("fairness", fair=fair)
    return mark if method is None else mark(method)


temporal = with_role(
    kinds.TEMPORAL,
    "A condition on behaviours: def p(self) -> Temporal returns eventually(P), always_eventually(P), "
    "eventually_always(P), leads_to(P, Q), or all(...) of one of these.",
)


def applies(*properties: str) -> Callable[[F], F]:
    """A condition on constants under which these properties are asked; its docstring says why not otherwise.

    Actions may be named too: where the condition is false, they may never happen.
    """
    return with_role("applies", about=properties)


canonical = with_role(
    "canonical",
    "The canonical form of a state: def p(self) -> None rewrites it to the one that stands for all that go on alike, "
    "after every step. isrcheck check looks at whether they do.",
)


def refines(other: "type[Model]") -> Callable[[F], F]:
    """Declare that every step is a step of another model, or none there: def p(self, abstract: Other) -> None.

    The method assigns to the variables of `abstract`; those that it leaves out are those of the same name.
    """
    return with_role(kinds.REFINEMENT, other=other)


policy = with_role("policy", "A decision that variants take, each by its own method: nothing else may be overridden.")
invariant = with_role(kinds.INVARIANT, "A condition that must hold in every reachable state.")
step = with_role(
    kinds.STEP, "A condition on a state and the one before it: def p(self, before: Self[, taken: Taken]) -> bool."
)
reachable = with_role(kinds.REACHABLE, "A state with this condition can be reached, so that nothing holds vacuously.")
lemma = with_role("lemma", "An auxiliary invariant for proofs; `check` looks at it only if asked by name.")
constraint = with_role(
    "constraint",
    "Where a search goes on: states in which it is false are checked and not expanded. With before, as of @step, it "
    "is asked of steps, and those for which it is false are not taken.",
)
initial = with_role("initial", "Choose an initial state, once, before the first step, for each choice of parameters.")
assume = with_role("assume", "A condition on the constants without which the model means nothing.")


class Taken:
    """The action of a step, as a step property sees it: `taken.action` is its name, `taken.leader` an argument."""

    __slots__ = ("_arguments", "action")

    def __init__(self, action: str, arguments: dict[str, Any]) -> None:
        self.action = action
        self._arguments = arguments

    def __getattr__(self, name: str) -> Any:
        try:
            return self._arguments[name]
        except KeyError:
            raise AttributeError(f"{self.action} has no parameter {name}") from None


class Model:
    """A protocol: its constants, its state and its steps. Subclass it; a subclass of a model is a variant."""

    def __init_subclass__(cls) -> None:
        _written[cls] = dict(vars(cls))


_written: WeakKeyDictionary[type, dict[str, Any]] = WeakKeyDictionary()  # What each class had when it was made
_MADE_LATER: Final = ("__slotnames__", "__annotations__", "__annotations_cache__", "__annotate__", "__annotate_func__")
_ABSENT: Final = object()


def attributes(cls: type) -> dict[str, Any]:
    """The attributes that a class defines, without those that Python itself adds later."""
    return {name: value for name, value in vars(cls).items() if name not in _MADE_LATER}


def difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The first name that is missing, new or something else; empty if there is none."""
    names = (name for name in (*before, *now) if before.get(name, _ABSENT) is not now.get(name, _ABSENT))
    return next(names, "")


def find_changed_attribute(cls: type) -> str:
    """An attribute of a model's class that was assigned to or deleted since the class was made; empty if none was.

    A function may have been: that which runs is read. Names that Python gives a meaning are for `hooks.py` to look at.
    """
    now = vars(cls)
    before = _written.get(cls, {})
    names = {n for n in (*before, *now) if not n.startswith("__") and not isinstance(now.get(n), FunctionType)}
    return difference({n: before[n] for n in before if n in names}, {n: now[n] for n in now if n in names})
