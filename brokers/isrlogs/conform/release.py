"""The rules of a run whose model is not given: what its nodes say of their release, to the patch, and of features."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from isrlogs.conform.event import Event
from isrlogs.conform.run import NotModelled
from isrmodel.kraft import constants_of_patch, find_release_model, release_number

_ELR = "eligible.leader.replicas.version"
_WITH_ELR = (4, 0)
_OF_PARTITION = ("creates", "partition_record", "elects", "partition_change")


class Rules(NamedTuple):
    """A model, the constants in which it is not that release, and which constants the nodes do not decide, and why."""

    model: str
    constants: Mapping[str, bool] = {}
    undecided: Mapping[str, str] = {}

    @property
    def words(self) -> str:
        """The model and its constants, as they are given."""
        return " ".join([self.model, *(f"-c {name}={str(value).lower()}" for name, value in self.constants.items())])

    def doubt(self, given: Iterable[str]) -> str:
        """The reasons for which another value of a constant, unless it is given, could explain more."""
        return "; ".join(why for name, why in self.undecided.items() if name not in given)


def rules_of_release(events: Sequence[Event]) -> Rules:
    """The rules of the release of all nodes. Raises NotModelled if they name none, or such as differ."""
    releases = sorted({event.fields["release"] for event in events if event.kind == "release"})
    models = {find_release_model(release) for release in releases}
    if not releases:
        raise NotModelled("no line names the release (AppInfoParser at INFO): give --model")
    if len(models) > 1 or None in models:
        raise NotModelled(f"no one model is of {' and '.join(releases)}: give --model")
    model = next(filter(None, models))
    constants, undecided = {**constants_of_patch(releases[0])}, dict[str, str]()
    for name in sorted({name for release in releases[1:] for name in _find_differences(releases[0], release)}):
        undecided[name] = f"{' and '.join(releases)} differ in {name}: give -c {name}=true or -c {name}=false"
    if release_number(releases[0]) >= _WITH_ELR:
        _decide_elr(model, events, constants, undecided)
    return Rules(model, constants, undecided)


def _find_differences(one: str, other: str) -> set[str]:
    return set(constants_of_patch(one)) ^ set(constants_of_patch(other))


def _decide_elr(model: str, events: Sequence[Event], constants: dict[str, bool], undecided: dict[str, str]) -> None:
    """Eligible leader replicas are on by a feature, which the metadata log and the controller's log tell of."""
    default = model != "kraft-4.0"
    known = _elr_levels(events)
    if len(known) != 1:
        when = "change meanwhile" if known else "are on is not said"
        why = f"whether eligible leader replicas {when} ({_ELR} would say)"
        undecided["elr"] = f"{why}: give -c elr={str(not default).lower()} or -c elr={str(default).lower()}"
    elif known != {default}:
        constants["elr"] = constants["last_known"] = not default


def _elr_levels(events: Sequence[Event]) -> set[bool]:
    """Return whether eligible leader replicas are on, at first and by each line that tells."""
    features = [event for event in events if event.kind == "feature_level"]
    first = _find_first(features, events)
    of_elr = [event for event in features if event.fields.get("name") == _ELR]
    levels = {(event.number("featureLevel") or 0) > 0 for event in of_elr}
    if of_elr and not first:  # what was before is lost
        return {False, True}
    if first and not any(event in of_elr for event in first):
        levels.add(False)
    return levels | {True for event in events if event.has("elr")}


def _find_first(features: Iterable[Event], events: Iterable[Event]) -> list[Event]:
    """Find the lines before which their log tells nothing of the partition."""
    begins: dict[tuple[str, str], int] = {}
    for event in events:
        if event.kind in _OF_PARTITION:
            key = event.node, event.source
            begins[key] = min(begins.get(key, event.order), event.order)
    return [event for event in features if event.order <= begins.get((event.node, event.source), event.order)]
