"""The driver of a GPU, through ctypes: no toolkit is needed. `Device` is what a search asks of it."""

import ctypes
from collections.abc import Sequence
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any, Protocol

from isrcheck.engines.gpu.program import OLDEST
from isrcheck.errors import UsageError

LIBRARIES = ("libcuda.so.1", "libcuda.so", "nvcuda.dll")
_SUCCESS, _OUT_OF_MEMORY = 0, 2
_THREADS = 128  # of a block
_BLOCKS = 1 << 20  # of a launch: where there are more states each thread sees to several
_PROCESSORS, _MAJOR, _MINOR = 16, 75, 76  # numbers of attributes
_LOG_BYTES = 1 << 14
_ERROR_LOG, _ERROR_LOG_BYTES = 5, 6  # numbers of a module's options
_PTX = 1  # a kind of input of a linker


class DeviceError(Exception):
    """The driver refused a call, or the device was lost; the text says which call, and the driver's words."""


class DeviceFull(DeviceError):
    """The device has no memory for what was asked."""


class Device(Protocol):
    """A GPU as a search sees it: addresses are numbers, and what is asked is done one after the other."""

    name: str
    version: int  # of the driver
    capability: int  # times 10
    processors: int

    def free_bytes(self) -> int: ...

    def allocate(self, size: int) -> int:
        """Return the address of so many bytes. Raises DeviceFull."""

    def release(self, address: int) -> None: ...
    def zero(self, address: int, size: int) -> None: ...
    def copy(self, target: int, source: int, size: int) -> None: ...

    def read(self, address: int, words: int) -> list[int]:
        """Return words, once all that was asked before is done."""

    def write(self, address: int, words: Sequence[int]) -> None: ...

    def compile(self, ptx: bytes) -> bytes:
        """Return the machine code of PTX."""

    def load(self, code: bytes) -> None:
        """Have the kernels of machine code at hand."""

    def launch(self, kernel: str, arguments: Sequence[int], threads: int) -> None:
        """Run a kernel; where more threads are asked for than there may be, those there are see to all."""

    def close(self) -> None: ...


