"""How small reduced graphs are: `python -m tests.reduction.factors MODEL ...` writes the table in docs/reduce.md.

Each model at its defaults, asked all of its properties but temporal ones, and asked none.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from isrcheck.catalogue import find_model
from isrcheck.engines.common.dependence import Analysis, dependence
from isrcheck.engines.common.positions import growing
from isrcheck.engines.contract import Limits, Request
from isrcheck.engines.native.engine import explore
from isrcheck.errors import IsrcheckError
from isrcheck.ir.domains import SlotMapDomain, SlotSetDomain
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower

MOST_STATES = 2_000_000


def system_of(name: str) -> ScalarSystem:
    """With all the slots that its messages need."""
    ir = read_model(find_model(name))
    check_domains(ir)
    model = bind(ir, {})
    if any(isinstance(each, SlotSetDomain | SlotMapDomain) for each in model.domains.values()):
        growing(model, lambda: explore(lower(model, ()), Request(limits=Limits(states=MOST_STATES))))
    return lower(model)


def compared(system: ScalarSystem, names: Sequence[str], symmetry: bool) -> str:
    """States of the complete and of the reduced graph."""
    counts = []
    for reduce in (False, True):
        limits = Limits(states=MOST_STATES)
        seen = explore(system, Request(properties=tuple(names), symmetry=symmetry, reduce=reduce, limits=limits))
        if seen.cut is not None:
            return "ends early" if len(seen.found) == len(names) else f"over {MOST_STATES:,}"
        counts.append(seen.distinct)
    whole, part = counts
    return f"{whole:,} / {part:,} = {whole / part:.2f}"


def variable(scalar: str) -> str:
    """`log` of log[r0][1].epoch, len(log[r0]) and type(log[r0]); leader.isr itself."""
    found = re.search(r"(?:(?:len|type)\()?(\w+(?:\.\w+)*)", scalar)
    assert found is not None
    return found[1]


def blamed(system: ScalarSystem) -> str:
    """Which variables make instances depend on each other, in how many of a hundred pairs that do."""
    analysis = Analysis(system)
    owners = [variable(each.name) for each in system.scalars for _ in range(each.bits)]
    found, pairs = Counter[str](), 0
    for i, before in enumerate(analysis.dependents()):
        for j in range(i):
            if before >> j & 1:
                a, b = analysis.footprints[i], analysis.footprints[j]
                shared = a.writes & (b.asks | b.uses | b.writes) | b.writes & (a.asks | a.uses)
                found.update({owners[bit] for bit in range(shared.bit_length()) if shared >> bit & 1})
                pairs += 1
    return ", ".join(f"`{name}` {100 * times // pairs}" for name, times in found.most_common(3))


def share(system: ScalarSystem, names: Sequence[str]) -> int:
    """How many of a hundred pairs of instances are in order before each other."""
    live = sum(1 << place for place, each in enumerate(system.instances) if each.guard.high > 0)
    before = dependence(system, names).dependents
    pairs = sum((each & live & ~(1 << place)).bit_count() for place, each in enumerate(before) if live >> place & 1)
    return 100 * pairs // max(1, live.bit_count() * (live.bit_count() - 1))


def row(name: str) -> Iterator[str]:
    system = system_of(name)
    names = [each.name for each in system.properties]
    yield name.rpartition(":")[2]
    for asked, symmetry in ((names, False), ([], False), (names, True)):
        if symmetry and not system.symmetries:
            yield "-"
            continue
        yield compared(system, asked, symmetry)
    yield f"{share(system, names)} / {share(system, [])}"
    yield blamed(system)


def main(models: Sequence[str]) -> None:
    print("| model | all properties | none | all, with symmetry | dependent, % | through |")
    print("|---|--:|--:|--:|--:|---|")
    for name in models:
        try:
            print(f"| {' | '.join(row(name))} |", flush=True)
        except (IsrcheckError, AssertionError) as error:
            print(f"| {name} | {type(error).__name__}: {error} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
