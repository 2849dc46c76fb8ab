"""The driver's calls, through a library that fails in every way: no verdict comes of it, and the sentence says why."""

import ctypes
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.native.systems import counter
from tools.gpu.emulator import EmulatedDevice

from isrcheck import Outcome, Verdict, check
from isrcheck.engines.gpu import driver, engine, kernel
from isrcheck.engines.gpu.driver import DeviceFull
from isrcheck.engines.gpu.engine import code_for, lower_for_gpu
from isrcheck.engines.gpu.program import Parameters, kernels
from isrcheck.errors import UsageError

OUT_OF_MEMORY, LOST = 2, 719
PLAYED: list[Callable[..., None]] = [*kernels(""), kernel.queue, kernel.step]
WORDS = {100: b"no CUDA-capable device is detected", 218: b"a PTX JIT compilation failed", LOST: b"unspecified failure"}


class StubLibrary:
    """A library whose call number `fails_at` fails with `code`, and all after it; or calls of one `name` alone."""

    def __init__(self, fails_at: int | None = None, code: int = LOST, name: str = "", capability: int = 90) -> None:
        self.device = EmulatedDevice()
        self.fails_at, self.code, self.name, self.capability = fails_at, code, name, capability
        self.calls: list[str] = []
        self.lacks = ""
        self.log = b""
        self._content = b""
        self._kernels: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("cu") or name == self.lacks:
            raise AttributeError(name)
        return lambda *arguments: self._call(name, arguments)

    def _call(self, name: str, arguments: Sequence[Any]) -> int:
        if name == "cuGetErrorString":
            arguments[1]._obj.value = WORDS.get(arguments[0])
            return 0
        if self.name in ("", name):
            self.calls.append(name)
            if self.fails_at is not None and len(self.calls) > self.fails_at:
                if name == "cuLinkComplete":
                    ctypes.memmove(self._log, self.log, len(self.log))
                return self.code
        try:
            method = "_" + name.removeprefix("cu").removesuffix("_v2").lower()
            answer = getattr(self, method, lambda *_: None)(*arguments)
        except DeviceFull:
            return OUT_OF_MEMORY
        if answer is not None:
            arguments[0]._obj.value = answer
        return 0

    def _devicegetname(self, text: Any, size: Any, device: Any) -> None:
        text.value = b"Stub"

    def _drivergetversion(self, version: Any) -> int:
        return 12040

    def _devicegetattribute(self, value: Any, number: Any, device: Any) -> int:
        return {16: 1, 75: self.capability // 10, 76: self.capability % 10}[number.value]

    def _memgetinfo(self, free: Any, total: Any) -> int:
        return self.device.free_bytes()

    def _memalloc(self, address: Any, size: Any) -> int:
        return self.device.allocate(size.value)

    def _memfree(self, address: Any) -> None:
        self.device.release(address.value)

    def _memsetd32async(self, address: Any, value: Any, count: Any, stream: Any) -> None:
        self.device.zero(address.value, 4 * count.value)

    def _memcpydtodasync(self, target: Any, source: Any, size: Any, stream: Any) -> None:
        self.device.copy(target.value, source.value, size.value)

    def _memcpydtoh(self, content: Any, address: Any, size: Any) -> None:
        ctypes.memmove(content, address.value, size.value)

    def _memcpyhtod(self, address: Any, content: Any, size: Any) -> None:
        ctypes.memmove(address.value, content, size.value)

    def _linkcreate(self, count: Any, options: Any, values: Any, link: Any) -> None:
        self._log = values[0]
        link._obj.value = 1

    def _linkadddata(self, link: Any, kind: Any, content: Any, *_: Any) -> None:
        self._content = content.value

    def _linkcomplete(self, link: Any, code: Any, size: Any) -> None:
        self._code = ctypes.create_string_buffer(self._content)
        code._obj.value, size._obj.value = ctypes.addressof(self._code), len(self._content)

    def _modulegetfunction(self, function: Any, module: Any, name: bytes) -> int:
        self._kernels.append(name.decode().removeprefix("gpu_"))
        return len(self._kernels)

    def _launchkernel(self, function: Any, *shape: Any) -> None:
        name = self._kernels[function.value - 1]
        given = shape[8][: len(Parameters.of(next(each for each in PLAYED if each.__name__ == name)).passed)]
        arguments = [ctypes.c_uint64.from_address(place).value for place in given]
        self.device.launch(name, arguments, shape[0].value * shape[3].value)


Install = Callable[[StubLibrary], StubLibrary]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Install:
    """Have a library in place of the driver's; its device has the kernels of what is compiled for it."""

    def put(library: StubLibrary) -> StubLibrary:
        def ir(whole_ir: str, marks: int) -> str:
            library.device.use(whole_ir, marks)
            return whole_ir

        monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path / str(id(library))))
        monkeypatch.setattr(driver, "_load_library", lambda: library)
        monkeypatch.setattr(engine, "gpu_ir", ir)
        monkeypatch.setattr(engine, "_ptx", lambda ir, capability: b"PTX")
        return library

    return put


def run(name: str = "toy-mutex") -> Outcome:
    return check(name, engine="gpu")


def test_a_search_by_way_of_the_driver(install: Install) -> None:
    library = install(StubLibrary())
    outcome, expected = run("toy-crossing-careless"), check("toy-crossing-careless")
    assert (outcome.digest, outcome.properties) == (expected.digest, expected.properties)
    counts = Counter(library.calls)
    assert counts["cuMemAlloc_v2"] == counts["cuMemFree_v2"]
    assert (counts["cuLinkCreate_v2"], counts["cuLinkDestroy"]) == (1, 1)
    assert library.calls[-2:] == ["cuModuleUnload", "cuDevicePrimaryCtxRelease_v2"]


