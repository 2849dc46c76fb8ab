"""The independent checker of certificates: python -m isrcheck.recheck DIR [SEED] (docs/certificates.md).

It trusts CPython, cvc5, SHA-256, mmh3, and of isrcheck how a class's declarations are read, its values laid out and its
methods called (`lang`, `ir`); it shares nothing with what made the certificate. cvc5 answers each obligation of a proof
for all states, as composed here; that the definitions say what the author's methods do is sampled, from a seed.
"""

import gzip
import random
import sys
from collections.abc import Iterator
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any

from isrcheck.catalogue import find_model
from isrcheck.certificate import DEFINITIONS, OBLIGATIONS, STATES, load_certificate, source_hashes
from isrcheck.errors import IsrcheckError
from isrcheck.extras import need
from isrcheck.ir.pack import digest, packing
from isrcheck.ir.property_kinds import DEADLOCK, Reads
from isrcheck.ir.smtlib import all_of, any_of, apply, inside, literal, negated, quoted
from isrcheck.lang.instance import running
from isrcheck.lang.read import read_model
from isrcheck.lang.subject import State, Subject, constants_from

CHOICES, WALK, TRIES, FACTS = 40, 25, 3, 50  # samples: of constants, of states for each, of steps from each; a query
FEWEST, PATIENCE, ASKS = 1_000, 300_000, {"declare-fun", "push", "assert", "check-sat", "pop"}  # samples; ms a query
Body = dict[str, Any]  # what certificate.json says
Files = dict[str, bytes]


class Refused(IsrcheckError):
    """The certificate does not stand; the text is one sentence that names the file, the step or the obligation."""


def recheck_states(subject: Subject, body: Body, files: Files, _: int) -> Iterator[str]:
    """The states listed are what the initial one leads to, no more and no less, and every verdict follows from them."""
    if not subject.agrees(subject.ir.assumptions):
        raise Refused("certificate.json states constants that the model's assumptions rule out.")
    asked, stated, layout = body["properties"], body["states"], packing(subject.scalars)
    kind = {n: subject.roles[n].kind if n in subject.roles else DEADLOCK for n in asked}
    states, steps = ([n for n in asked if kind[n].reads is reads] for reads in (Reads.STATE, Reads.STEP))
    size, level, words = 8 * layout.words, [subject.initial()], gzip.decompress(files[STATES])
    listed = {words[i : i + size] for i in range(0, len(words), size)}
    if not len(listed) * size == len(words) == stated["distinct"] * size:
        raise Refused(f"{STATES} does not list {stated['distinct']:,} different states, as is stated.")
    seen, shown, found = set(level), set[str](), Body(generated=1, pruned=0, depth=0)
    while level:
        found["depth"] += 1
        frontier, level = level, []
        for state in frontier:
            if b"".join(word.to_bytes(8, "little") for word in layout.pack(state)) not in listed:
                raise Refused(f"{STATES} does not list a state that is reached: {subject.show(state)}.")
            shown |= {n for n in states if n not in shown and kind[n].is_target(subject.holds(n, state))}
            for position, after in (taken := list(subject.steps(state))):
                found["pruned" if after is None else "generated"] += 1
                if isinstance(after, Exception):
                    raise Refused(f"step {subject.call(position)} raises {after!r} in {subject.show(state)}.")
                if after is not None:
                    shown |= {n for n in steps if kind[n].is_target(subject.holds(n, after, state, position))}
                    level += [after] if after not in seen else []
                    seen.add(after)
            shown |= {n for n in asked if kind[n] == DEADLOCK and not taken}
    if len(seen) != len(listed):
        raise Refused(f"{STATES} lists states that nothing leads to: {len(listed) - len(seen):,} of them.")
    found |= {"distinct": len(seen), "digest": digest(map(layout.pack, seen))}
    for name in (n for n in {**stated, **found} if repr(stated.get(n)) != repr(found.get(n))):  # 4.0 is not 4
        raise Refused(f"{name} is stated as {stated.get(name)} in certificate.json, and is {found.get(name)}.")
    for name, verdict in asked.items():
        if verdict != ("holds" if (name in shown) is kind[name].holds_by_target else "violated"):
            raise Refused(f"{name} is stated as {verdict} in certificate.json, and the states listed say otherwise.")
        yield f"{name}: {verdict}."
    yield f"The {len(seen):,} states listed are the initial one and all that steps lead to from it within the bounds."


