"""The hooks that Python offers a class, refused: CPython would call them and isrcheck does not read them.

Each class is compared with a plain one of its kind. Ordinary methods of a record, a sort or an
enumeration are not refused, since no text of a model can call them.
"""

from collections import namedtuple
from collections.abc import Collection
from enum import Enum, EnumMeta, Flag, IntEnum, StrEnum
from functools import partial
from types import FunctionType, GetSetDescriptorType, new_class
from typing import Any, Final

from isrcheck.errors import ModelError
from isrcheck.lang.declare import Model, Sort, SortMeta, find_changed_attribute
from isrcheck.lang.record import Record
from isrcheck.lang.source import class_tree, place_of, places_in_class
from isrcheck.place import Place


class _PlainModel(Model):
    """A class with all that Python itself adds to one with a docstring, an annotation and a method."""

    plain: bool = False

    def method(self) -> None:
        """Do nothing."""


class _PlainSort(Sort, size="1"):
    """A sort without hooks."""


# What Python adds to some classes and no text of a model can read.
_LATER: Final = {"__final__", "__orig_bases__", "__type_params__"}
_METADATA: Final = _LATER.union(name for name in vars(_PlainModel) if name.startswith("__"))
_ENUMS: Final = frozenset((*IntEnum.__mro__, *StrEnum.__mro__))
_OF_MODELS = "A model has constants, variables, and methods with a role: leave it out."
_OF_RECORDS = "Records are compared field by field: leave it out, or write a helper that takes the record."
_OF_MEMBERS = "Members are compared by == as what they are: leave it out, or write a helper that takes the member."


def is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def check_model_class(cls: type[Model]) -> None:
    """Require that a model class and its bases have no hooks. Raises ModelError."""
    for owner in cls.__mro__:
        if owner in (Model, object):
            continue
        if not issubclass(owner, Model):
            sentence = f"{owner.__name__}, a base of {cls.__name__}, is not a model."
            raise ModelError(place_of_class(cls), sentence, f"Write class {owner.__name__}(Model), or leave it out.")
        changed = find_changed_attribute(owner)
        if changed:
            sentence = f"{owner.__name__}.{changed} is not what it was when the class was made."
            raise _refusal(owner, changed, sentence, "Write it in the class itself; a variant is a class of its own.")
        own = {name for name in vars(owner) if not is_special(name)}
        _check_plain(owner, type, "Model", _PlainModel, own, _OF_MODELS)


def check_record_class(record: Any) -> None:
    """Refuse a record class that has more than its fields. Raises ModelError."""
    if record.__bases__ not in ((tuple,), (Record,)):
        raise _refusal(record, "", f"{record.__name__} has other bases than NamedTuple.", "Write class R(NamedTuple).")
    defaults = tuple(record._field_defaults.values())
    plain = namedtuple(record.__name__, record._fields, defaults=defaults)  # type: ignore[misc]  # known now only
    base, own = ("Record", ("__dict__",)) if record.__bases__ == (Record,) else ("NamedTuple", ())
    _check_plain(record, type, base, plain, ("_field_defaults", *own), _OF_RECORDS)


def check_sort_class(sort: Any) -> None:
    """Refuse a sort that has more than its options. Raises ModelError."""
    if sort.__bases__ != (Sort,):
        raise _refusal(sort, "", f"{sort.__name__} has other bases than Sort.", "Write class S(Sort, size=...).")
    if type(sort.symmetric) is not bool:
        sentence = f"symmetric of the sort {sort.__name__} is {sort.symmetric!r}, neither True nor False."
        raise _refusal(sort, "", sentence, "Write symmetric=True, or leave it out.")
    _check_plain(sort, SortMeta, "Sort", _PlainSort, ("size", "symmetric", "letter", "_members"), _OF_MEMBERS)


def check_enum_class(enum: Any) -> None:
    """Refuse an enumeration whose members are not what its text says. Raises ModelError."""
    if issubclass(enum, Flag):
        sentence = f"{enum.__name__} is a Flag, whose members can be joined."
        raise _refusal(enum, "", sentence, "Write class E(Enum), and frozenset[E] for several of them.")
    for owner in reversed(enum.__mro__):
        if owner in _ENUMS:
            continue
        if not issubclass(owner, Enum):
            sentence = f"{owner.__name__}, a base of {enum.__name__}, is not an enumeration."
            raise _refusal(enum, "", sentence, f"Write class {enum.__name__}(Enum).")
        first = "a" if issubclass(owner, str) else 1
        plain = new_class(owner.__name__, owner.__bases__, exec_body=partial(dict.update, A=first))
        own = {name for name in vars(plain) if not is_special(name)} | owner.__members__.keys()
        _check_plain(owner, EnumMeta, "Enum", plain, own, _OF_MEMBERS)
    if not enum.__members__:
        raise _refusal(enum, "", f"the enumeration {enum.__name__} has no members.", "Write one a line: NAME = 1.")
    for name, each in enum.__members__.items():
        if getattr(enum, name) is not each:
            raise _refusal(enum, name, f"{enum.__name__}.{name} is not the member of that name.", _OF_MEMBERS)


def _check_plain(cls: type, meta: type, base: str, plain: type, own: Collection[str], remedy: str) -> None:
    """Refuse what a class has and `plain`, the same class without a user's additions, lacks."""
    name = cls.__name__
    attributes = vars(plain)
    if type(cls) is not meta:
        sentence = f"{name} has the metaclass {type(cls).__name__}, which can change what CPython runs."
        raise _refusal(cls, "", sentence, f"Write class {name}({base}).")
    for each, value in vars(cls).items():
        if each in _METADATA or each in own or (each in attributes and _same(value, attributes[each])):
            continue
        if is_special(each):
            shown = "__new__" if each == "__new_member__" else each  # what Enum makes of it
            sentence = f"{name} defines {shown}, which CPython uses and isrcheck does not read."
            raise _refusal(cls, shown, sentence, remedy)
        if each in attributes:
            raise _refusal(cls, each, f"{each} of {name} is not what {base} makes.", remedy)
        # Reading it runs something
        if hasattr(type(value), "__get__") and not isinstance(value, FunctionType | staticmethod | classmethod):
            raise _refusal(cls, each, f"{each} of {name} is a property, which isrcheck does not read.", remedy)


def _same(one: Any, other: Any) -> bool:
    """Whether two attributes are the same, or functions made in the same way."""
    if type(one) is not type(other):
        return False
    one, other = getattr(one, "__func__", one), getattr(other, "__func__", other)
    if isinstance(one, FunctionType):
        return _what_it_runs(one) == _what_it_runs(other)
    if isinstance(one, GetSetDescriptorType):  # made by CPython itself
        return bool(one.__name__ == other.__name__)
    if type(one).__name__ == "_tuplegetter":
        return bool(one.__reduce__()[1][0] == other.__reduce__()[1][0])
    return bool(one is other or one == other)


def _what_it_runs(function: FunctionType) -> tuple[Any, ...]:
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return function.__code__, function.__defaults__ or (), function.__kwdefaults__, cells, function.__globals__


def _refusal(cls: type, name: str, sentence: str, remedy: str) -> ModelError:
    return ModelError(place_of_class(cls, name), sentence, remedy)


def place_of_class(cls: type, name: str = "") -> Place:
    try:
        file, tree = class_tree(cls)
    except ModelError as error:
        return error.place
    places = [at for own, at in places_in_class(file, tree) if own == name]
    return places[0] if places else place_of(file, tree)
