"""The independent checker of certificates: python -m isrcheck.recheck DIR [SEED] (docs/certificates.md).

It trusts CPython, cvc5, SHA-256 and mmh3, and of isrcheck how a class's declarations are read and its values laid out
(`lang`, `ir`). It shares nothing with what made the certificate: no engine, no pass, no lowering; it calls the author's
methods as they are. Of a proof it has cvc5 refute every obligation, which it composes itself, for all states; that the
definitions say what the author's methods do is sampled, from a seed.
"""

import gzip
import json
import random
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from isrcheck.catalogue import find_model
from isrcheck.errors import IsrcheckError
from isrcheck.ir.flatten import Above
from isrcheck.ir.interval import is_endless
from isrcheck.ir.pack import digest, packing
from isrcheck.lang.declare import NotEnabled, Taken
from isrcheck.lang.instance import blank, running
from isrcheck.lang.read import read_model
from isrcheck.lang.source import model_files
from isrcheck.lang.subject import State, Subject, constants_from

STATES, DEFINITIONS, OBLIGATIONS = "states.gz", "definitions.smt2", "obligations.smt2"
CHOICES, WALK, BATCH, PATIENCE = 40, 25, 50, 300_000  # of constants; steps of a walk; facts a query; ms a query


class Refused(Exception):
    """The certificate does not stand; the text is one sentence that names the file, the step or the obligation."""


def steps(subject: Subject, state: State, real: bool = True) -> Iterator[tuple[int, State | None]]:
    """Every enabled instance and where it leads, None beyond a bound. Raises Refused for an error in a real state."""
    for position, (action, given) in enumerate(subject.instances):
        made = subject.load(state)
        try:
            getattr(made, action.name)(*given)
            yield position, subject.flat(vars(made))
        except NotEnabled:
            continue
        except Above:
            yield position, None
        except Exception as error:
            if real:
                raise Refused(f"step {subject.call(position)} raises {error!r} in {subject.show(state)}.") from None


def holds(subject: Subject, name: str, after: State, before: State | None = None, position: int = 0) -> bool:
    """What a property says of a state, or of the step to it."""
    more: list[Any] = [] if before is None else [subject.load(before)]
    if subject.roles[name].taken:
        more.append(Taken(subject.instances[position][0].name, subject.arguments(position)))
    return bool(getattr(subject.load(after), name)(*more))


def recheck_states(subject: Subject, body: dict[str, Any], words: bytes) -> Iterator[str]:
    """The states listed are what the initial one leads to, no more and no less, and every verdict follows from them."""
    asked, stated, layout = body["properties"], body["states"], packing(subject.scalars)
    role = {n: "deadlock" if n == "deadlock" else subject.roles[n].role for n in asked}
    size, level = 8 * layout.words, [subject.initial()]
    listed = {words[i : i + size] for i in range(0, len(words), size)}
    if not len(listed) * size == len(words) == stated["distinct"] * size:
        raise Refused(f"{STATES} does not list {stated['distinct']:,} different states, as is stated.")
    seen, shown, found = set(level), set[str](), {"generated": 1, "pruned": 0, "depth": 0}
    while level:
        found["depth"] += 1
        frontier, level = level, []
        for state in frontier:
            if b"".join(word.to_bytes(8, "little") for word in layout.pack(state)) not in listed:
                raise Refused(f"{STATES} does not list a state that is reached: {subject.show(state)}.")
            shown |= {n for n in asked if role[n] == "reachable" and n not in shown and holds(subject, n, state)}
            shown |= {n for n in asked if role[n] == "invariant" and not holds(subject, n, state)}
            taken = list(steps(subject, state))
            shown |= {n for n in asked if role[n] == "deadlock" and not taken}
            for position, after in taken:
                found["pruned" if after is None else "generated"] += 1
                if after is None:
                    continue
                shown |= {n for n in asked if role[n] == "step" and not holds(subject, n, after, state, position)}
                if after not in seen:
                    seen.add(after)
                    level.append(after)
    if len(seen) != len(listed):
        raise Refused(f"{STATES} lists states that nothing leads to: {len(listed) - len(seen):,} of them.")
    for name, number in {**found, "digest": digest(layout.pack(state) for state in seen)}.items():
        if stated[name] != number:
            raise Refused(f"{name} is stated as {stated[name]} in certificate.json, and is {number}.")
    for name, verdict in asked.items():
        if verdict != ("holds" if (name in shown) is (role[name] == "reachable") else "violated"):
            raise Refused(f"{name} is stated as {verdict} in certificate.json, and the states listed say otherwise.")
        yield f"{name}: {verdict}."
    yield f"The {len(seen):,} states listed are the initial one and all that steps lead to from it within the bounds."


def recheck(folder: Path, seed: int) -> Iterator[str]:
    """What a certificate shows, a sentence each. Raises Refused if it does not show it."""
    body = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    names = [STATES] if body["kind"] == "states" else [DEFINITIONS, OBLIGATIONS]
    content = {name: (folder / name).read_bytes() for name in names}
    for name, data in content.items():
        if sha256(data).hexdigest() != body["files"][name]:
            raise Refused(f"{name} is not the file that was certified: its SHA-256 is another.")
    text = read_model(find_model(body["model"]))
    if body["sources"] != {f.name: sha256(f.read_bytes()).hexdigest() for f in model_files(text)}:
        raise Refused(f"the text of {body['model']} is not what was certified: the SHA-256 of a file is another.")
    subject = Subject(text, constants_from(text, body["constants"]))
    with running(subject.sizes):
        yield f"{body['model']} with {', '.join(f'{n}={v}' for n, v in body['constants'].items()) or 'no constants'}:"
        yield from recheck_states(subject, body, gzip.decompress(content[STATES]))


def main() -> None:
    """Prints what was confirmed and exits 0, or refuses with one sentence and exits 1."""
    try:
        print("\n".join(recheck(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
    except (Refused, IsrcheckError) as error:
        sys.exit(f"refused: {error}")
    except Exception as error:  # whatever it is, it must not pass
        sys.exit(f"refused: there is no certificate that can be read: {type(error).__name__}: {error}.")


if __name__ == "__main__":
    main()
