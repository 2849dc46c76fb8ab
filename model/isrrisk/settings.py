"""The settings and the budget that the options of `isrcheck risk` ask for."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from isrcheck import UsageError
from isrcheck.plugin import nearest
from isrrisk.budget import WIDEST, FaultBudget, parse_budget, parse_kinds
from isrrisk.setting import Setting

Named = tuple[str, Setting]


def _number(option: str, name: str) -> int:
    if not option.isdecimal() or not int(option):
        raise UsageError(f"--vary {name}={option} is not a number of replicas: write {name}=2,3.")
    return int(option)


def _switch(option: str, name: str) -> bool:
    if option not in ("on", "off"):
        raise UsageError(f"--vary {name}={option} is not on or off: write {name}, or {name}=on,off.")
    return option == "on"


def _kafka(setting: Setting, release: str) -> Named:
    return f"Kafka {release}", replace(setting, kafka=release)


def _factor(setting: Setting, option: str) -> Named:
    factor = _number(option, "replication-factor")
    return f"replication factor {factor}", replace(setting, replication_factor=factor)


def _min_isr(setting: Setting, option: str) -> Named:
    least = _number(option, "min-isr")
    return f"min.insync.replicas={least}", replace(setting, min_isr=least)


def _acks(setting: Setting, option: str) -> Named:
    if option not in ("all", "1", "0"):
        raise UsageError(f"--vary acks={option} is not a value of acks: write acks=all,1.")
    return f"acks={option}", replace(setting, acks=option)


def _elr(setting: Setting, option: str) -> Named:
    return f"ELR {option}", replace(setting, elr=_switch(option, "elr"))


def _unclean(setting: Setting, option: str) -> Named:
    return f"unclean election {option}", replace(setting, unclean_election=_switch(option, "unclean-election"))


def _flush(setting: Setting, option: str) -> Named:
    return f"flush {option}", replace(setting, flush_every_record=_switch(option, "flush-every-record"))


# By option: what varies it, and the values where --vary gives none.
AXES: dict[str, tuple[Callable[[Setting, str], Named], str]] = {
    "kafka": (_kafka, ""),
    "replication-factor": (_factor, ""),
    "min-isr": (_min_isr, ""),
    "acks": (_acks, "all,1"),
    "elr": (_elr, "on,off"),
    "unclean-election": (_unclean, "off,on"),
    "flush-every-record": (_flush, "off,on"),
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
        labels, each = [], setting
        for axis, option in combination:
            label, each = AXES[axis][0](each, option)
            labels.append(label)
        settings[", ".join(labels)] = each
    return settings


def _axis(option: str) -> tuple[str, str]:
    name, _, values = option.partition("=")
    if name not in AXES:
        raise UsageError(f"--vary {name} is not a setting that varies.{nearest(name, AXES)}")
    return name, values or AXES[name][1]


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
    """`a,a,b,b,c` as a layout of so many brokers. Raises UsageError."""
    layout = ZoneLayout(tuple(zone.strip() for zone in option.split(",")))
    if not all(layout.zones) or len(layout.zones) != factor:
        sentence = f"--racks {option} names {len(layout.zones)} zones, and there are {factor} replicas"
        raise UsageError(f"{sentence}: write the zone of each, as a,a,b.")
    for zone, brokers in layout.brokers().items():
        if len(brokers) > 2:
            sentence = f"--racks {option} has {len(brokers)} brokers in zone {zone}"
            raise UsageError(f"{sentence}: the model loses two at once at most; spread them over more zones.")
    return layout


def budget_asked(
    faults: str | None, budget: str | None, layout: ZoneLayout | None, restarted: int
) -> tuple[FaultBudget, bool]:
    """The widest budget, and whether the user gave its numbers. Raises UsageError for options that contradict."""
    given = parse_budget(budget) if budget else {}
    kinds = parse_kinds(faults) if faults else list(dict.fromkeys((*WIDEST, *given)))
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
