"""Reassignments on the controller's track: which brokers hold the partition, and which record begins a change."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from isrcheck.plugin import replace
from isrlogs.conform.event import Event
from isrlogs.conform.run import NotModelled

_FIELDS = ("replicas", "adding", "removing")


class Assignment(NamedTuple):
    """The brokers that hold the partition, and those that come and go while a reassignment is in progress."""

    replicas: frozenset[int] = frozenset()
    adding: frozenset[int] = frozenset()
    removing: frozenset[int] = frozenset()

    @property
    def is_changing(self) -> bool:
        """Whether a reassignment is in progress."""
        return bool(self.adding | self.removing)

    def after(self, event: Event) -> "Assignment":
        """Return the assignment after a record, which says only what it changes."""
        return Assignment(
            *(event.numbers(n) if n in event.fields else old for n, old in zip(_FIELDS, self, strict=True))
        )

    def change_to(self, after: "Assignment") -> dict[str, str] | None:
        """Whom the change that a record begins adds and removes, as fields; None if it begins none. Raises NotModelled.

        A change that is complete at once, as all who stay are in the ISR, is never in progress on record.
        """
        if self.is_changing:
            self._require_completion(after)
            return None
        added, removed = after.replicas - self.replicas, after.removing or self.replicas - after.replicas
        if max(len(added), len(removed)) != 1:
            raise NotModelled("a reassignment is of one replica at a time in the model, added, removed, or replaced")
        return {name: str(*who) for name, who in (("added", added), ("removed", removed)) if who}

    def _require_completion(self, after: "Assignment") -> None:
        """Require that a change in progress goes on as it is, or ends as it was asked for. Raises NotModelled."""
        ends = Assignment(self.replicas - self.removing)
        if after not in (self, ends):
            raise NotModelled("a reassignment is cancelled or changed while in progress, which the model does not know")


def name_reassignments(events: Sequence[Event]) -> list[Event]:
    """Return records of which those that begin a reassignment have the kind `reassigns`. Raises NotModelled.

    If there is one, each record of the partition says who holds it by then (`holders`).
    """
    return list(_name_all(events)) if any(map(_is_of_assignment, events)) else list(events)


def _is_of_assignment(event: Event) -> bool:
    """Whether a record changes who holds the partition."""
    return event.kind == "elects" and any(name in event.fields for name in _FIELDS)


def _name_all(events: Sequence[Event]) -> Iterator[Event]:
    now = Assignment()
    for event in events:
        if event.kind not in ("partition_record", "elects"):
            yield event
            continue
        before, now = now, now.after(event)
        change = before.change_to(now) if _is_of_assignment(event) else None
        fields = {**event.fields, **(change or {}), "holders": ",".join(map(str, sorted(now.replicas)))}
        yield replace(event, kind="reassigns" if change else event.kind, fields=fields)
