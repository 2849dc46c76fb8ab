"""The library of a driver as Python functions: its device is emulated, and each of its calls can fail."""

import ctypes
from collections.abc import Sequence
from typing import Any

from tools.gpu.emulator import EmulatedDevice

from isrcheck.engines.gpu import kernel
from isrcheck.engines.gpu.driver import DeviceFull
from isrcheck.engines.gpu.program import Parameters

OUT_OF_MEMORY, LOST = 2, 719
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
        given = shape[8][: len(Parameters.of(getattr(kernel, name)).passed)]
        arguments = [ctypes.c_uint64.from_address(place).value for place in given]
        self.device.launch(name, arguments, shape[0].value * shape[3].value)
