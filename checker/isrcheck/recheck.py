"""The independent checker of certificates: python -m isrcheck.recheck MODEL DIR [SEED] (docs/certificates.md).

It trusts CPython and SHA-256; for the digest of states mmh3; for proofs cvc5 and its parser; and of isrcheck `lang`,
`ir` and `certificate.py`: how a class is read, laid out and called. It uses no engine and no pass, but for ANY_SIZE.
"""

import gzip
import random
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any

from isrcheck.catalogue import find_model
from isrcheck.certificate import DEFINITIONS, OBLIGATIONS, STATES, Refused, load_certificate, source_hashes
from isrcheck.errors import IsrcheckError
from isrcheck.extras import need
from isrcheck.ir.pack import digest, pack_scalars
from isrcheck.ir.property_kinds import DEADLOCK, Reads
from isrcheck.ir.smtlib import all_of, any_of, apply, inside, literal, negate, quote
from isrcheck.lang.instance import with_sort_sizes
from isrcheck.lang.read import read_model
from isrcheck.lang.subject import State, Subject, constants_from

CHOICES, WALK, TRIES = 40, 25, 3  # samples of a proof: choices of constants, states for each, steps from each
ANY_SIZE = "isrcheck.engines.symbolic.unbounded_recheck"  # of proofs for any size: they are made again, by a pass
FEWEST, FACTS = 1_000, 50  # samples that say enough, and that cvc5 is asked at once
PATIENCE, ASKING = 300_000, {"declare-fun", "push", "assert", "check-sat", "pop"}  # ms an answer; commands that ask


def recheck_states(subject: Subject, body: dict[str, Any], files: dict[str, bytes], _: int) -> Iterator[str]:
    """The states listed are those reached, no more and no less, with every verdict."""
    if not subject.agrees(subject.ir.assumptions):
        raise Refused("certificate.json states constants that the model's assumptions rule out.")
    verdicts, stated, layout = body["properties"], body["states"], pack_scalars(subject.scalars)
    kinds = subject.kinds_shown_by_states(verdicts)
    of_states, of_steps = ([n for n in verdicts if kinds[n].reads is reads] for reads in (Reads.STATE, Reads.STEP))
    size, data = 8 * layout.words, gzip.decompress(files[STATES])
    listed = {data[first : first + size] for first in range(0, len(data), size)}
    if not len(listed) * size == len(data) == stated["distinct"] * size:
        raise Refused(f"{STATES} does not list {stated['distinct']:,} different states, as is stated.")
    reached, level, with_target = {subject.initial()}, [subject.initial()], set[str]()
    counts: dict[str, Any] = {"generated": 1, "pruned": 0, "depth": 0}
    while level:
        frontier, level, counts["depth"] = level, [], counts["depth"] + 1
        for state in frontier:
            if b"".join(packed.to_bytes(8, "little") for packed in layout.pack(state)) not in listed:
                raise Refused(f"{STATES} does not list a state that is reached: {subject.show(state)}.")
            with_target |= {n for n in of_states if kinds[n].is_target(subject.holds(n, state))}
            for position, after in (steps := list(subject.steps(state))):
                counts["pruned" if after is None else "generated"] += 1
                if isinstance(after, Exception):
                    raise Refused(f"step {subject.call(position)} raises {after!r} in {subject.show(state)}.")
                if after is not None:
                    with_target |= {n for n in of_steps if kinds[n].is_target(subject.holds(n, after, state, position))}
                    level += [after] if after not in reached else []
                    reached.add(after)
            with_target |= {n for n in verdicts if kinds[n] == DEADLOCK and not steps}
    if len(reached) != len(listed):
        raise Refused(f"{STATES} lists states that nothing leads to: {len(listed) - len(reached):,} of them.")
    counts |= {"distinct": len(reached), "digest": digest(map(layout.pack, reached))}
    for name in (n for n in {**stated, **counts} if repr(stated.get(n)) != repr(counts.get(n))):  # 4.0 is not 4
        raise Refused(f"{name} is stated as {stated.get(name)} in certificate.json, and is {counts.get(name)}.")
    for name, verdict in verdicts.items():
        if verdict != ("holds" if (name in with_target) is kinds[name].holds_by_target else "violated"):
            raise Refused(f"{name} is stated as {verdict} in certificate.json, and the states listed say otherwise.")
        yield f"{name}: {verdict}."
    yield f"The {len(listed):,} states listed are the initial one and all that steps lead to from it within the bounds."