class Proof:
    """What a proof claims of its definitions, as text for a solver, and what the author's methods say of them."""

    def __init__(self, subject: Subject, body: dict[str, Any]) -> None:
        self.subject, self.body, self.k = subject, body, body["k"]
        self.by_step = subject.roles[body["property"]].kind.is_of_steps
        self.size = {s.name: s.size for s in subject.scalars} | {n: subject.constants[n].size for n in body["open"]}
        names = map(subject.call, range(len(subject.instances)))
        self.calls = {position: name for position, name in enumerate(names) if name in body["steps"]}
        self.asked = {i: f"property {n}" if body["taken"] else "property" for i, n in self.calls.items()}
        self.sorts = {"c": body["open"], **{f"s{i}": body["state"] for i in range(self.k + 1)}}

    def obligations(self) -> Iterator[tuple[str, str, list[str]]]:
        """The name of each, the answer that the proof needs, and the formulas that are asked."""
        k, symbols = self.k, {head: {n: quoted(f"{head}.{n}") for n in part} for head, part in self.sorts.items()}
        c, *s = (" ".join(part.values()) for part in symbols.values())
        sized = [[(x, self.sorts[h][n], self.size[n]) for n, x in part.items()] for h, part in symbols.items()]
        bounds, *apart = ([inside(*each) for each in part] for part in sized)
        laws = ["inside", *(f"lemma {n}" for n in self.body["lemmas"])]
        known, kept = [[apply(law, row, c) for law in laws] for row in s], [apply("property", row, c) for row in s]
        some = [any_of(*(apply(f"step {n}", *pair, c) for n in self.calls.values())) for pair in pairwise(s)]
        start, here = [*bounds, *apart[0], apply("start", s[0], c)], [*bounds, *apart[0], *known[0]]
        yield "some state is initial", "sat", start
        yield "some step can be taken from there", "sat", [*start, *apart[1], some[0]]
        yield "start", "unsat", [*start, negated(all_of(*known[0]))]
        yield "fault", "unsat", [*here, apply("fault", s[0], c)]
        for j in range(0 if self.by_step else k):
            yield f"base {j}", "unsat", [*start, *chain(*apart[1 : j + 1]), *some[:j], negated(kept[j])]
        for position, name in self.calls.items():
            step = [*here, apply(f"step {name}", s[0], s[1], c), *apart[1]]
            yield f"keep {name}", "unsat", [*step, negated(all_of(*known[1]))]
            last = [*bounds, *chain(*apart, *known[:k]), *kept[:k], *some[:-1], apply(f"step {name}", *s[k - 1 :], c)]
            told = [*step, apply(self.asked[position], s[0], s[1], c)] if self.by_step else [*last, kept[k]]
            yield f"property {name}", "unsat", [*told[:-1], negated(told[-1])]

    def script(self, definitions: str) -> Iterator[tuple[str, str, str]]:
        """A text for any SMT solver, in parts, each with its name and the answer needed."""
        yield DEFINITIONS, "", f"(set-logic ALL)\n{definitions}"
        every = ((f"{head}.{name}", sort) for head, part in self.sorts.items() for name, sort in part.items())
        yield "symbols", "", "".join(f"(declare-const {quoted(name)} {sort})\n" for name, sort in every)
        for name, answer, formulas in self.obligations():
            asserts = "\n".join(f"(assert {formula})" for formula in formulas)
            yield name, answer, f"\n; {quoted(name)}: {answer}\n(push 1)\n{asserts}\n(check-sat)\n(pop 1)\n"

    def facts(self, chance: random.Random) -> Iterator[tuple[str, str]]:
        """What the author's methods do in states and with constants taken by chance: a formula each, and in words."""
        name = self.body["property"]
        for at, model in islice(self.subject.choices(chance), CHOICES):
            yield self.fact(model, at, "start", model.initial()), "the initial state"
            asked = model.agrees(condition for condition in model.ir.applicability if name in condition.about)
            for before, state in pairwise(model.walk(chance, WALK)):
                position, where = chance.choice([*self.calls]), f"in {model.show(state)}"
                answer = model.judge(name, state, before if self.by_step else None, position) if asked else None
                if answer is not None:
                    told = (self.asked[position], before, state) if self.by_step else ("property", state)
                    yield (str if answer else negated)(self.fact(model, at, *told)), f"{name} {where}"
                taken = [(i, after) for i, after in model.steps(state) if isinstance(after, tuple)]
                for i, after in chance.sample(taken, min(TRIES, len(taken))):
                    call = f"step {model.call(i)}"
                    yield self.fact(model, at, call, state, after) if i in self.calls else "false", f"{call} {where}"

    def fact(self, model: Subject, at: dict[str, int], name: str, *states: State) -> str:
        """A definition of states and of a choice of the symbolic constants, by their values."""
        named = (dict(zip((s.name for s in model.scalars), state, strict=True)) for state in states)
        parts = [*((self.body["state"], values) for values in named), (self.body["open"], at)]
        return apply(name, *(" ".join(literal(sort, values[n]) for n, sort in part.items()) for part, values in parts))


