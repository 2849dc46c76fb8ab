"""The searches that are timed on a GPU, with their counts, and those that are compared with the native engine."""

import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from tools.gpu.emulator import EmulatedDevice

from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.gpu import memory
from isrcheck.engines.gpu.driver import Cuda, Device
from isrcheck.engines.gpu.engine import code_for, lower_for_gpu, search_on
from isrcheck.engines.native import engine as native
from isrcheck.engines.native.lowered import Lowered
from isrcheck.lang.read import read_model
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel, bind

KIP_320 = {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}
KRAFT = {
    "replicas": 3,
    "min_isr": 2,
    "max_records": 1,
    "fences": 1,
    "kills": 1,
    "power_losses": 1,
    "max_version": 9,
    "max_epoch": 7,
    "max_session": 2,
}
# As the models were when the prototype was measured, whose counts are compared.
KRAFT_OF_PROTOTYPE: Mapping[str, int | str] = {**KRAFT, "hw_eager": "true", "answers_earlier": "false"}
KRAFT_SMALL = {**KRAFT, "replicas": 2, "min_isr": 1}

CHECKS: tuple[tuple[str, Mapping[str, int | str]], ...] = (
    ("truncate-to-high-watermark", {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}),
    ("kip-320", KIP_320),
    ("kraft-3.7", {**KRAFT_SMALL, "kills": 0, "max_session": 1}),
    ("kraft-4.3", {**KRAFT_SMALL, "power_losses": 0}),
    ("isr-kafka-4485-v2", {}),
)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A search whose counts are known. `rate`: the prototype's, in million states a second."""

    name: str
    model: str
    constants: Mapping[str, int | str]
    distinct: int
    generated: int
    depth: int
    digest: str
    rate: int  # on an H100, or an H200 where it did not run on the other
    gib: int = 0  # of free memory that it needs


# The native engine has the same counts and digests, except of kraft with two records and kip-320 (3,2,2,6): those are
# the prototype's.
ROWS = (
    Row(
        name="kip-320 (3,2,2,2)",
        model="kip-320",
        constants=KIP_320,
        distinct=737_794,
        generated=1_929_154,
        depth=26,
        digest="3ac86e9ef50b0b7bf87a94eba318fd39",
        rate=294,
    ),
    Row(
        name="kip-320 (3,2,2,3)",
        model="kip-320",
        constants={**KIP_320, "max_leader_epoch": 3},
        distinct=9_985_570,
        generated=26_629_363,
        depth=32,
        digest="5732996916f0ec632f56985c60fae434",
        rate=1_469,
    ),
    Row(
        name="kip-320 (3,3,3,3)",
        model="kip-320",
        constants={"replicas": 3, "log_size": 3, "max_records": 3, "max_leader_epoch": 3},
        distinct=64_739_578,
        generated=182_836_519,
        depth=37,
        digest="bbe45e1fec9d0261719c2ce19cd2b106",
        rate=1_877,
    ),
    Row(
        name="kip-320 (3,2,2,5)",
        model="kip-320",
        constants={**KIP_320, "max_leader_epoch": 5},
        distinct=1_150_588_699,
        generated=3_158_343_463,
        depth=43,
        digest="c068474c1fb37fea8a47bea288b45021",
        rate=1_983,
    ),
    Row(
        name="kip-320 (3,2,2,6)",
        model="kip-320",
        constants={**KIP_320, "max_leader_epoch": 6},
        distinct=10_949_906_830,
        generated=30_300_614_644,
        depth=48,
        digest="013fe93cd58e5ed9c83cc8052fe2f406",
        rate=1_666,
        gib=138,
    ),
    Row(
        name="kraft-4.1 RF 3, 1 record",
        model="kraft-4.1",
        constants=KRAFT_OF_PROTOTYPE,
        distinct=25_849_387,
        generated=195_851_872,
        depth=39,
        digest="49648d13d464950d11867157799e5b5f",
        rate=327,
    ),
    Row(
        name="kraft-4.1 RF 3, 2 records",
        model="kraft-4.1",
        constants={**KRAFT_OF_PROTOTYPE, "max_records": 2},
        distinct=209_499_505,
        generated=1_573_115_167,
        depth=49,
        digest="d7606797ef8a0bafa10d1dfa7caedc3b",
        rate=350,
    ),
)


RUNS = 3  # of a row: the first one of a process is slower
EMULATED_BYTES = 256 << 20
IN_COMMANDS = (ROWS[2], ROWS[5])
# With these the table is the compact one from some 200 states on, where it can be.
MOST_COMPACT_WORDS = 2
FEW_SLOTS = {"_FIRST_SHARE": 1 << 60, "_FEWEST_STATES": 1 << 8, "_MOST_SLOTS": 1 << 8}
FACTS = (
    "distinct", "generated", "depth", "levels", "pruned", "outside", "digest", "cut", "paths", "action_generated",
    "action_distinct",
)  # fmt: skip


