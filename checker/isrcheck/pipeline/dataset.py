"""A state graph as a data set: a folder of Parquet files, `isrcheck.graph/1`, that is there only if it is whole.

graph.json   what it is of, the counts and the digest
states/      state, level, packed (its words) and the model's variables
edges/       source, target, instance, action, parameters
levels/      level, states
verdicts/    property, kind, state: states that violate an invariant or meet a claim, and those in which a step
             begins that violates a step property; of kind deadlock, states without steps
"""

from array import array
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from isrcheck.engines.contract import DEADLOCK, FoundFault, Limits, Progress, Request
from isrcheck.engines.registry import StateGraph, engine
from isrcheck.errors import IsrcheckError, UsageError
from isrcheck.files import as_json, refuse_another, replace_folder, write_aside
from isrcheck.ir import property_kinds
from isrcheck.ir.domains import Domain
from isrcheck.ir.pack import DIGEST_HASH, Packing, pack_scalars
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.ir.show import show
from isrcheck.passes import bind, lower
from isrcheck.passes.bind import BoundModel
from isrcheck.pipeline.columns import variables_of, words_of
from isrcheck.run.replay import replay, replay_fault
from isrcheck.run.trace import encode
from isrcheck.version import __version__

GRAPH = "isrcheck.graph/1"
MARK = "graph.json"
MOST_STATES = 10_000_000
_COUNTS = ("distinct", "generated", "depth", "pruned", "digest")
_OWN = ("state", "level", "packed")  # columns that are not the model's
_ROWS = 1 << 16  # of a row group
_FILE_ROWS = 1 << 22


def export_graph(
    bound: BoundModel,
    name: str,
    properties: tuple[str, ...],
    folder: Path,
    max_states: int,
    command: str,
    tell: Callable[[Progress], None],
) -> dict[str, Any]:
    """Write the state graph and return the content of graph.json. A failed export leaves the folder as it was."""
    refuse_another(folder, MARK, "graph", "an exported graph", "export")
    bound = bind(bound.ir, bound.constants, slots=False)  # columns are read from masks
    system = lower(bound)
    request = Request(limits=Limits(states=max_states), progress=tell)
    try:
        with engine("native").graph(system, properties, request) as graph, replace_folder(folder) as fresh:
            if graph.exploration.cut is not None:
                raise UsageError(
                    f"the graph of {name} is not whole, the search ended {graph.exploration.cut}: choose smaller "
                    f"constants, or raise --max-states above {max_states:,}."
                )
            for each, path in graph.exploration.paths.items():
                if each in (*properties, DEADLOCK):
                    replay(bound, each, path, name, "native")
            counts = _DatasetWriter(graph, bound, system, fresh).write()
            about = _about(graph, bound, name, command, counts)
            write_aside(fresh / MARK, as_json(about))
    except FoundFault as fault:
        raise replay_fault(bound, fault, "native") from None
    return about


def _write_files(folder: Path, parts: Iterator[pa.Table]) -> int:
    """Write tables to numbered files and return the number of rows."""
    folder.mkdir()
    rows = in_file = files = 0
    writer: pq.ParquetWriter | None = None
    try:
        for rows_of_file in parts:
            if writer is None or in_file >= _FILE_ROWS:
                if writer is not None:
                    writer.close()
                file = folder / f"part-{files:05}.parquet"
                writer = pq.ParquetWriter(file, rows_of_file.schema, compression="zstd", write_page_checksum=True)
                files, in_file = files + 1, 0
            writer.write_table(rows_of_file, row_group_size=_ROWS)
            rows += rows_of_file.num_rows
            in_file += rows_of_file.num_rows
    finally:
        if writer is not None:
            writer.close()
    return rows


