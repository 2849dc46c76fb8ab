"""Memory that is reserved at once and becomes resident only where it is touched."""

import ctypes
import mmap
import os
import sys
from contextlib import suppress

_PRIVATE = getattr(mmap, "MAP_PRIVATE", 2) | getattr(mmap, "MAP_ANONYMOUS", 0x20)
_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000) if sys.platform == "linux" else 0


class Region:
    """Zeroed memory at an address that never changes, in huge pages where the system offers them."""

    def __init__(self, size: int) -> None:
        self.size = max(size, mmap.PAGESIZE)
        self.map = mmap.mmap(-1, self.size, flags=_PRIVATE | _NO_RESERVE)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            with suppress(OSError):  # a system built without them
                self.map.madvise(mmap.MADV_HUGEPAGE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.map))

    def clear(self, size: int) -> None:
        """Zero the first bytes."""
        ctypes.memset(self.address, 0, size)

    def release(self) -> None:
        """Give the memory back."""
        self.map.close()


def largest_region(wanted: int) -> Region:
    """A region of this size, or of the largest half, quarter, ... of it that the system grants."""
    size = wanted
    while True:
        try:
            return Region(size)
        except (OSError, OverflowError):
            if size <= 1 << 26:
                raise
            size //= 2


def physical_bytes() -> int:
    """The memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
