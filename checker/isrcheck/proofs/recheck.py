"""Confirms the certificate of a proof for any size: what it asks is what the model's text asks, and is refuted.

The obligations are made again from the text and compared; z3 and cvc5 are asked each. That the lowering says what the
author's methods do is sampled: it is trusted beyond that, and so are both solvers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, TypeVar

from isrcheck.certificate import MODEL, Refused
from isrcheck.errors import ModelError
from isrcheck.ir.check import check_domains
from isrcheck.ir.domains import IntDomain
from isrcheck.ir.model import ConstantIR, ModelIR
from isrcheck.ir.property_kinds import INVARIANT
from isrcheck.lang.declare import REQUIRED
from isrcheck.lang.instance import with_sort_sizes
from isrcheck.lang.subject import State, Subject
from isrcheck.passes import bind
from isrcheck.passes.constants import literal, members_of, parse_value
from isrcheck.process.budget import budget
from isrcheck.proofs.certificate import constants_text, lemma_texts, model_text, scripts_of, sizes
from isrcheck.proofs.obligations import Obligations, Refutable, without_constraints
from isrcheck.proofs.relational.system import RelationalSystem
from isrcheck.proofs.solvers import REFUTED, SATISFIABLE, SOLVERS, UNKNOWN, ask_solver
from isrcheck.proofs.stepper import RelationalStepper, Unconstrained

T = TypeVar("T")
SECOND, LAST = 5.0, 60.0  # seconds for a second opinion; and where no solver has refuted it yet
FEWEST = 500  # samples that say enough
_CONFIRMING = {solver: [name for name in SOLVERS if name.split()[0] == solver] for solver in ("z3", "cvc5")}


def recheck_proof(ir: ModelIR, body: dict[str, Any], files: Mapping[str, bytes], seed: int) -> Iterator[str]:
    """Yield a sentence for each thing that a certificate shows. Raises Refused or UsageError."""
    given = _read_constants(ir, body["constants"])
    if repr(body["for"]) != repr(sizes(ir, given)):
        raise Refused(
            f"certificate.json states another `for` than the model and these constants have: {sizes(ir, given)}."
        )
    stated = ", ".join(f"{name}: {size}" for name, size in body["for"].items())
    fixed = ", ".join(f"{name}={literal(value)}" for name, value in given.items()) or "no constant is fixed"
    yield f"{body['model']} for {stated}; {fixed}:"
    obligations = list(_rebuilt(ir, given, body))
    if files[MODEL] != model_text(ir):
        raise Refused(f"{MODEL} is not the text of {body['model']}.")
    _compare(obligations, body, files)
    with budget():
        answers = {
            each.name: _opinions(each, [files[n].decode() for n in body["obligations"][each.name]])
            for each in obligations
        }
    yield from _summarize(body["property"], answers)
    if (samples := compare(ir, given, seed)) < FEWEST:
        raise Refused(
            f"the relational system cannot be checked against the author's methods: only {samples:,} samples."
        )
    yield f"The relational system does what the author's methods do, as {samples:,} samples from seed {seed} show."


def _read_constants(ir: ModelIR, stated: dict[str, Any]) -> dict[str, Any]:
    known = {constant.name: constant for constant in ir.constants}
    if strange := ", ".join(name for name in stated if name not in known):
        raise Refused(f"certificate.json states constants that the model does not have: {strange}.")
    given = {name: parse_value(known[name], value) for name, value in stated.items()}
    for name, value in constants_text(given).items():
        if repr(value) != repr(stated[name]):
            raise Refused(f"certificate.json states {stated[name]!r}, which is not a value of {name}.")
    return given


def _rebuilt(ir: ModelIR, given: dict[str, Any], body: dict[str, Any]) -> Iterator[Refutable]:
    """Yield the obligations that the model's text asks. Raises Refused."""
    invariants = [p for p in ir.properties if p.kind == INVARIANT]
    known = {method.name: method for method in (*ir.lemmas, *invariants)}
    if strange := ", ".join(name for name in body["lemmas"] if name not in known):
        raise Refused(f"certificate.json names lemmas that the model does not have: {strange}.")
    lemmas = [known[name] for name in body["lemmas"]]
    for name, source in lemma_texts(ir, lemmas).items():
        if body["lemmas"][name] != source:
            raise Refused(f"the lemma {name} in certificate.json is not the one in the model's text.")
    ir = without_constraints(ir.with_lemmas([body["property"]]))
    check_domains(ir)
    proved = {p.name: p for p in ir.properties if p.kind.is_provable}
    if body["property"] not in proved:
        raise Refused(f"the model has no property {body['property']} that a proof can be of.")
    obligations = Obligations(RelationalSystem(ir, given), lemmas)
    yield from obligations.of_lemmas()
    yield from obligations.of_property(proved[body["property"]])


def _compare(obligations: Sequence[Refutable], body: dict[str, Any], files: Mapping[str, bytes]) -> None:
    needed, stated = {each.name for each in obligations}, body["obligations"]
    for name in stated:
        if name not in needed:
            raise Refused(f"certificate.json lists the obligation {name!r}, which the model's text does not ask.")
    for each in obligations:
        if not stated.get(each.name):
            raise Refused(f"certificate.json lacks the obligation {each.name!r}, which the model's text asks.")
        names = stated[each.name]
        expected = list(scripts_of(each, in_cases=files[names[0]].startswith(f"; {each.name}, case ".encode())))
        if len(expected) != len(names):
            raise Refused(f"the obligation {each.name!r} has {len(expected)} cases, not {len(names)}.")
        for name, content in zip(names, expected, strict=True):
            if files[name] != content:
                raise Refused(f"{name} does not ask the obligation {each.name!r} as the model's text and lemmas do.")


