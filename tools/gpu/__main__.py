"""Check the search on a GPU against the native engine, and time it: python -m tools.gpu [--emulator] [OUT].

Results go to OUT, or to reports/benchmarks under the device's name. It takes below five minutes.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tools.gpu.emulator import EmulatedDevice
from tools.gpu.rows import KRAFT, ROWS, Row

from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.gpu.driver import Cuda, Device
from isrcheck.engines.gpu.engine import code_for, lowered_for_gpu, search_on
from isrcheck.engines.native import engine as native
from isrcheck.lang.read import read_model
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel, bind

CHECKS: tuple[tuple[str, Mapping[str, int]], ...] = (
    ("truncate-to-high-watermark", {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}),
    ("kip-320", {"replicas": 3, "log_size": 2, "max_records": 1, "max_leader_epoch": 2}),
    ("kraft-3.7", {**KRAFT, "replicas": 2, "min_isr": 1, "kills": 0, "power_losses": 1, "max_session": 1}),
    ("kraft-4.3", {**KRAFT, "replicas": 2, "min_isr": 1, "fences": 1, "kills": 1, "power_losses": 0}),
    ("isr-kafka-4485-v2", {}),
)
FACTS = (
    "distinct", "generated", "depth", "levels", "pruned", "outside", "digest", "cut", "paths", "action_generated",
    "action_distinct",
)  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    is_emulated = "--emulator" in arguments
    only = [each.partition("=")[2] for each in arguments if each.startswith("--row=")]
    places = [each for each in arguments if not each.startswith("--")]
    results: list[dict[str, Any]] = []

    def note(**result: Any) -> None:
        results.append(result)
        print(json.dumps(result), flush=True)

    device = open_device(is_emulated)
    note(event="device", name=device.name, capability=device.capability, free=device.free_bytes())
    device.close()
    failures = 0
    for name, constants in CHECKS if not only else ():
        differing = check(bound(name, constants), is_emulated)
        failures += bool(differing)
        note(event="check", model=name, constants=dict(constants), differing=differing)
    for row in ROWS[: 1 if is_emulated else None]:
        if not only or row.name in only:
            for result in time_row(row, is_emulated, profile="--profile" in arguments):
                failures += bool(result.get("wrong"))
                note(**result)
    if not is_emulated and not only:
        for result in time_commands():
            note(**result)
    name = device.name.lower().replace(" ", "-")
    target = Path(places[0] if places else f"reports/benchmarks/gpu-{name}.jsonl")
    target.write_text("".join(json.dumps(each) + "\n" for each in results), encoding="utf-8")
    return int(failures > 0)


def open_device(is_emulated: bool) -> Any:
    return EmulatedDevice(256 << 20, workers=2) if is_emulated else Cuda()


def bound(name: str, constants: Mapping[str, int]) -> BoundModel:
    return bind(read_model(find_model(name)), {key: str(value) for key, value in constants.items()})


def names_of(model: BoundModel) -> tuple[str, ...]:
    return tuple(each.name for each in model.properties)


def prepare(device: Any, model: BoundModel, names: tuple[str, ...]) -> Any:
    lowered = lowered_for_gpu(lower(model, names), names)
    if isinstance(device, EmulatedDevice):
        device.use(lowered.ir, lowered.program.actions + 1)
    else:
        device.load(code_for(lowered, device))
    return lowered


def check(model: BoundModel, is_emulated: bool) -> list[str]:
    """Return the facts in which the GPU and the native engine differ."""
    request = Request(properties=names_of(model))
    device = open_device(is_emulated)
    own = search_on(device, model, request, prepare(device, model, request.properties))
    device.close()
    other = native.search(model, request)
    return [fact for fact in FACTS if getattr(own, fact) != getattr(other, fact)]


class ProfiledDevice:
    """A device that waits after each launch, and adds up the seconds by kernel."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self.seconds, self.launches = Counter[str](), Counter[str]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    def launch(self, kernel: str, arguments: Sequence[int], threads: int) -> None:
        self._device.read(arguments[0], 1)
        began = time.perf_counter()
        self._device.launch(kernel, arguments, threads)
        self._device.read(arguments[0], 1)
        self.seconds[kernel] += time.perf_counter() - began
        self.launches[kernel] += 1


def time_row(row: Row, is_emulated: bool, profile: bool, runs: int = 3) -> Iterator[dict[str, Any]]:
    device = open_device(is_emulated)
    began = time.perf_counter()
    model = bound(row.model, row.constants)
    lowered = prepare(device, model, names_of(model))
    prepared = time.perf_counter() - began
    request = Request(properties=names_of(model))
    for number in range(runs):
        shown = ProfiledDevice(device) if profile and number == runs - 1 else device
        began = time.perf_counter()
        answer = search_on(shown, model, request, lowered)
        whole = time.perf_counter() - began
        result: dict[str, Any] = {
            "event": "row",
            "row": row.name,
            "distinct": answer.distinct,
            "depth": answer.depth,
            "cut": answer.cut,
        }
        result |= {"seconds": answer.seconds, "million_states_a_second": answer.distinct / answer.seconds / 1e6}
        result |= {"whole_seconds": whole, "prepare_seconds": prepared, "digest": answer.digest}
        result |= {"of_prototype": answer.distinct / answer.seconds / 1e6 / row.rate, "wrong": wrong_in(row, answer)}
        if isinstance(shown, ProfiledDevice):
            result["kernels"] = {name: [shown.launches[name], round(s, 4)] for name, s in shown.seconds.items()}
        yield result
    device.close()


def wrong_in(row: Row, answer: Searched) -> list[str]:
    return [
        fact for fact in ("distinct", "generated", "depth", "digest") if getattr(row, fact) != getattr(answer, fact)
    ]


def time_commands() -> Iterator[dict[str, Any]]:
    """Seconds of whole commands in fresh processes, with an empty cache and with what it then has."""
    for row in (ROWS[2], ROWS[4]):
        constants = [part for key, value in row.constants.items() for part in ("-c", f"{key}={value}")]
        command = [sys.executable, "-m", "isrcheck", "check", row.model, "--engine", "gpu", *constants]
        with TemporaryDirectory() as cache:
            for state in ("cold", "cached"):
                began = time.perf_counter()
                ended = subprocess.run(command, env={**os.environ, "XDG_CACHE_HOME": cache}, capture_output=True)
                seconds = time.perf_counter() - began
                yield {
                    "event": "command",
                    "row": row.name,
                    "cache": state,
                    "seconds": seconds,
                    "exit": ended.returncode,
                }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
