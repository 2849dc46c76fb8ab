"""Unobserved steps and when they may happen: the events ahead of each broker in its present life."""

from collections.abc import Mapping, Sequence
from typing import Any

from isrlogs.conform.event import Event
from isrlogs.conform.meaning import View
from isrlogs.conform.track import WINDOW, Position, Track

_ENDS = frozenset({"kill", "stop", "power_loss", "replace_disk", "killed_or_stopped"})  # of lives with lines
_METADATA = frozenset({"leads", "leads_on", "follows", "follows_on", "isr_settled"})
_LANDMARKS = _ENDS | {"copies", "leads", "follows"}


class Lives:
    """The events ahead of each broker in its present life."""

    def __init__(self, brokers: Sequence[Track]) -> None:
        """The tracks of brokers, which come after the controller's."""
        self._places = {track.broker: place for place, track in enumerate(brokers, 1)}
        self._tracks = {track.broker: track for track in brokers}

    def is_due(self, view: View, action: str, arguments: Mapping[str, Any], positions: Sequence[Position]) -> bool:
        """Whether a step that nobody sees may matter already; before that it commutes with all others.

        That metadata arrived is told by a line, and by a later one of the same life if not: it may be lost at its end.
        """
        match action:
            case "learn":
                broker = arguments["broker"]
                is_new = view.of("seen", broker) < arguments["version"] <= view.version
                return is_new and (
                    self._next_metadata(broker, positions) is None or _is_removed(view, broker, arguments["version"])
                )
            case "apply_min_isr":
                return int(view.of("applied", arguments["broker"])) < len(view.settings)
            case "wait_for" | "wait_no_more":
                return self._is_awaited(view, arguments["leader"], arguments["follower"], positions)
        return True

    def _is_awaited(self, view: View, leader: int, follower: int, positions: Sequence[Position]) -> bool:
        """Whether a follower is outside the ISR as its leader knows it, or will be by what the leader learns next."""
        images = [view.of("known", leader)]
        line, base = self._next_metadata(leader, positions), positions[self._places[leader]][0]
        if line is None or line < base + WINDOW:
            images += [view.images[version] for version in range(view.of("seen", leader) + 1, view.version + 1)]
        return any(image is not None and view.members[follower] not in image.isr for image in images)

    def _next_metadata(self, broker: int, positions: Sequence[Position]) -> int | None:
        """A line that tells what metadata reached a broker; None if there is no more before it stops."""
        track = self._tracks[broker]
        line = next(track.ahead(_METADATA | _ENDS, positions[self._places[broker]]), None)
        return None if line is None or track.events[line].kind in _ENDS else line

    def may_be_later(self, view: View, event: Event, positions: Sequence[Position]) -> bool:
        """Whether a leader's line of a fetch may be of the follower's next life: it may stop before it copies more."""
        follower = event.number("follower") if event.kind == "known" else None
        if follower not in self._tracks:
            return False
        track, end = self._tracks[follower], len(view.of("log", event.broker))
        for index in track.ahead(_LANDMARKS, positions[self._places[follower]]):
            if track.events[index].kind in _ENDS:
                return True
            # In another epoch it follows, and nobody goes back to an earlier one.
            if track.events[index].kind != "copies" or (track.events[index].number("end") or 0) > end:
                return False
        return False


def _is_removed(view: View, broker: int, version: int) -> bool:
    """Whether a broker stops holding the partition with a version, of which no line of its own tells."""
    if view.reassignments == 0:
        return False
    before, after = (view.ask("is_assigned", broker=view.members[broker], version=at) for at in (version - 1, version))
    return bool(before and not after)
