"""TLC beside the native engine, into reports/tlc.md: python -m tools.reports.tlc [GROUP ...].

Needs Java and TLC_JAR, a jar or class path with TLC; without it this says so and ends well. With groups named, the
others stay as they were.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from isrcheck import Model, check
from isrcheck.catalogue import find_model, models_by_name
from isrcheck.files import write_aside
from isrcheck.ir.model import Property, Refinement
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.passes.bind import BoundModel
from isrcheck.run.outcome import Outcome, PropertyOutcome
from isrcheck.tla.export import Exported, keyword_and_name, to_tla, write_folder
from isrcheck.tla.vocabulary import module

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "reports" / "tlc.md"
TIMES = "times"  # the section that tools/reports/verdict_times.py makes
TEMPORAL = "temporal"  # and temporal_times.py
MOST = 150_000  # distinct states; TLC finds some 25 thousand a second

SIZES = ("replicas", "log_size", "max_records", "max_leader_epoch")
PUBLISHED = [n for n in models_by_name() if n == "truncate-to-high-watermark" or n.startswith("kip-")]
LANGUAGE = [  # models of the tests, which use every part of the language
    *(f"values:{name}" for name in ("Sequences", "Indices", "Sets", "Maps", "Options", "Numbers", "Choices")),
    "values:OnlyInText",
    *(f"statements:{name}" for name in ("Swap", "InOrder", "TargetsInOrder", "Branches", "GuardAfter")),
    *(f"statements:{name}" for name in ("Helpers", "Before")),
]
EXAMPLES = [
    *("die_hard.py", "two_phase.py:TwoPhase", "voting.py:Voting", "paxos.py", "readers_writers.py"),
    *("chang_roberts.py", "alternating_bit.py:AlternatingBit", "producer_id.py"),
]
GROUPS: dict[str, list[tuple[str, dict[str, int]]]] = {
    "toys": [(n, {}) for n in models_by_name() if n.startswith("toy-")],
    "published": [
        (n, dict(zip(SIZES, sizes, strict=True))) for sizes in ((3, 2, 2, 1), (2, 2, 2, 2)) for n in PUBLISHED
    ],
    "isr": [(n, {}) for n in models_by_name() if n.startswith("isr-")],
    "language": [(f"tests.lang.models.{name}", {}) for name in LANGUAGE],
    "messages": [
        *((f"tests.lang.models.channels:{name}", {}) for name in ("Ordered", "Lossy", "Permits")),
        *((f"tests.lang.models.networks:{name}", {}) for name in ("Asking", "Putting")),
        ("tests.tla.test_messages:Stopped", {}),
        ("tests.lang.models.sums:InSets", {}),
        ("tests.lang.models.sums:Matching", {}),
        ("examples/two_phase.py:Hasty", {}),
    ],
    "examples": [(f"examples/{name}", {}) for name in EXAMPLES],
    "others": [
        *((n, {}) for n in models_by_name() if n.startswith("async")),
        ("original-design", {"max_changes": 1, "max_commands": 1}),
        ("partition", {}),
        ("partition-kafka-4485-v2-by-high-watermark", {}),
    ],
}


@dataclass(frozen=True)
class Answer:
    """TLC's answer on one configuration."""

    distinct: int | None
    generated: int | None
    depth: int | None
    violated: str  # the name of what is violated; empty if nothing is
    length: int  # of the trace, in states


@dataclass
class Row:
    model: str
    constants: dict[str, int]
    graph: Outcome  # of the whole graph, with nothing asked
    ours: Outcome
    theirs: Answer | None = None
    apart: list[str] = field(default_factory=list)  # where the two disagree, in words
    unseen: list[str] = field(default_factory=list)  # step properties that break where nothing changes