class Cuda:
    """A device by NVIDIA's driver. Raises UsageError where there is no driver, or no device that it can use."""

    def __init__(self) -> None:
        self._library = _load_library()
        self._module: c_void_p | None = None
        self._functions: dict[str, c_void_p] = {}
        try:
            self._open()
        except DeviceError as error:
            raise UsageError(f"there is a driver of NVIDIA's, and no GPU: {error}. Use --engine native.") from None

    def _open(self) -> None:
        self._call("cuInit", c_uint(0))
        self._device, self._context, name, version = c_int(), c_void_p(), ctypes.create_string_buffer(100), c_int()
        self._call("cuDeviceGet", byref(self._device), 0)
        self._call("cuDeviceGetName", name, c_int(len(name)), self._device)
        self._call("cuDriverGetVersion", byref(version))
        self.name, self.version = name.value.decode(), version.value
        self.capability = 10 * self._attribute(_MAJOR) + self._attribute(_MINOR)
        self.processors = self._attribute(_PROCESSORS)
        if self.capability < OLDEST:
            needed, came = OLDEST / 10, self.capability / 10
            sentence = f"--engine gpu needs compute capability {needed}, and the {self.name} has {came}."
            raise UsageError(f"{sentence} Use --engine native.")
        self._call("cuDevicePrimaryCtxRetain", byref(self._context), self._device)
        self._call("cuCtxSetCurrent", self._context)

    def _call(self, name: str, *arguments: Any) -> None:
        try:
            function = getattr(self._library, name)
        except AttributeError:
            raise DeviceError(f"{name}: the driver does not have it") from None
        code = function(*arguments)
        if code == _OUT_OF_MEMORY:
            raise DeviceFull(f"{name}: out of memory")
        if code != _SUCCESS:
            raise DeviceError(f"{name}: {self._error(code)}")

    def _error(self, code: int) -> str:
        sentence = c_char_p()
        self._library.cuGetErrorString(code, byref(sentence))
        return f"{sentence.value.decode() if sentence.value else 'unknown error'} ({code})"

    def _attribute(self, number: int) -> int:
        value = c_int()
        self._call("cuDeviceGetAttribute", byref(value), c_int(number), self._device)
        return value.value

    def free_bytes(self) -> int:
        free, total = c_size_t(), c_size_t()
        self._call("cuMemGetInfo_v2", byref(free), byref(total))
        return free.value

    def allocate(self, size: int) -> int:
        address = c_uint64()
        self._call("cuMemAlloc_v2", byref(address), c_size_t(size))
        return address.value

    def release(self, address: int) -> None:
        self._call("cuMemFree_v2", c_uint64(address))

    def zero(self, address: int, size: int) -> None:
        self._call("cuMemsetD32Async", c_uint64(address), c_uint(0), c_size_t(size // 4), None)

    def copy(self, target: int, source: int, size: int) -> None:
        self._call("cuMemcpyDtoDAsync_v2", c_uint64(target), c_uint64(source), c_size_t(size), None)

    def read(self, address: int, words: int) -> list[int]:
        content = (c_uint64 * words)()
        self._call("cuMemcpyDtoH_v2", content, c_uint64(address), c_size_t(8 * words))
        return list(content)

    def write(self, address: int, words: Sequence[int]) -> None:
        content = (c_uint64 * len(words))(*words)
        self._call("cuMemcpyHtoD_v2", c_uint64(address), content, c_size_t(8 * len(words)))

    def compile(self, ptx: bytes) -> bytes:
        log = ctypes.create_string_buffer(_LOG_BYTES)
        options = (c_int * 2)(_ERROR_LOG, _ERROR_LOG_BYTES)
        values = (c_void_p * 2)(ctypes.cast(log, c_void_p), _LOG_BYTES)
        link, code, size = c_void_p(), c_void_p(), c_size_t()
        self._call("cuCtxSetCurrent", self._context)  # of this thread, which may be another
        try:
            self._call("cuLinkCreate_v2", c_uint(2), options, values, byref(link))
            content = c_int(_PTX), c_char_p(ptx + b"\0"), c_size_t(len(ptx) + 1), b"kernels"
            self._call("cuLinkAddData_v2", link, *content, c_uint(0), None, None)
            self._call("cuLinkComplete", link, byref(code), byref(size))
            return ctypes.string_at(code.value or 0, size.value)
        except DeviceError as error:
            raise DeviceError(f"{error}. {log.value.decode(errors='replace').strip()}".strip()) from None
        finally:
            if link:
                self._library.cuLinkDestroy(link)

    def load(self, code: bytes) -> None:
        self._module = c_void_p()
        self._call("cuModuleLoadData", byref(self._module), c_char_p(code))

    def launch(self, kernel: str, arguments: Sequence[int], threads: int) -> None:
        if kernel not in self._functions:
            self._functions[kernel] = c_void_p()
            self._call("cuModuleGetFunction", byref(self._functions[kernel]), self._module, f"gpu_{kernel}".encode())
        values = [c_uint64(each) for each in arguments]
        pointers = (c_void_p * len(values))(*(ctypes.addressof(each) for each in values))
        blocks = c_uint(max(1, min(-(-threads // _THREADS), _BLOCKS)))
        one = c_uint(1)
        shape = (blocks, one, one, c_uint(_THREADS), one, one, c_uint(0), None)
        self._call("cuLaunchKernel", self._functions[kernel], *shape, pointers, None)

    def close(self) -> None:
        """Give the device back; what goes wrong in that is nobody's concern any more."""
        if self._module is not None:
            self._library.cuModuleUnload(self._module)
        self._library.cuDevicePrimaryCtxRelease_v2(self._device)


def _load_library() -> Any:
    for name in LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    looked = ", ".join(LIBRARIES)
    raise UsageError(f"--engine gpu needs the driver of an NVIDIA GPU, and there is no {looked}. Use --engine native.")
