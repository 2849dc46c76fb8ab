"""The rules that one broker's own lines about a partition can break."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from isrlogs.observe.event import Event
from isrlogs.observe.facts import Begin, Broken, Committed, Facts, brokers, number, report_broken

# Threads print after they let go of a lock, so that a few lines of raised high watermarks change places.
_REMEMBERED = 16
_PLACES_MS = 10  # lines change places within less
_MOMENT_MS = 2000  # no broker stops and starts within this


@dataclass
class _Raised:
    """A high watermark that was raised while members of the ISR were not known to have as much."""

    event: Event
    to: int
    lacking: set[str]
    version: int | None  # of the ISR
    suspected: tuple[str, int] | None = None  # who fetched from below it afterwards, and from where


class NodeRules:
    """One broker's lines about one partition, in order. What is not known is None."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._topic_id: str | None = None
        self._log_begin: int | None = None
        self._end: int | None = None
        self._dir: str | None = None
        self._before_load: tuple[int | None, bool, frozenset[str] | None] = (None, False, None)
        self._new_life()
        self._handlers: Mapping[str, Callable[[Event], Iterable[Broken]]] = {
            "log_created": self._log_created,
            "log_loaded": self._log_loaded,
            "loaded": self._on_load,
            "append": self._append,
            "truncate": self._truncate,
            "truncates_below": self._truncates_below,
            "truncate_fully": self._truncate_fully,
            "epoch_starts": self._epoch_starts,
            "leads": self._leads,
            "leads_at": self._leads_at,
            "leads_on": self._leads_on,
            "isr_settled": self._isr_settled,
            "follows": self._follows,
            "known": self._on_fetch,
            "hw_set": self._hw_set,
            "hw_up": self._hw_up,
            "hw_back": self._hw_back,
            "hw_same": self._hw_same,
            "fetched": self._on_answer,
        }

    def judge(self, lines: Iterable[Event]) -> Iterator[Broken]:
        for event in lines:
            if (handler := self._handlers.get(event.kind)) and not self._of_future_log(event):
                yield from handler(event)
        yield from (self._beyond_isr(raised) for raised in self._raised if raised.suspected)

    def _of_future_log(self, event: Event) -> bool:
        """A replica that moves to another disk has two logs for a while; the one that was there before is judged."""
        directory = event.fields.get("dir")
        if event.kind in ("log_created", "log_loaded"):
            self._dir = None
        elif directory is not None:
            self._dir = self._dir or directory
        return directory is not None and directory != self._dir

    def _new_life(self) -> None:
        """A process begins, or lines are missing: what was before says nothing of what comes."""
        self._hw: int | None = None
        self._hw_ms = 0
        self._cut_to: int | None = None
        self._dip: tuple[Event, int] | None = None  # a high watermark below the one before it
        self._beyond: tuple[Event, int] | None = None  # one above the log end, as far as that is known
        self._epoch: int | None = None
        self._leading = False
        self._leader: str | None = None  # whom it follows
        self._hw_of_before = False  # it follows a new leader, who has not told it a high watermark yet
        self._waits_for_begin: Event | None = None
        self._set_leader_state(None, None)

    def _set_leader_state(self, isr: frozenset[str] | None, version: int | None) -> None:
        self._isr, self._version = isr, version
        self._known_ends: dict[str, tuple[int, int]] = {}  # with the time
        self._raised: list[_Raised] = []
        self._steps: deque[tuple[int, int, int]] = deque(maxlen=_REMEMBERED)

    # --- the log

    def _log_created(self, event: Event) -> Iterable[Broken]:
        self._facts.created[event.node] += 1
        before = self._before_load if self._end == 0 else (None, False, None)
        self._new_life()
        # 0.10 creates the log while it becomes a leader or a follower, and prints that it was loaded.
        self._epoch, self._leading, self._isr = before
        self._end = self._log_begin = 0
        return ()

    def _log_loaded(self, event: Event) -> Iterable[Broken]:
        self._before_load = (self._epoch, self._leading, self._isr)
        self._new_life()
        self._end, self._log_begin = number(event, "end"), number(event, "start")
        return ()

    def _on_load(self, event: Event) -> Iterable[Broken]:
        """Begin anew: in ZooKeeper's time after a broker was told to lead or follow, else before."""
        self._hw, self._cut_to, self._dip, self._beyond = number(event, "hw"), None, None, None
        self._raised.clear()
        self._steps.clear()
        return ()

    def _append(self, event: Event) -> Iterator[Broken]:
        first, end = number(event, "first"), number(event, "end")
        beyond, self._beyond = self._beyond, None
        if self._end is not None and first != self._end:
            self._new_life()
        elif beyond is not None and end is not None and beyond[1] > end:
            why = f"its high watermark is {beyond[1]}, and its log ends at {first}, then at {end}"
            yield report_broken("hw_within_log", beyond[0], why)
        self._end = end

    def _truncate(self, event: Event) -> Iterator[Broken]:
        to = number(event, "to")
        if to is None:
            return
        hw, self._end, self._cut_to, self._dip, self._beyond = self._hw, to, to, None, None
        if hw is not None and to < hw:
            self._hw = to
            yield report_broken("committed_stays", event, f"it truncates to {to}, and its high watermark was {hw}")

    def _truncates_below(self, event: Event) -> Iterable[Broken]:
        """A broker of 4.2 or later says so just before it truncates, which is what breaks the rule."""
        self._hw = number(event, "hw")
        return ()

    def _truncate_fully(self, event: Event) -> Iterable[Broken]:
        self._end = self._log_begin = number(event, "to")
        self._hw = self._dip = self._beyond = None
        self._cut_to = self._end
        return ()

    def _epoch_starts(self, event: Event) -> Iterable[Broken]:
        """A log that begins in the middle of an epoch says nothing of where the epoch begins."""
        epoch, start = number(event, "epoch"), number(event, "start")
        if epoch is None or start is None:
            return ()
        if start == 0 or (self._log_begin is not None and start > self._log_begin):
            self._facts.begins.append(Begin(epoch, start, event))
        return ()

    # --- leading and following

    def _leads(self, event: Event) -> Iterable[Broken]:
        epoch, offset = number(event, "epoch"), number(event, "offset")
        if self._epoch is not None and epoch is not None and epoch <= self._epoch:
            return ()
        self._learn_topic(event)
        self._epoch, self._leading = epoch, True
        self._set_leader_state(brokers(event, "isr"), number(event, "version"))
        self._hw = number(event, "hw") if "hw" in event.fields else self._hw
        self._waits_for_begin = event
        if offset is not None:
            self._begin_leading(offset)
        return ()

    def _leads_at(self, event: Event) -> Iterable[Broken]:
        """0.11 says in a line of its own where a leader begins."""
        offset = number(event, "offset")
        if offset is not None and number(event, "epoch") == self._epoch:
            self._begin_leading(offset)
        return ()

    def _hw_same(self, event: Event) -> Iterable[Broken]:
        """0.10 does not say where a leader begins, but where the logs of its ISR end, which may be its own alone."""
        ends = event.fields.get("leos", ",")
        if self._waits_for_begin is not None and ends.lstrip("-").isdecimal():
            self._begin_leading(int(ends))
        return ()

    def _begin_leading(self, offset: int) -> None:
        event, self._waits_for_begin, self._end = self._waits_for_begin, None, offset
        if event is not None and self._epoch is not None:
            self._facts.leaders.append(Begin(self._epoch, offset, event))

    def _leads_on(self, event: Event) -> Iterator[Broken]:
        self._learn_topic(event)
        epoch = number(event, "epoch")
        self._epoch, self._leading = self._epoch if epoch is None else epoch, True
        yield from self._isr_settled(event)

    def _isr_settled(self, event: Event) -> Iterator[Broken]:
        if "isr" not in event.fields:
            return
        self._isr, self._version = brokers(event, "isr"), number(event, "version")
        for raised in self._raised:
            raised.lacking &= (self._isr or set()) if self._follows_at_once(raised.version) else set()
            if raised.suspected and raised.suspected[0] in raised.lacking:
                yield self._beyond_isr(raised)
        self._raised = [raised for raised in self._raised if raised.lacking and not raised.suspected]

    def _follows_at_once(self, before: int | None) -> bool:
        """Whether no other ISR was between the one of this partition epoch and the one that is settled now."""
        return before is not None and self._version is not None and self._version - before <= 1

    def _follows(self, event: Event) -> Iterable[Broken]:
        epoch = number(event, "epoch")
        self._hw_of_before = self._hw_of_before or epoch != self._epoch
        self._epoch, self._leading, self._leader = epoch, False, event.fields.get("leader")
        self._set_leader_state(None, None)
        offset = number(event, "offset")
        self._end = self._end if offset is None else offset
        return ()

    def _learn_topic(self, event: Event) -> None:
        if (topic_id := event.fields.get("topic_id")) is not None:
            self._topic_id = topic_id
            self._facts.topic_ids.add(topic_id)

    # --- the high watermark

    def _hw_set(self, event: Event) -> Iterator[Broken]:
        hw = number(event, "hw")
        if hw is None:
            return
        if self._dip is not None and self._hw is not None and hw <= self._hw and self._just_now(event):
            dip, to = self._dip
            yield report_broken("hw_never_decreases", dip, f"its high watermark goes back from {self._hw} to {to}")
        if self._hw is not None and hw < self._hw and self._just_now(event) and self._dip is None:
            self._dip = (event, hw)  # proved if it goes on from there
            return
        self._dip, self._hw_of_before = None, False
        self._hw, self._hw_ms = hw, event.wall_ms or 0
        if self._end is not None and hw > self._end and self._beyond is None:
            self._beyond = (event, hw)

    def _just_now(self, event: Event) -> bool:
        return (event.wall_ms or 0) - self._hw_ms < _MOMENT_MS

    def _hw_back(self, event: Event) -> Iterator[Broken]:
        """The broker says so itself; it may follow a truncation, or be what a new leader knows at first."""
        before, to = number(event, "from"), number(event, "to")
        if to is not None and to != self._cut_to and not self._hw_of_before:
            yield report_broken("hw_never_decreases", event, f"its high watermark goes back from {before} to {to}")
        self._hw = self._dip = None

    def _hw_up(self, event: Event) -> Iterator[Broken]:
        before, to = number(event, "from"), number(event, "to")
        if to is None:
            return
        now = event.wall_ms or 0
        if before is not None:
            if self._hw is not None and before > self._hw:
                self._new_life()
            if any(before < end and begin < to and now - ms < _MOMENT_MS for begin, end, ms in self._steps):
                why = f"its high watermark is raised from {before} to {to}, and was there before"
                yield report_broken("hw_never_decreases", event, why)
            self._steps.append((before, to, now))
        self._hw = to if self._hw is None else max(self._hw, to)
        self._hw_ms = now
        if self._end is not None and to > self._end and self._beyond is None:
            self._beyond = (event, to)
        if self._leading and self._epoch is not None:
            self._facts.commit(Committed(self._epoch, to, event.node, now))
        lacking = {f for f in self._isr or () if f"broker {f}" != event.node and self._lacks(f, to, now)}
        if lacking:
            self._raised.append(_Raised(event, to, lacking, self._version))

    def _lacks(self, follower: str, to: int, now: int) -> bool:
        """Whether it had less a moment ago: one that was silent for longer may have left the ISR, unseen."""
        offset, ms = self._known_ends.get(follower, (to, now))
        return offset < to and now - ms < _MOMENT_MS

    def _on_fetch(self, event: Event) -> Iterable[Broken]:
        """A fetch is noted after what it caused: a follower that was behind may have caught up by this one."""
        follower, offset, now = event.fields.get("follower"), number(event, "offset"), event.wall_ms or 0
        if follower is None or offset is None:
            return ()
        self._known_ends[follower] = (offset, now)
        for raised in self._raised:
            if offset >= raised.to or now - (raised.event.wall_ms or 0) < _PLACES_MS:
                raised.lacking -= {follower} if offset >= raised.to and not raised.suspected else set()
            elif follower in raised.lacking and raised.suspected is None:
                raised.suspected = (follower, offset)
        self._raised = [raised for raised in self._raised if raised.lacking]
        return ()

    def _beyond_isr(self, raised: _Raised) -> Broken:
        assert raised.suspected is not None
        follower, offset = raised.suspected
        why = f"its high watermark is raised to {raised.to}, and broker {follower} of its ISR has {offset}"
        return report_broken("hw_within_isr", raised.event, why)

    def _on_answer(self, event: Event) -> Iterable[Broken]:
        hw, end = number(event, "leader_hw"), number(event, "end")
        if self._end is not None and end != self._end:
            self._new_life()
            self._end = end
        elif hw is not None and self._epoch is not None and event.fields.get("leader") == self._leader:
            self._facts.commit(Committed(self._epoch, hw, event.node, event.wall_ms or 0))
        return ()