def _opinions(obligation: Refutable, texts: Sequence[str]) -> dict[str, str]:
    """The answer of each solver: it refutes every script, or does not know. Raises Refused."""
    opinions = dict.fromkeys(_CONFIRMING, REFUTED)
    for script in texts:
        said = {solver: _ask(obligation, solver, script, SECOND) for solver in _CONFIRMING}
        for solver in _CONFIRMING:
            if REFUTED not in said.values():
                said[solver] = _ask(obligation, solver, script, LAST)
        if REFUTED not in said.values():
            raise Refused(
                f"the obligation {obligation.name!r} is confirmed neither by z3 nor by cvc5 within {LAST:.0f} s."
            )
        opinions |= {solver: UNKNOWN for solver, answer in said.items() if answer != REFUTED}
    return opinions


def _ask(obligation: Refutable, solver: str, script: str, seconds: float) -> str:
    """The answer of a solver, with any of its options. Raises Refused if it has a counterexample."""
    for options in _CONFIRMING[solver]:
        answer, _ = ask_solver(SOLVERS[options], script, seconds)
        if answer == SATISFIABLE:
            raise Refused(
                f"the obligation {obligation.name!r} does not stand: {solver} says sat, and the proof needs unsat."
            )
        if answer == REFUTED:
            return REFUTED
    return UNKNOWN


def _summarize(proved: str, answers: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    by = {solver: [name for name, said in answers.items() if said[solver] == REFUTED] for solver in _CONFIRMING}
    counts = " and ".join(f"{solver} confirms {len(names):,}" for solver, names in by.items())
    yield f"{proved}: of {len(answers):,} obligations {counts}; each is confirmed by at least one of them."
    for solver, names in by.items():
        if missing := [name for name in answers if name not in names]:
            yield f"Undetermined by {solver} within {SECOND:.0f} s: {', '.join(missing)}."


CHOICES, WALK = 6, 12  # of constants; states on each walk, with as many beside it that may not be reachable
_DRAWS, _MORE = 1_000, 2  # tries to meet the assumptions; numbers above the least, of a constant without a default


def compare(ir: ModelIR, given: Mapping[str, Any], seed: int) -> int:
    """How many answers were compared. Raises Refused where one differs."""
    chance = Random(seed)
    return sum(sum(1 for _ in _answers(ir, constants, chance)) for constants in _choose_constants(ir, given, chance))


def _choose_constants(ir: ModelIR, given: Mapping[str, Any], chance: Random) -> Iterator[dict[str, Any]]:
    count = 0
    for _ in range(_DRAWS):
        constants = {c.name: given.get(c.name, chance.choice(_values(c))) for c in ir.constants}
        if count < CHOICES and Subject(ir, constants, ()).agrees(ir.assumptions):
            count += 1
            yield constants


def _values(constant: ConstantIR) -> list[Any]:
    """The values of a constant up to its default, which are those that a person searches."""
    if not isinstance(constant.domain, IntDomain):
        return list(members_of(constant.domain))
    low = constant.at_least or 0
    return [*range(low, (low + _MORE if constant.default is REQUIRED else max(low, constant.default)) + 1)]


def _answers(ir: ModelIR, constants: dict[str, Any], chance: Random) -> Iterator[str]:
    subject, stepper = Subject(ir, constants), RelationalStepper(bind(ir, constants, slots=False))
    if [(action.name, given) for action, given in subject.instances] != [
        (ir.actions[action].name, given) for action, given in stepper.instances
    ]:
        raise Refused(f"the relational system takes other steps than {ir.name} has.")
    if subject.initial() != stepper.initial:
        raise Refused(f"the relational system of {ir.name} begins in another state than its text says.")
    with with_sort_sizes(subject.sizes):
        for is_beside, state in zip((False, True) * WALK, list(subject.walk(chance, WALK)), strict=True):
            stepper.enter(state)
            if not is_beside and not all(holds() for holds in stepper.assumptions()):
                raise Refused(f"what the obligations assume is false in {subject.show(state)}.")
            yield from _of_state(subject, stepper, state)


def _of_state(subject: Subject, stepper: RelationalStepper, state: State) -> Iterator[str]:
    expected = {i: None if isinstance(after, Exception) else [after] for i, after in subject.steps(state)}
    provable = [p for p in subject.ir.properties if p.kind.is_provable]
    for i in range(len(stepper.instances)):
        taken = expected.get(i, [])
        stepper.enter(state)
        if _ask_text(stepper.successors, i) != taken:
            raise _contradiction_error(subject, state, f"step {subject.call(i)}")
        yield subject.call(i)
        if taken and isinstance(taken[0], tuple):
            for name in (p.name for p in provable if p.kind.is_of_steps):
                if subject.judge(name, taken[0], state, i) != _ask_text(stepper.step_holds, name, state, i, taken[0]):
                    raise _contradiction_error(subject, state, f"{name} of step {subject.call(i)}")
                yield name
    for name in (*(p.name for p in provable if not p.kind.is_of_steps), *(lemma.name for lemma in subject.ir.lemmas)):
        if subject.judge(name, state) != _ask_text(stepper.holds, name, state):
            raise _contradiction_error(subject, state, name)
        yield name


def _contradiction_error(subject: Subject, state: State, what: str) -> Refused:
    return Refused(f"the relational system says otherwise than the author's methods: {what} in {subject.show(state)}.")


def _ask_text(question: Callable[..., T], *of: Any) -> T | None:
    """The answer of the relational system; None where the text goes wrong."""
    try:
        return question(*of)
    except (ModelError, Unconstrained):
        return None
