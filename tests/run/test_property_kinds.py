"""A new kind of property is one class: every engine decides it, and verdict, trace and exit code are its own."""

from pathlib import Path
from typing import Annotated

import pytest
from tests.gpu.systems import emulate

from isrcheck import Model, Outcome, UpTo, Verdict, action, check, require
from isrcheck.engines.contract import Limits
from isrcheck.engines.registry import ENGINES
from isrcheck.errors import UsageError
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.property_kinds import PropertyKind, Reads
from isrcheck.lang.declare import with_role
from isrcheck.run.trace import read_trace


class Never(PropertyKind):
    """A condition that is false in every reachable state."""

    name = "never"
    title = "absence"
    target = True
    exit_code = 12


class Sometime(PropertyKind):
    """A condition that is true in some step."""

    name = "sometime"
    title = "step that happens"
    verb = "happens"
    reads = Reads.STEP
    is_violation = False
    target = True
    exit_code = 22


class Slow(PropertyKind):
    """A kind that only the reference decides."""

    name = "slow"
    title = "slow property"
    exit_code = 12
    engines = frozenset({"reference"})


never, sometime, slow = (with_role(kind) for kind in (Never(), Sometime(), Slow()))


class Climber(Model):
    """A number that grows."""

    height: Annotated[int, UpTo(3)] = 0

    @action
    def climb(self) -> None:
        require(self.height < 3)
        self.height += 1

    @never
    def at_the_top(self) -> bool:
        return self.height == 3

    @never
    def below_ground(self) -> bool:
        return self.height < 0

    @sometime
    def leaves_the_ground(self, before: "Climber") -> bool:
        return before.height == 0 and self.height == 1

    @sometime
    def jumps(self, before: "Climber") -> bool:
        return self.height == before.height + 2


class Patient(Model):
    """A number, and a property that one engine decides."""

    height: Annotated[int, UpTo(1)] = 0

    @action
    def climb(self) -> None:
        require(self.height < 1)
        self.height += 1

    @slow
    def low(self) -> bool:
        return self.height < 2


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    emulate(monkeypatch)
    for kind in (Never(), Sometime(), Slow()):
        monkeypatch.setitem(kinds.KINDS, kind.name, kind)


def verdicts(outcome: Outcome) -> dict[str, tuple[str, str, int | None]]:
    return {p.name: (p.verdict.value, p.assurance, p.trace.length if p.trace else None) for p in outcome.properties}


@pytest.mark.parametrize("engine", [e for e in ENGINES if e not in ("symbolic", "spark")])
def test_every_engine_decides_it(engine: str) -> None:
    outcome = check(Climber, engine=engine)
    assert verdicts(outcome) == {
        "at_the_top": ("violated", "replayed", 4),
        "below_ground": ("holds", "exhaustive", None),
        "leaves_the_ground": ("holds", "replayed", 2),
        "jumps": ("violated", "exhaustive", None),
    }
    assert outcome.exit == 12


def test_the_symbolic_engine_finds_its_targets() -> None:
    outcome = check(Climber, engine="symbolic", properties=["at_the_top", "leaves_the_ground"], limits=Limits(depth=6))
    assert verdicts(outcome) == {
        "at_the_top": ("violated", "replayed", 4),
        "leaves_the_ground": ("holds", "replayed", 2),
    }


def test_its_trace_can_be_read_again(tmp_path: Path) -> None:
    trace = check(Climber).property("at_the_top").trace
    assert trace is not None
    file = tmp_path / "trace.json"
    file.write_text(trace.to_json())
    assert read_trace(file) == trace
    assert trace.kind == Never()


def test_an_engine_that_does_not_decide_it_says_so() -> None:
    assert check(Patient, engine="reference").verdict is Verdict.HOLDS
    with pytest.raises(UsageError, match=r"^the native engine does not decide low, a slow property: use --engine ref"):
        check(Patient)