class Tlc:
    """TLC as a command."""

    def __init__(self, classes: str) -> None:
        self.classes = classes

    def __call__(self, folder: Path, module: str, configuration: str) -> Answer:
        """One run. Raises RuntimeError with TLC's words if it ends otherwise than with an answer."""
        (folder / f"{module}.cfg").write_text(configuration, encoding="utf-8")
        command = ["java", "-XX:+UseSerialGC", "-Xmx2g", "-cp", self.classes, "tlc2.TLC"]
        command += ["-workers", "1", "-noGenerateSpecTE", "-metadir", str(folder / "states"), module]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
        return parse_answer(run.stdout + run.stderr)


def parse_answer(said: str) -> Answer:
    """TLC's output as an answer. Raises RuntimeError if it is none."""
    counts = re.findall(r"^(\d+) states generated, (\d+) distinct states found, (\d+) states left", said, re.MULTILINE)
    depth = re.search(r"The depth of the complete state graph search is (\d+)", said)
    broken = re.search(r"(?:Invariant|Action property|property) (?:line .* of module )?(\w+) is violated", said)
    initial = re.search(r"Invariant (\w+) is violated by the initial state", said)
    states = [int(n) for n in re.findall(r"^State (\d+):", said, re.MULTILINE)]
    if broken or initial:
        name = initial or broken
        assert name is not None
        return Answer(None, None, None, name[1], 1 if initial else max(states))
    if not counts or depth is None or "No error has been found" not in said:
        raise RuntimeError(said)
    generated, distinct, _ = counts[-1]
    return Answer(int(distinct), int(generated), int(depth[1]), "", 0)


def compare(tlc: Tlc, model: str, constants: dict[str, int]) -> Row:
    """One model with TLC: first all that holds, for the counts; then what is violated or reached, one by one."""
    cls = class_of(model)
    bound = bind(read_model(cls), constants)
    graph = check(cls, engine="native", properties=(), constants=constants)
    row = Row(model, constants, graph, check(cls, engine="native", constants=constants))
    if graph.distinct is None or graph.distinct > MOST:
        return row
    exported = to_tla(bound)
    with tempfile.TemporaryDirectory(prefix="isrcheck-tlc-") as name:
        folder = Path(name)
        write_folder(exported.files, folder)
        held = [p for p in row.ours.properties if not ends_tlc(p)]
        row.theirs = tlc(folder, exported.main, configuration_for(exported, bound, held))
        row.apart += _apart(row)
        for decided in filter(ends_tlc, row.ours.properties):
            assert decided.trace is not None
            if _stutters(decided):
                row.unseen.append(decided.name)
                continue
            answer = tlc(folder, exported.main, configuration_for(exported, bound, [decided]))
            asked = next(_name_in_tlc(exported, p) for p in bound.properties if p.name == decided.name)
            if answer.violated != asked or answer.length != decided.trace.length:
                theirs = f"violated in {answer.length} states" if answer.violated else "holds"
                row.apart.append(f"{decided.name}: {decided.trace.length} states here, {theirs} there")
    return row


def _name_in_tlc(exported: Exported, method: Property) -> str:
    """TLC's name for a property; that of a refinement is the module of the abstract model."""
    return (
        module(method.abstract.name) if isinstance(method, Refinement) else keyword_and_name(exported.writer, method)[1]
    )


def class_of(model: str) -> type[Model]:
    """A model by its name in the list, as module:Class, or as file.py:Class."""
    if ".py" in model:
        return find_model(model)
    module, _, name = model.partition(":")
    cls: type[Model] = getattr(import_module(module), name) if name else find_model(model)
    return cls


def ends_tlc(decided: PropertyOutcome) -> bool:
    """Whether TLC ends at this property: it is violated, or a claim that is met."""
    return decided.trace is not None


def _stutters(decided: PropertyOutcome) -> bool:
    """Whether a step property breaks by a step that changes nothing, of which [][A]_vars says nothing."""
    steps = decided.trace.steps if decided.trace is not None else ()
    return decided.kind.is_of_steps and len(steps) > 1 and steps[-1].state == steps[-2].state


