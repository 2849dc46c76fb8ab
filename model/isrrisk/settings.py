"""The settings and the budget that the options of `isrcheck risk` ask for."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from isrcheck import UsageError
from isrcheck.plugin import nearest, quantity
from isrrisk.budget import WIDEST, FaultBudget, parse_budget, parse_kinds
from isrrisk.setting import Setting


@dataclass(frozen=True)
class Axis:
    """A setting that varies: its label, its field, how a value is read, and the values if none are given."""

    label: str
    field: str
    read: Callable[[str, str], Any] = lambda _, value: value
    values: str = ""


def _number(name: str, value: str) -> int:
    if not value.isdecimal() or not int(value):
        raise UsageError(f"--vary {name}={value} is not a number of replicas: write {name}=2,3.")
    return int(value)


def _switch(name: str, value: str) -> bool:
    if value not in ("on", "off"):
        raise UsageError(f"--vary {name}={value} is not on or off: write {name}, or {name}=on,off.")
    return value == "on"


def _acks(name: str, value: str) -> str:
    if value not in ("all", "1", "0"):
        raise UsageError(f"--vary {name}={value} is not a value of acks: write acks=all,1.")
    return value


AXES = {
    "kafka": Axis("Kafka {}", "kafka"),
    "replication-factor": Axis("replication factor {}", "replication_factor", _number),
    "min-isr": Axis("min.insync.replicas={}", "min_isr", _number),
    "acks": Axis("acks={}", "acks", _acks, "all,1"),
    "elr": Axis("ELR {}", "elr", _switch, "on,off"),
    "unclean-election": Axis("unclean election {}", "unclean_election", _switch, "off,on"),
    "flush-every-record": Axis("flush {}", "flush_every_record", _switch, "off,on"),
}


def combinations(setting: Setting, options: tuple[str, ...]) -> dict[str, Setting]:
    """Every combination of `min-isr=1,2` and the like, by name. Raises UsageError."""
    chosen = [list(_values(option)) for option in options]
    names = [axis for axis, _ in map(_axis, options)]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--vary {name} is given twice: write its values as {name}=A,B.")
    settings = {}
    for combination in product(*chosen):
        changes = {AXES[name].field: AXES[name].read(name, value) for name, value in combination}
        settings[", ".join(AXES[name].label.format(value) for name, value in combination)] = replace(setting, **changes)
    return settings


def _axis(option: str) -> tuple[str, str]:
    name, _, values = option.partition("=")
    if name not in AXES:
        raise UsageError(f"--vary {name} is not a setting that varies.{nearest(name, AXES)}")
    return name, values or AXES[name].values


def _values(option: str) -> Iterator[tuple[str, str]]:
    name, values = _axis(option)
    if not values:
        raise UsageError(f"--vary {name} has no values: write --vary {name}=A,B.")
    for value in values.split(","):
        yield name, value.strip()


def axes_of(options: tuple[str, ...]) -> set[str]:
    """The options that vary."""
    return {_axis(option)[0] for option in options}


@dataclass(frozen=True)
class ZoneLayout:
    """The zone of each broker, by replica."""

    zones: tuple[str, ...]

    @property
    def pairs(self) -> dict[str, tuple[int, ...]]:
        """The zones with two brokers, and which."""
        return {zone: each for zone, each in self.brokers().items() if len(each) == 2}

    def brokers(self) -> dict[str, tuple[int, ...]]:
        """The brokers of each zone, counted from 1."""
        return {
            zone: tuple(n for n, each in enumerate(self.zones, 1) if each == zone) for zone in dict.fromkeys(self.zones)
        }


def parse_racks(option: str, factor: int) -> ZoneLayout:
    """Parse `a,a,b,b,c` to a layout of so many brokers. Raises UsageError."""
    layout = ZoneLayout(tuple(zone.strip() for zone in option.split(",")))
    if not all(layout.zones) or len(layout.zones) != factor:
        count = quantity(len(layout.zones), "broker")
        sentence = f"--racks {option} names {count}, and this topic has {quantity(factor, 'replica')}"
        example = ",".join("abcdefg"[:factor])
        raise UsageError(f"{sentence}: give the zone of each replica, as {example}.")
    for zone, brokers in layout.brokers().items():
        if len(brokers) > 2:
            sentence = f"--racks {option} has {len(brokers)} brokers in zone {zone}"
            raise UsageError(f"{sentence}: the model loses two at once at most; spread them over more zones.")
    return layout


def budget_asked(
    faults: str | None, budget: str | None, layout: ZoneLayout | None, restarted: int
) -> tuple[FaultBudget, bool]:
    """The widest budget, and whether the user gave its numbers. Raises UsageError for options that contradict.

    What a budget leaves out does not happen, except once each what --faults names.
    """
    given = parse_budget(budget) if budget else {}
    kinds = parse_kinds(faults) if faults else list(given or WIDEST)
    for name, number in given.items():
        if number and name not in kinds:
            sentence = f"--budget {name}={number} and --faults {faults} contradict"
            raise UsageError(
                f"{sentence}: --faults names every kind that may happen. Add it there, or leave --faults out."
            )
    most: Mapping[str, int] = {name: 1 if budget else WIDEST.get(name, 1) for name in kinds} | given
    if layout is not None:
        if most.get("rack_losses", 1) != 1:
            raise UsageError(
                f"--racks is of one lost zone, and --budget rack_losses={most['rack_losses']} of another number."
            )
        most = {**most, "rack_losses": 1 if layout.pairs else 0}
    return FaultBudget(most, restarted), bool(budget)