class _DatasetWriter:
    def __init__(self, graph: StateGraph, bound: BoundModel, system: ScalarSystem, folder: Path) -> None:
        self._graph, self._bound, self._system, self._folder = graph, bound, system, folder

    def write(self) -> dict[str, int]:
        """Write all tables and return the rows of each. Raises IsrcheckError unless they are all of the graph."""
        sizes = pa.array(self._graph.exploration.levels, pa.int64())
        tables = {
            "states": self._states(),
            "edges": self._edges(),
            "levels": iter([pa.table({"level": pa.array(range(1, len(sizes) + 1), pa.int32()), "states": sizes})]),
            "verdicts": self._verdicts(),
        }
        counts = {name: _write_files(self._folder / name, parts) for name, parts in tables.items()}
        expected = self._graph.exploration
        if (counts["states"], counts["edges"]) != (expected.distinct, expected.generated - 1):
            raise IsrcheckError(
                f"{counts['states']:,} states and {counts['edges']:,} steps were written, and the search found "
                f"{expected.distinct:,} and {expected.generated - 1:,}. This is a fault of isrcheck; nothing is kept."
            )
        return counts

    def _states(self) -> Iterator[pa.Table]:
        names = column_names(self._bound.domains)
        layout = pack_scalars(self._system.scalars)
        levels = array("i", [])
        for level, size in enumerate(self._graph.exploration.levels, 1):
            levels.extend(array("i", [level]) * size)
        first = 0
        size = self._graph.words * 8 * _ROWS
        for chunk in self._graph.states():
            for start in range(0, len(chunk), size):
                table = _states(chunk[start : start + size], self._graph.words, layout, self._bound.domains, names)
                rows = table.num_rows
                numbers = pa.array(range(first, first + rows), pa.int64())
                table = table.add_column(0, "level", pa.array(memoryview(levels[first : first + rows])))
                yield table.add_column(0, "state", numbers)
                first += rows

    def _edges(self) -> Iterator[pa.Table]:
        tables = _instances(self._bound, self._system)
        sources = bytearray()
        targets = bytearray()
        for source, target in self._graph.steps():
            sources += source
            targets += target
            if len(sources) >= 8 * _ROWS:
                yield _edges(sources, targets, self._graph.instances, tables)
                sources, targets = bytearray(), bytearray()
        yield _edges(sources, targets, self._graph.instances, tables)

    def _verdicts(self) -> Iterator[pa.Table]:
        kinds = {p.name: p.kind for p in self._system.properties} | {DEADLOCK: property_kinds.DEADLOCK}
        bits: dict[str, array[int]] = {t.name: array("Q") for t in self._graph.targets if not t.fault}
        for words in self._graph.target_words():
            for target, mask in zip(self._graph.targets, words, strict=True):
                if not target.fault:
                    bits[target.name].append(mask)
        for name, mask_words in bits.items():
            yield _target_states(name, kinds[name].name, mask_words, self._graph.exploration.distinct)


def column_names(domains: Mapping[str, Domain]) -> dict[str, str]:
    """The column of each variable: its name, with _ after it where a column of ours has that name."""
    return {name: f"{name}_" if name in _OWN else name for name in domains}


def _states(
    chunk: bytes, words: int, layout: Packing, domains: Mapping[str, Domain], names: Mapping[str, str]
) -> pa.Table:
    columns = words_of(chunk, words)
    ends = pa.array(range(0, len(columns[0]) * words + 1, words), pa.int32())
    packed = pa.ListArray.from_arrays(ends, pa.array(memoryview(array("q", chunk))))
    variables = variables_of(columns, layout, domains)
    return pa.table({"packed": packed, **{names[n]: column for n, column in variables.items()}})


def _instances(bound: BoundModel, system: ScalarSystem) -> tuple[Any, Any]:
    actions = [system.actions[i.action] for i in system.instances]
    names = [[n for n, _ in bound.parameters(position)] for position in range(len(system.actions))]
    parameters = [[(n, show(v)) for n, v in zip(names[i.action], i.arguments, strict=True)] for i in system.instances]
    return pa.array(actions, pa.string()), pa.array(parameters, pa.map_(pa.string(), pa.string()))


def _edges(sources: bytearray, targets: bytearray, instances: int, tables: tuple[Any, Any]) -> pa.Table:
    both = pa.array(memoryview(array("q", bytes(sources))))
    many = pa.scalar(max(instances, 1), pa.int64())
    source = pc.divide(both, many)
    instance = pc.subtract(both, pc.multiply(source, many))
    actions, parameters = tables
    return pa.table(
        {
            "source": source,
            "target": pa.array(memoryview(array("q", bytes(targets)))),
            "instance": instance.cast(pa.int32()),
            "action": actions.take(instance),
            "parameters": parameters.take(instance),
        }
    )


def _target_states(name: str, kind: str, mask_words: "array[int]", states: int) -> pa.Table:
    mask = pa.Array.from_buffers(pa.bool_(), states, [None, pa.py_buffer(mask_words.tobytes())])
    states_of_target = pa.array(range(states), pa.int64()).filter(mask)
    named = {"property": name, "kind": kind}
    columns = {column: pa.array([value] * len(states_of_target), pa.string()) for column, value in named.items()}
    return pa.table({**columns, "state": states_of_target})


def _about(graph: StateGraph, bound: BoundModel, name: str, command: str, counts: dict[str, int]) -> dict[str, Any]:
    exploration = graph.exploration
    return {
        "schema": GRAPH,
        "version": __version__,
        "model": name,
        "constants": {n: encode(v) for n, v in bound.constants.items()},
        "states": {**{n: getattr(exploration, n) for n in _COUNTS}, "hash": DIGEST_HASH},
        "rows": counts,
        "columns": column_names(bound.domains),
        "command": command,
    }