def configuration_for(exported: Exported, model: BoundModel, properties: list[PropertyOutcome]) -> str:
    """The configuration as exported, with these properties alone."""
    head = exported.configuration.split("\nINVARIANTS")[0]
    methods = {p.name: p for p in model.properties}
    asked = [keyword_and_name(exported.writer, methods[p.name]) for p in properties]
    lines = [head, "INVARIANT TypeOk", *(f"{keyword} {name}" for keyword, name in asked), "CHECK_DEADLOCK FALSE"]
    return "\n".join(lines) + "\n"


def _apart(row: Row) -> Iterator[str]:
    assert row.theirs is not None
    if row.theirs.violated:
        yield f"{row.theirs.violated} is violated there in {row.theirs.length} states"
    elif (row.theirs.distinct, row.theirs.depth) != (row.graph.distinct, row.graph.depth):
        yield f"{row.theirs.distinct} states of depth {row.theirs.depth} there"


def table(rows: list[Row]) -> list[str]:
    lines = ["| model | constants | distinct | depth | generated here | by TLC | verdicts and lengths |"]
    lines.append("|---|---|--:|--:|--:|--:|---|")
    for row in rows:
        chosen = ", ".join(f"{n}={v}" for n, v in row.constants.items()) or "defaults"
        ours, graph = row.ours, row.graph
        counts = f"{graph.distinct:,} | {graph.depth} | {graph.generated:,} | "
        if row.theirs is None:
            said = f"not run: more than {MOST:,} states"
            counts += "|"
        else:
            counts += f"{row.theirs.generated:,} |" if row.theirs.generated is not None else "|"
            said = "; ".join(f"**{a}**" for a in row.apart) or f"all {len(ours.properties) - len(row.unseen)} equal"
            said += "".join(f"; `{name}` breaks where nothing changes" for name in row.unseen)
        lines.append(f"| `{row.model}` | {chosen} | {counts} {said} |")
    return lines


HEAD = """# TLC beside the native engine

Made by `./dev tlc` (docs/tla.md). Distinct states and depth are of the whole graph and equal, unless the last column
says in bold what TLC found instead; so are the verdict of every property, and the length of every shortest trace to a
violation or to what a claim of reachability claims. TLC has one worker. It generates a state once for each part of a
disjunction in a guard that is true, where isrcheck generates it once, so that its count of generated states is higher
where guards have such.
"""


def write_page(sections: dict[str, list[str]]) -> str:
    """The page: sections made anew, the others as they were."""
    before = TABLE.read_text(encoding="utf-8").split("\n## ")[1:] if TABLE.exists() else []
    kept = {name: rest.strip().splitlines() for name, _, rest in (section.partition("\n") for section in before)}
    all_sections = {**kept, **sections}
    parts = (
        f"## {group}\n\n" + "\n".join(all_sections[group])
        for group in (*GROUPS, TEMPORAL, TIMES)
        if group in all_sections
    )
    return "\n".join([HEAD, "\n\n".join(parts)]) + "\n"


def main(groups: list[str]) -> int:
    if groups[:1] == [TIMES]:
        from tools.reports import verdict_times

        return verdict_times.main(groups[1:])
    if groups[:1] == [TEMPORAL]:
        from tools.reports import temporal_times

        return temporal_times.main(groups[1:])
    classes = os.environ.get("TLC_JAR", "")
    if not classes or not shutil.which("java"):
        print("TLC was not run: it needs Java, and TLC_JAR as a path to tla2tools.jar or to TLC's classes.")
        return 0
    tlc, apart = Tlc(classes), 0
    for group in groups or GROUPS:
        rows = []
        for model, constants in GROUPS[group]:
            try:
                rows.append(compare(tlc, model, constants))
            except RuntimeError as error:
                print(f"{model}: TLC gave no answer.\n{error}", flush=True)
                apart += 1
                continue
            print(table(rows)[-1], flush=True)
        apart += sum(len(row.apart) for row in rows)
        write_aside(TABLE, write_page({group: table(rows)}))
    print(f"{apart} differences")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
