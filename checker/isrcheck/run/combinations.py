"""The features of a run that exclude each other. `engines/registry.py` has what an engine lacks, whatever is asked."""

from collections.abc import Iterator
from enum import Enum, auto

from isrcheck.engines.contract import Request
from isrcheck.errors import UsageError
from isrcheck.passes.bind import BoundModel, refuse_several


class Feature(Enum):
    """A feature of a run, of its model or of its engine."""

    FORM = auto()  # the model has a canonical form
    CONSTRAINTS = auto()
    TEMPORAL = auto()  # a temporal property is asked
    CERTIFICATE = auto()
    DISK = auto()
    SYMMETRY = auto()
    GPU = auto()
    SPARK = auto()
    SYMBOLIC = auto()


_FORM = "{model} has the canonical form {form}(), "
_LEAVE_TEMPORAL = "leave it out, or ask for other properties with --property."
EXCLUSIONS: dict[tuple[Feature, Feature], str] = {
    (Feature.FORM, Feature.SPARK): f"{_FORM}which the spark engine does not check: use --engine native.",
    (Feature.FORM, Feature.SYMBOLIC): f"{_FORM}which the symbolic engine does not check: use --engine native.",
    (Feature.FORM, Feature.SYMMETRY): f"{_FORM}with which there is no --symmetry: leave it out.",
    (Feature.FORM, Feature.DISK): f"{_FORM}with which there is no --disk: leave it out.",
    (Feature.FORM, Feature.CERTIFICATE): f"{_FORM}with which there is no --certificate: leave it out.",
    (Feature.CERTIFICATE, Feature.CONSTRAINTS):
        "a certificate says that no step leaves its states, and {constraints} some out: leave --certificate out.",
    (Feature.CERTIFICATE, Feature.GPU):
        "the gpu engine keeps its states on the device: leave --certificate out, or use --engine native.",
    (Feature.CERTIFICATE, Feature.SPARK): "the spark engine leaves its states on the cluster: leave --certificate out.",
    (Feature.CERTIFICATE, Feature.SYMBOLIC): "the symbolic engine lists no states: leave --certificate out.",
    (Feature.CERTIFICATE, Feature.DISK):
        "a certificate is made in memory, which --disk need not have: leave one of the two out.",
    (Feature.CERTIFICATE, Feature.SYMMETRY):
        "a run with symmetry keeps one state of each kind, which certifies nothing: leave it out.",
    (Feature.TEMPORAL, Feature.SYMMETRY):
        "--symmetry may change the verdict on {temporal}, a temporal property: " + _LEAVE_TEMPORAL,
    (Feature.TEMPORAL, Feature.DISK):
        "the search for cycles that {temporal}, a temporal property, needs is not kept on disk: " + _LEAVE_TEMPORAL,
}  # fmt: skip


def refuse_combinations(model: BoundModel, request: Request, engine: str, with_certificate: bool) -> None:
    """Refuse features that exclude each other, before the search. Raises UsageError."""
    present = set(_features(model, request, engine, with_certificate))
    if with_certificate:
        _refuse_uncertifiable(model, request)
    for pair, sentence in EXCLUSIONS.items():
        if present.issuperset(pair):
            raise UsageError(sentence.format(**_names(model, request)))


def _features(model: BoundModel, request: Request, engine: str, with_certificate: bool) -> Iterator[Feature]:
    presence = {
        Feature.FORM: model.ir.canonical is not None,
        Feature.CONSTRAINTS: bool(model.ir.constraints),
        Feature.TEMPORAL: bool(request.temporal),
        Feature.CERTIFICATE: with_certificate,
        Feature.DISK: request.disk is not None,
        Feature.SYMMETRY: request.symmetry,
        Feature.GPU: engine == "gpu",
        Feature.SPARK: engine == "spark",
        Feature.SYMBOLIC: engine == "symbolic",
    }
    return (feature for feature, is_present in presence.items() if is_present)


def _names(model: BoundModel, request: Request) -> dict[str, str]:
    """The names that the sentences have holes for."""
    form, constraints = model.ir.canonical, [each.name for each in model.ir.constraints]
    return {
        "model": model.ir.name,
        "form": form.name if form else "",
        "constraints": f"{' and '.join(constraints)} {'leaves' if len(constraints) == 1 else 'leave'}",
        "temporal": "".join(request.temporal[:1]),
    }


def _refuse_uncertifiable(model: BoundModel, request: Request) -> None:
    """Refuse a certificate of nothing, of what states do not show, and of a model with several beginnings."""
    names = (*request.properties, *request.temporal)
    if not names and not request.deadlock:
        raise UsageError(
            "a certificate states what was decided, and nothing is asked: name a --property, or ask for --deadlock."
        )
    for beyond in (p for p in (*model.ir.temporal, *model.ir.properties) if p.name in names):
        if not beyond.kind.is_certifiable:
            what = f"a certificate has states, which do not show the {beyond.kind.title} {beyond.name}"
            raise UsageError(f"{what}: choose others with --property.")
    refuse_several(model.ir.name, 1 + len(model.others), "a certificate begins in one")