def recheck_proof(subject: Subject, body: Body, files: Files, seed: int) -> Iterator[str]:
    """Every obligation has the answer that the proof needs, and the definitions say what the author's methods do."""
    cvc5 = need("cvc5")

    script = list((proof := Proof(subject, body)).script(files[DEFINITIONS].decode()))
    solver = cvc5.Solver(terms := cvc5.TermManager())
    solver.setOption("incremental", "true")
    solver.setOption("tlimit-per", str(PATIENCE))
    symbols = cvc5.SymbolManager(terms)

    def run(text: str, kinds: set[str]) -> str:
        parser, answers = cvc5.InputParser(solver, symbols), ""
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "text")
        while not (command := parser.nextCommand()).isNull():
            if command.getCommandName() not in kinds:
                raise Refused(f"{DEFINITIONS} holds a command that defines nothing: {command}.")
            answers += command.invoke(solver, symbols).strip()
        return answers

    def sure(facts: list[tuple[str, str]]) -> bool:
        return run(f"(push 1)(assert {negated(all_of(*dict(facts)))})(check-sat)(pop 1)", ASKS) == "unsat"

    if "".join(text for *_, text in script) != files[OBLIGATIONS].decode():
        raise Refused(f"{OBLIGATIONS} does not hold what the definitions have to be asked.")
    for name, needed, text in script:
        if (answer := run(text, {"set-logic", "define-fun"} if name == DEFINITIONS else ASKS)) != needed:
            raise Refused(f"the obligation {name!r} does not stand: cvc5 says {answer}, and the proof needs {needed}.")
    yield f"{body['property']}: cvc5 gives the answer needed to all {len(script) - 2:,} obligations."
    if len(facts := list(proof.facts(random.Random(seed)))) < FEWEST:
        raise Refused(f"the definitions cannot be checked against the author's methods: only {len(facts):,} samples.")
    for part in (facts[first : first + FACTS] for first in range(0, len(facts), FACTS)):
        if not sure(part):
            what = next(what for formula, what in part if not sure([(formula, what)]))
            raise Refused(f"{DEFINITIONS} says otherwise than the author's methods: {what}.")
    yield f"The definitions say what the author's methods do, as {len(facts):,} samples from seed {seed} show."


def recheck(folder: Path, seed: int) -> Iterator[str]:
    """What a certificate shows, a sentence each. Raises Refused or UsageError if it does not show it."""
    body, content = load_certificate(folder)
    ir = read_model(find_model(body["model"]))
    if body["sources"] != source_hashes(ir):
        raise Refused(f"the text of {body['model']} is not what was certified: the SHA-256 of a file is another.")
    subject = Subject(ir, constants_from(ir, body["constants"]), body.get("variables"))
    with running(subject.sizes):
        chosen = (f"{n}={subject.constants[n] if isinstance(v, dict) else v}" for n, v in body["constants"].items())
        yield f"{body['model']} with {', '.join(chosen) or 'no constants'}:"
        yield from {"states": recheck_states, "proof": recheck_proof}[body["kind"]](subject, body, content, seed)


if __name__ == "__main__":
    try:
        sys.stdout.buffer.write("\n".join([*recheck(Path(sys.argv[1]), int((*sys.argv[2:], "0")[0])), ""]).encode())
    except Exception as error:  # whatever it is, it must not pass
        known = str(error) if isinstance(error, IsrcheckError) else ""
        sys.exit(f"refused: {known or f'no certificate that can be read: {type(error).__name__}: {error}.'}")
