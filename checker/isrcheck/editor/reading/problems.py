"""Everything that is refused in one model: the first error of each of its methods."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from isrcheck.errors import AssumptionFalse, IsrcheckError, ModelError, UsageError
from isrcheck.ir.check import domain_errors
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ConstantIR, Method, ModelIR, VariableIR
from isrcheck.lang.declarations import Declarations
from isrcheck.lang.declare import Model
from isrcheck.lang.hooks import place_of_class
from isrcheck.lang.methods import MethodReader, is_open
from isrcheck.lang.read import read_model
from isrcheck.lang.source import function_tree
from isrcheck.passes import BoundModel, bind, lower

_MOST_TRIED = 3  # variants of a base with errors: each takes as long as the base, and mostly all have its errors
_NOT_FILLED, _MISSPELT = "() is not filled.", " meant?"


@dataclass(frozen=True)
class ReadModel:
    """A model with its errors; fields stay empty where reading failed."""

    cls: type[Model]
    errors: tuple[ModelError, ...] = ()
    constants: dict[str, ConstantIR] = field(default_factory=dict)
    variables: dict[str, VariableIR] = field(default_factory=dict)
    methods: dict[str, Method] = field(default_factory=dict)
    open: tuple[str, ...] = ()  # policies that nobody fills
    ir: ModelIR | None = None
    bound: BoundModel | None = None  # at the default constants
    is_base: bool = False  # there are variants of it, and it is refused as a model of its own only


def read(cls: type[Model]) -> ReadModel:
    """Read a model; its errors are in the result."""
    try:
        ir = read_model(cls)
    except ModelError as error:
        return _read_refused(cls, error)
    model = ReadModel(
        cls,
        tuple(domain_errors(ir)),
        {constant.name: constant for constant in ir.constants},
        {variable.name: variable for variable in ir.variables},
        {method.name: method for method in (*ir.methods, *ir.initials, *ir.helpers.values())},
        ir=ir,
    )
    return model if model.errors else _bind_defaults(model, ir)


def _read_refused(cls: type[Model], first: ModelError) -> ReadModel:
    try:
        declared = Declarations(cls)
        tried = list(MethodReader(declared).try_all())
        policies = ((name, function) for name, (role, function, _) in declared.methods.items() if role == "policy")
        open_ = tuple(name for name, function in policies if is_open(function_tree(function)[1]))
    except (ModelError, RecursionError):
        return ReadModel(cls, (first,))
    errors = tuple(each for each in tried if isinstance(each, ModelError))
    methods = {each.name: each for each in tried if isinstance(each, Method)}
    model = ReadModel(cls, errors, declared.constants, declared.variables, methods, open_)
    if errors or (open_ and not _is_unfinished(cls, open_)):
        return replace(model, is_base=bool(errors) and _is_completed(cls))
    if first.sentence.endswith(_NOT_FILLED):
        unfilled = ModelError(place_of_class(cls), first.sentence, first.remedy)
        return replace(model, errors=(unfilled,), is_base=not first.remedy.endswith(_MISSPELT))
    return replace(model, errors=(first,), is_base=_is_completed(cls))


def _is_completed(cls: type[Model]) -> bool:
    """Whether a variant has all that is missing: then the text of its base is right."""
    return any(map(_reads, islice(_variants(cls), _MOST_TRIED)))


def _variants(cls: type[Model]) -> Iterator[type[Model]]:
    """Yield the subclasses of a model, those without subclasses first."""
    derived: list[type[Model]] = type.__subclasses__(cls)
    for each in derived:
        yield from _variants(each)
    yield from derived


def _reads(cls: type[Model]) -> bool:
    try:
        return not any(domain_errors(read_model(cls)))
    except ModelError:
        return False


def _is_unfinished(cls: type[Model], open_: tuple[str, ...]) -> bool:
    """Whether a variant, of which no variant is known, leaves open what its bases do. It may be a base of others."""
    return not cls.__subclasses__() and any(name not in vars(cls) for name in open_)


def _bind_defaults(model: ReadModel, ir: ModelIR) -> ReadModel:
    try:
        return replace(model, bound=bind(ir, {}))
    except ModelError as error:
        return replace(model, errors=(error,))
    except AssumptionFalse as error:
        at = next((each.at for each in ir.assumptions if f"the assumption {each.name} " in str(error)), ir.at)
        sentence = str(error).removeprefix(f"{at}: ")
        return replace(model, errors=(ModelError(at, sentence, "Choose other defaults."),))
    except UsageError:  # a constant without a default
        return model


def lower_too(model: ReadModel) -> ReadModel:
    """Lower a model at its default constants, and add the errors that only lowering shows."""
    if model.bound is None:
        return model
    try:
        lower(model.bound)
    except ModelError as error:
        return replace(model, errors=(error,))
    except IsrcheckError:  # not of the text
        return model
    return model