class Proof:
    """A proof's claims about its definitions, as text for a solver, and the answers of the model's methods."""

    def __init__(self, subject: Subject, body: dict[str, Any]) -> None:
        self.subject, self.body, self.k, self.name = subject, body, body["k"], body["property"]
        self.is_of_steps = subject.roles[self.name].kind.is_of_steps
        size = {s.name: s.size for s in subject.scalars} | {n: subject.constants[n].size for n in body["open"]}
        self.calls = {i: subject.call(i) for i in range(len(subject.instances)) if subject.call(i) in body["steps"]}
        self.claim = {i: f"property {name}" if body["taken"] else "property" for i, name in self.calls.items()}
        rows = {"c": body["open"], **{f"s{i}": body["state"] for i in range(self.k + 1)}}
        self.rows = [{quote(f"{head}.{n}"): (row[n], size[n]) for n in row} for head, row in rows.items()]

    def obligations(self) -> Iterator[tuple[str, str, list[str]]]:
        """The name of each, the answer that the proof needs, and the formulas that are asked."""
        constants, *states = (" ".join(row) for row in self.rows)
        of_constants, *of_states = ([inside(symbol, *sized) for symbol, sized in row.items()] for row in self.rows)
        laws = ["inside", *(f"lemma {name}" for name in self.body["lemmas"])]
        lawful = [[apply(law, state, constants) for law in laws] for state in states]
        kept, pairs = [apply("property", state, constants) for state in states], [*pairwise(states)]
        some_step = [any_of(*(apply(f"step {n}", *pair, constants) for n in self.calls.values())) for pair in pairs]
        start = [*of_constants, *of_states[0], apply("start", states[0], constants)]
        anywhere = [*of_constants, *of_states[0], *lawful[0]]
        yield "some state is initial", "sat", start
        yield "some step can be taken from there", "sat", [*start, *of_states[1], some_step[0]]
        yield "start", "unsat", [*start, negate(all_of(*lawful[0]))]
        yield "fault", "unsat", [*anywhere, apply("fault", states[0], constants)]
        for j in range(0 if self.is_of_steps else self.k):
            yield f"base {j}", "unsat", [*start, *chain(*of_states[1 : j + 1]), *some_step[:j], negate(kept[j])]
        before = [*of_constants, *chain(*of_states, *lawful[: self.k]), *kept[: self.k], *some_step[:-1]]
        for position, name in self.calls.items():
            first, last = (apply(f"step {name}", *pair, constants) for pair in (pairs[0], pairs[-1]))
            step, claim = [*anywhere, first, *of_states[1]], apply(self.claim[position], *pairs[0], constants)
            yield f"keep {name}", "unsat", [*step, negate(all_of(*lawful[1]))]
            asked = [*step, negate(claim)] if self.is_of_steps else [*before, last, negate(kept[-1])]
            yield f"property {name}", "unsat", asked

    def script(self, definitions: str) -> Iterator[tuple[str, str, str]]:
        """A text for any SMT solver, in parts, each with its name and the answer needed."""
        yield DEFINITIONS, "", f"(set-logic ALL)\n{definitions}"
        declared = (f"(declare-const {symbol} {sort})\n" for row in self.rows for symbol, (sort, _) in row.items())
        yield "symbols", "", "".join(declared)
        for name, answer, formulas in self.obligations():
            asserts = "\n".join(f"(assert {formula})" for formula in formulas)
            yield name, answer, f"\n; {quote(name)}: {answer}\n(push 1)\n{asserts}\n(check-sat)\n(pop 1)\n"

    def facts(self, chance: random.Random) -> Iterator[tuple[str, str]]:
        """Yield facts of sampled states and constants, by the model's methods: a formula, and the fact in words."""
        for at, model in islice(self.subject.choices(chance), CHOICES):
            yield self.fact(model, at, "start", model.initial()), "the initial state"
            asked = model.agrees(rule for rule in model.ir.applicability if self.name in rule.about)
            for before, state in pairwise(model.walk(chance, WALK)):
                position, where = chance.choice([*self.calls]), f"in {model.show(state)}"
                answer = model.judge(self.name, state, before if self.is_of_steps else None, position)
                if asked and answer is not None:
                    states = (self.claim[position], before, state) if self.is_of_steps else ("property", state)
                    yield (str if answer else negate)(self.fact(model, at, *states)), f"{self.name} {where}"
                taken = [(i, after) for i, after in model.steps(state) if isinstance(after, tuple)]
                for i, after in chance.sample(taken, min(TRIES, len(taken))):
                    call = f"step {model.call(i)}"
                    yield self.fact(model, at, call, state, after) if i in self.calls else "false", f"{call} {where}"

    def fact(self, model: Subject, at: dict[str, int], name: str, *states: State) -> str:
        """A definition of states and of a choice of the symbolic constants, by their values."""
        named = (dict(zip((s.name for s in model.scalars), state, strict=True)) for state in states)
        parts = [*((self.body["state"], values) for values in named), (self.body["open"], at)]
        return apply(name, *(" ".join(literal(sort, values[n]) for n, sort in of.items()) for of, values in parts))