def test_machine_code_is_kept(install: Install) -> None:
    library = install(StubLibrary())
    assert run().digest == run().digest
    assert Counter(library.calls)["cuLinkComplete"] == 1


@pytest.mark.parametrize("way", ["here", pytest.param("another process", marks=pytest.mark.slow)])
def test_ptx_is_compiled_once(way: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It has every kernel of a search. Where no process can be started, this one compiles."""

    def refuse(*_: Any) -> bytes:
        raise OSError

    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path))
    if way == "here":
        monkeypatch.setattr(engine, "_compile_elsewhere", refuse)
    lowered, device = lower_for_gpu(counter(3), ()), EmulatedDevice()
    ptx = code_for(lowered, device)
    assert {*re.findall(r"\.entry gpu_(\w+)", ptx.decode())} == {each.__name__ for each in kernels(lowered.ir)}
    for name in ("_compile_elsewhere", "ptx_of"):
        monkeypatch.setattr(engine, name, refuse)
    assert code_for(lowered, device) == ptx


def refusal() -> str:
    with pytest.raises(UsageError) as refused:
        run()
    assert refused.value.exit_code == 2
    return str(refused.value)


def test_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "LIBRARIES", ("libno.so.1", "libno.so"))
    assert refusal() == (
        "--engine gpu needs the driver of an NVIDIA GPU, and there is no libno.so.1, libno.so. Use --engine native."
    )


@pytest.mark.parametrize(
    ("library", "sentence"),
    [
        (
            StubLibrary(0, 100, "cuDeviceGet"),
            "there is a driver of NVIDIA's, and no GPU: cuDeviceGet: no CUDA-capable device is detected (100). "
            "Use --engine native.",
        ),
        (
            StubLibrary(0, 999, "cuInit"),
            "there is a driver of NVIDIA's, and no GPU: cuInit: unknown error (999). Use --engine native.",
        ),
        (
            StubLibrary(capability=75),
            "--engine gpu needs compute capability 8.0, and the Stub has 7.5. Use --engine native.",
        ),
        (
            StubLibrary(0, 218, "cuModuleLoadData"),
            "the driver of the Stub refuses the kernel: cuModuleLoadData: a PTX JIT compilation failed (218). "
            "Use --engine native.",
        ),
    ],
    ids=["no device", "no driver", "old", "not loaded"],
)
def test_a_refusal(library: StubLibrary, sentence: str, install: Install) -> None:
    install(library)
    assert refusal() == sentence


def test_a_kernel_that_is_refused_with_the_log_of_the_driver(install: Install) -> None:
    library = install(StubLibrary(0, 218, "cuLinkComplete"))
    library.log = b"ptxas error : line 7\n"
    assert refusal() == (
        "the driver of the Stub refuses the kernel: cuLinkComplete: a PTX JIT compilation failed (218). "
        "ptxas error : line 7. Use --engine native."
    )
    assert library.calls == ["cuLinkComplete"]


@pytest.mark.parametrize("missing", ["cuInit", "cuLinkCreate_v2", "cuModuleGetFunction", "cuMemsetD32Async"])
def test_a_function_that_the_driver_does_not_have(missing: str, install: Install) -> None:
    install(StubLibrary()).lacks = missing
    assert f"{missing}: the driver does not have it" in end_of(run)


def end_of(search: Callable[[], Outcome]) -> str:
    """Return why a search ends early: it is refused, or cut, and then decides what it has replayed a trace of."""
    try:
        outcome = search()
    except UsageError as error:
        return f"{error}"
    assert outcome.cut is not None
    assert outcome.digest is None
    assert all((each.verdict is Verdict.UNDETERMINED) is (each.trace is None) for each in outcome.properties)
    return outcome.cut


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_a_device_that_is_lost_at_any_call(every: int, install: Install) -> None:
    """Calls after the last read change no answer: memory is released, and the module."""
    library = install(StubLibrary())
    run()
    last_read = max(number for number, name in enumerate(library.calls) if name == "cuMemcpyDtoH_v2")
    assert last_read > 70
    searching = 0
    for number in range(3, last_read, every):
        install(StubLibrary(number))
        sentence = end_of(run)
        assert ": unspecified failure (719)" in sentence
        searching += sentence.startswith("when the Stub failed (")
    assert searching * every > 60


@pytest.mark.parametrize("allocation", range(5))
def test_no_memory_at_any_allocation(allocation: int, install: Install) -> None:
    install(StubLibrary(allocation, OUT_OF_MEMORY, "cuMemAlloc_v2"))
    assert end_of(run) == "for lack of memory of the GPU, which something else uses too"


def test_a_violation_that_was_seen_stays_one(install: Install) -> None:
    """The device is lost after the level that has it: its trace is found and replayed without the device."""
    library = install(StubLibrary())
    name = "toy-crossing-careless"
    whole = check(name, engine="gpu").properties
    install(StubLibrary(2 * len(library.calls) // 3))
    cut = check(name, engine="gpu")
    assert cut.cut is not None
    verdicts = [each.verdict for each in cut.properties]
    assert {Verdict.VIOLATED, Verdict.UNDETERMINED} <= {*verdicts}
    assert [p.trace for p in cut.properties] == [p.trace for p in whole]
