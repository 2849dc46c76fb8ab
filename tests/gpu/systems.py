"""Searches of an emulated GPU beside the native engine's, and systems whose states have any number of words."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any

import pytest
from tests.native.systems import Builder
from tools.gpu.emulator import EmulatedDevice, search

from isrcheck.engines.contract import FoundFault, Request, Searched
from isrcheck.engines.gpu import engine
from isrcheck.engines.gpu.engine import lower_for_gpu, search_on
from isrcheck.engines.native import engine as native
from isrcheck.engines.native.lowered import Lowered
from isrcheck.ir.frozen import replace
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes.bind import BoundModel

Source = BoundModel | ScalarSystem


def answer_of(source: Source, request: Request, device: EmulatedDevice) -> Searched:
    if isinstance(source, BoundModel):
        return search(source, request, device)
    prepared = lower_for_gpu(source, request.properties)
    model: Any = source  # which only the search for traces asks, as `traced` has it
    with closing(device), traced():
        device.use(prepared.ir, prepared.program.actions + 1)
        return search_on(device, model, request, prepared)


def emulate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have this processor play the device of every search by the gpu engine."""

    def load(prepared: Lowered, device: EmulatedDevice) -> bytes:
        device.use(prepared.ir, prepared.program.actions + 1)
        return b""

    monkeypatch.setattr(engine, "code_for", load)
    monkeypatch.setattr(engine, "search", partial(engine.search, open_device=EmulatedDevice))


@contextmanager
def traced() -> Iterator[None]:
    """Systems, which no model stands behind, are searched by the native engine all the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "search", native.explore)
        yield


def timeless(search: Any, *asked: Any) -> Searched | tuple[object, ...]:
    """An answer without its seconds; that there is an error, and where, is an answer too."""
    try:
        answer = search(*asked)
    except FoundFault as fault:
        return fault.path, fault.instance, fault.property
    assert isinstance(answer, Searched)
    return replace(answer, seconds=0.0)


def assert_agreement(source: Source, request: Request, device: EmulatedDevice | None = None) -> Any:
    expected = timeless(native.search if isinstance(source, BoundModel) else native.explore, source, request)
    assert timeless(answer_of, source, request, device or EmulatedDevice()) == expected
    return expected


def words_of(words: int, bits: int) -> ScalarSystem:
    """A system whose states have so many words: each full but for the last one, which has so many bits."""
    sizes = [1 << 62] * (words - 1) + [1 << bits]
    b = Builder(*sizes)
    k, first = b.k, [size // 2 - 1 for size in sizes]
    for place, start in enumerate(first):
        last = 2 if words < 4 else 1
        b.step(place % 3, k.lt(b.vars[place], k.const(start + last)), {place: k.add(b.vars[place], k.const(1))})
        b.step(place % 2, k.lt(k.const(start), b.vars[place]), {place: k.const(start)})
    b.claim("begins", "invariant", k.not_(k.and_(*(k.lt(k.const(s), v) for s, v in zip(first, b.vars, strict=True)))))
    b.claim("never", "reachable", k.lt(k.const(first[-1] + 2), b.vars[-1]))
    return b.system(first)


def burst() -> ScalarSystem:
    """A system with three levels of 144 states, then 576: of the last 144 most lie at the begin of a ring of 312."""
    b = Builder(6, 12, 12, 4)
    k, (n, *_) = b.k, b.vars
    for level, (place, ways) in enumerate([(1, 12), (2, 12), (0, 1), (0, 1), (3, 4)]):
        for way in range(ways):
            b.step(level % 3, k.eq(n, k.const(level)), {place: k.const(way), 0: k.const(level + 1)})
    b.claim("never", "reachable", k.lt(k.const(5), n))
    return b.system()