def recheck_proof(subject: Subject, body: dict[str, Any], files: dict[str, bytes], seed: int) -> Iterator[str]:
    """Every obligation stands, and the definitions say what the methods do."""
    cvc5 = need("cvc5")
    script = list((proof := Proof(subject, body)).script(files[DEFINITIONS].decode()))
    solver, symbols = cvc5.Solver(terms := cvc5.TermManager()), cvc5.SymbolManager(terms)
    solver.setOption("incremental", "true")
    solver.setOption("tlimit-per", str(PATIENCE))

    def run(commands: str, kinds: set[str]) -> str:
        parser, answers = cvc5.InputParser(solver, symbols), ""
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, commands, "text")
        while not (command := parser.nextCommand()).isNull():
            if command.getCommandName() not in kinds:
                raise Refused(f"{DEFINITIONS} holds a command that defines nothing: {command}.")
            answers += command.invoke(solver, symbols).strip()
        return answers

    def sure(facts: list[tuple[str, str]]) -> bool:
        return run(f"(push 1)(assert {negate(all_of(*dict(facts)))})(check-sat)(pop 1)", ASKING) == "unsat"

    if "".join(commands for *_, commands in script) != files[OBLIGATIONS].decode():
        raise Refused(f"{OBLIGATIONS} does not hold what the definitions have to be asked.")
    for name, needed, commands in script:
        if (answer := run(commands, {"set-logic", "define-fun"} if name == DEFINITIONS else ASKING)) != needed:
            raise Refused(f"the obligation {name!r} does not stand: cvc5 says {answer}, and the proof needs {needed}.")
    yield f"{body['property']}: cvc5 gives the answer needed to all {len(script) - 2:,} obligations."
    if len(facts := list(proof.facts(random.Random(seed)))) < FEWEST:
        raise Refused(f"the definitions cannot be checked against the author's methods: only {len(facts):,} samples.")
    for batch in (facts[first : first + FACTS] for first in range(0, len(facts), FACTS)):
        if not sure(batch):
            what = next(what for formula, what in batch if not sure([(formula, what)]))
            raise Refused(f"{DEFINITIONS} says otherwise than the author's methods: {what}.")
    yield f"The definitions say what the author's methods do, as {len(facts):,} samples from seed {seed} show."


def recheck(model: str, folder: Path, seed: int) -> Iterator[str]:
    """Yield a sentence on all that a certificate shows of the user's model. Raises Refused or UsageError."""
    body, content = load_certificate(folder, model)
    ir = read_model(find_model(model))
    if body["sources"] != source_hashes(ir):
        raise Refused(f"the text of {body['model']} is not what was certified: the SHA-256 of a file is another.")
    if body["kind"] == "unbounded":
        yield from import_module(ANY_SIZE).recheck_unbounded(ir, body, content, seed)
        return
    subject = Subject(ir, constants_from(ir, body["constants"]), body.get("variables"))
    with with_sort_sizes(subject.sizes):
        chosen = (f"{n}={subject.constants[n] if isinstance(v, dict) else v}" for n, v in body["constants"].items())
        yield f"{body['model']} with {', '.join(chosen) or 'no constants'}:"
        yield from {"states": recheck_states, "proof": recheck_proof}[body["kind"]](subject, body, content, seed)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("refused: write python -m isrcheck.recheck MODEL DIR [SEED], with the MODEL that DIR is to be of.")
    try:
        lines = [*recheck(sys.argv[1], Path(sys.argv[2]), int((*sys.argv[3:], "0")[0])), ""]
        sys.stdout.buffer.write("\n".join(lines).encode())
    except Exception as error:  # whatever it is, it must not pass
        known = str(error) if isinstance(error, IsrcheckError) else ""
        sys.exit(f"refused: {known or f'no certificate that can be read: {type(error).__name__}: {error}.'}")