class Bench:
    """The checks and times of one kind of device."""

    def __init__(self, is_emulated: bool, is_profiled: bool) -> None:
        self._is_emulated, self._is_profiled = is_emulated, is_profiled

    def _open(self) -> Device:
        return EmulatedDevice(EMULATED_BYTES, workers=2) if self._is_emulated else Cuda()

    def describe_device(self) -> dict[str, Any]:
        """Return what there is to say of the device. Raises UsageError where there is none."""
        with closing(self._open()) as device:
            return {"name": device.name, "capability": device.capability, "free": device.free_bytes()}

    def check(self, name: str, constants: Mapping[str, int | str]) -> Iterator[dict[str, Any]]:
        """Return the facts in which the device and the native engine differ, for each kind of table."""
        model = bind_model(name, constants)
        request = Request(properties=property_names(model))
        other = native.search(model, request)
        for few in (dict[str, int](), FEW_SLOTS):
            with closing(self._open()) as device, patch.dict(vars(memory), few):
                used, lowered = ProfiledDevice(device), load_model(device, model)
                if few and lowered.program.words > MOST_COMPACT_WORDS:
                    return
                own = search_on(used, model, request, lowered)
            table = "compact" if "convert" in used.profile() else "slots"
            yield {"distinct": own.distinct, "table": table, "differing": compare_facts(own, other, FACTS)}

    def choose_rows(self, names: Sequence[str], free: int) -> list[Row]:
        """The rows of these names, or all that fit into so many bytes; an emulator takes the first one."""
        if names:
            return [row for row in ROWS if row.name in names]
        return [row for row in ROWS[: 1 if self._is_emulated else None] if row.gib << 30 <= free]

    def time_row(self, row: Row) -> Iterator[dict[str, Any]]:
        """Search a row several times on one device, prepared once."""
        began = time.perf_counter()
        model = bind_model(row.model, row.constants)
        with closing(self._open()) as device:
            lowered = load_model(device, model)
            prepared = time.perf_counter() - began
            for number in range(RUNS):
                is_profiled = self._is_profiled and number == RUNS - 1
                used = ProfiledDevice(device) if is_profiled else device
                yield {"row": row.name, "prepare_seconds": prepared, **self._time_search(used, model, lowered, row)}

    def _time_search(self, device: Device, model: BoundModel, lowered: Lowered, row: Row) -> dict[str, Any]:
        began = time.perf_counter()
        answer = search_on(device, model, Request(properties=property_names(model)), lowered)
        result: dict[str, Any] = {"total_seconds": time.perf_counter() - began, "seconds": answer.seconds}
        result |= {name: getattr(answer, name) for name in ("distinct", "depth", "digest", "cut")}
        if not self._is_emulated:
            rate = answer.distinct / answer.seconds / 1e6
            result |= {"million_states_a_second": rate, "of_prototype": rate / row.rate}
        if isinstance(device, ProfiledDevice):
            result["kernels"] = device.profile()
        return {**result, "differing": compare_facts(answer, row, ("distinct", "generated", "depth", "digest"))}

    def time_commands(self) -> Iterator[dict[str, Any]]:
        """Time commands in processes of their own, with an empty cache and with what it then has."""
        for row in () if self._is_emulated else IN_COMMANDS:
            with TemporaryDirectory() as cache:
                for state in ("cold", "cached"):
                    yield {"row": row.name, "cache": state, **time_command(row, cache)}


def bind_model(name: str, constants: Mapping[str, int | str]) -> BoundModel:
    return bind(read_model(find_model(name)), {key: str(value) for key, value in constants.items()})


def property_names(model: BoundModel) -> tuple[str, ...]:
    return tuple(each.name for each in model.properties)


def load_model(device: Device, model: BoundModel) -> Lowered:
    """Lower a model for the search of its properties, and load its kernels."""
    names = property_names(model)
    lowered = lower_for_gpu(lower(model, names), names)
    if isinstance(device, EmulatedDevice):
        device.use(lowered.ir, lowered.program.actions + 1)
    else:
        device.load(code_for(lowered, device))
    return lowered


def compare_facts(answer: Searched, other: Searched | Row, facts: Sequence[str]) -> list[str]:
    """Return the facts that differ."""
    return [fact for fact in facts if getattr(answer, fact) != getattr(other, fact)]


def time_command(row: Row, cache: str) -> dict[str, Any]:
    constants = [f"{name}={value}" for name, value in row.constants.items()]
    command = [sys.executable, "-m", "isrcheck", "check", row.model, "--engine", "gpu"]
    command += [argument for each in constants for argument in ("-c", each)]
    began = time.perf_counter()
    ended = subprocess.run(command, env={**os.environ, "ISRCHECK_CACHE_DIR": cache}, capture_output=True, check=False)
    return {"seconds": time.perf_counter() - began, "exit": ended.returncode}


class ProfiledDevice:
    """A device that waits after each launch, and adds up the seconds by kernel."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._seconds, self._launches = defaultdict[str, float](float), Counter[str]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    def launch(self, kernel: str, arguments: Sequence[int], threads: int) -> None:
        self._device.read(arguments[0], 1)
        began = time.perf_counter()
        self._device.launch(kernel, arguments, threads)
        self._device.read(arguments[0], 1)
        self._seconds[kernel] += time.perf_counter() - began
        self._launches[kernel] += 1

    def profile(self) -> dict[str, list[float]]:
        """The launches and the seconds of each kernel."""
        return {name: [self._launches[name], round(seconds, 4)] for name, seconds in self._seconds.items()}
