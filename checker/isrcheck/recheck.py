"""The independent checker of certificates: python -m isrcheck.recheck MODEL DIR [SEED] (docs/certificates.md).

It trusts CPython and SHA-256; for the digest of states mmh3; for proofs cvc5 and its parser; and of isrcheck `lang`,
`ir` and `certificate.py`: how a class is read, laid out and called. It uses no engine and no pass, but for ANY_SIZE.
"""

import gzip
import signal
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from isrcheck.catalogue import find_model
from isrcheck.certificate import STATES, Refused, load_certificate, source_hashes
from isrcheck.errors import IsrcheckError
from isrcheck.ir.pack import digest, pack_scalars
from isrcheck.ir.property_kinds import DEADLOCK, Reads
from isrcheck.lang.instance import with_sort_sizes
from isrcheck.lang.read import read_model
from isrcheck.lang.subject import Subject, constants_from

ANY_SIZE = "isrcheck.proofs.recheck"  # of proofs for any size: they are made again, by a pass


def recheck_states(subject: Subject, body: dict[str, Any], files: dict[str, bytes]) -> Iterator[str]:
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


def recheck(model: str, folder: Path, seed: int) -> Iterator[str]:
    """Yield a sentence on all that a certificate shows of the user's model. Raises Refused or UsageError."""
    body, content = load_certificate(folder, model)
    ir = read_model(find_model(model))
    if body["sources"] != source_hashes(ir):
        raise Refused(f"the text of {body['model']} is not what was certified: the SHA-256 of a file is another.")
    if body["kind"] == "unbounded":
        yield from import_module(ANY_SIZE).recheck_proof(ir, body, content, seed)
        return
    subject = Subject(ir, constants_from(ir, body["constants"]))
    with with_sort_sizes(subject.sizes):
        chosen = (f"{name}={value}" for name, value in body["constants"].items())
        yield f"{body['model']} with {', '.join(chosen) or 'no constants'}:"
        yield from recheck_states(subject, body, content)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if len(sys.argv) not in (3, 4):
        sys.exit("refused: write python -m isrcheck.recheck MODEL DIR [SEED], with the MODEL that DIR is to be of.")
    try:
        lines = [*recheck(sys.argv[1], Path(sys.argv[2]), int((*sys.argv[3:], "0")[0])), ""]
        sys.stdout.buffer.write("\n".join(lines).encode())
    except KeyboardInterrupt:
        sys.stderr.write("interrupted: nothing is confirmed.\n")
        sys.exit(130)
    except Exception as error:  # whatever it is, it must not pass
        known = str(error) if isinstance(error, IsrcheckError) else ""
        sys.exit(f"refused: {known or f'no certificate that can be read: {type(error).__name__}: {error}.'}")
