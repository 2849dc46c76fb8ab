"""Unions of records, enumerations and sorts: in every container, asked by isinstance and by match."""

from enum import IntEnum
from typing import Annotated, NamedTuple, Self

from tests.lang.models.words import Colour, Count, Node

from isrcheck import Model, Record, UpTo, action, constant, each, invariant, reachable, require, step


class Vote(Record):
    epoch: Count
    source: Node


class Fetch(Record):
    """The same fields: as named tuples the two would be equal."""

    epoch: Count
    source: Node


class Reset(Record):
    """Without fields."""


class Entry(NamedTuple):
    """Three fields, so that as a tuple it equals none of the others."""

    low: Count
    high: Count | None
    by: Colour


class Level(IntEnum):
    LOW = 0
    HIGH = 1


Message = Vote | Fetch | Reset
Anything = Entry | Message | Colour | Node
Inbox = Annotated[tuple[Message, ...], UpTo("longest")]


class Held(NamedTuple):
    what: Message | None
    times: Count


class InSets(Model):
    """Sets of a union, parameters of it, and members of one class in them."""

    nodes: int = constant(2, "how many", at_least=1)
    most: int = constant(1, "the largest number")

    sent: frozenset[Message] = frozenset()
    votes: frozenset[Vote] = frozenset()
    same: bool = False

    @action
    def send(self, m: Message) -> None:
        require(len(self.sent) < 2)
        self.sent |= {m}

    @action
    def reply(self, m: Vote) -> None:
        require(m in self.sent)
        self.sent = (self.sent - {m}) | {Fetch(m.epoch, m.source), Reset()}

    @action
    def collect(self) -> None:
        self.votes = frozenset(m for m in self.sent if isinstance(m, Vote))
        self.sent = self.sent - self.votes
        self.same = any(isinstance(y, Fetch) and self.equal(x, y) for x in self.votes for y in self.sent)

    @action
    def drop(self) -> None:
        require(self.votes <= self.sent | self.votes and self.votes != frozenset())
        self.sent = frozenset(m for m in self.sent if not isinstance(m, Vote | Reset) and m.epoch == 0)

    def equal(self, one: Message, other: Message) -> bool:
        return one == other

    @invariant
    def classes_differ(self) -> bool:
        """Vote(0, n) and Fetch(0, n) are two messages."""
        return not self.same and all(Vote(m.epoch, m.source) in self.sent for m in self.sent if isinstance(m, Vote))

    @reachable
    def both(self) -> bool:
        return any(
            Fetch(m.epoch, m.source) in self.sent and len(self.sent) == 2 for m in self.sent if isinstance(m, Vote)
        )


class InContainers(Model):
    """As keys and values of maps, in sequences, in fields, as optional values and local names."""

    nodes: int = constant(2, "how many", at_least=1)
    most: int = constant(1, "the largest number")
    longest: int = constant(2, "messages in a row")

    inbox: Inbox = ()
    last: Anything | None = None
    held: Held = Held(None, 0)
    count: dict[Message, Count] = each(Message, 0)
    heard: bool = False

    @action
    def put(self, m: Message) -> None:
        self.inbox += (m,)

    @action
    def take(self) -> None:
        require(len(self.inbox) > 0)
        m = self.inbox[0]
        self.inbox = self.inbox[1:]
        self.last = m
        if isinstance(m, Vote):
            self.held = Held(m, m.epoch)
        elif not isinstance(m, Fetch):
            self.held = self.held._replace(what=m)
        else:
            self.count[m] += 1

    @action
    def note(self, colour: Colour) -> None:
        require(isinstance(self.last, Fetch) and self.last.epoch == 0)
        self.last = Entry(0, None, colour) if self.inbox == () else colour

    @action
    def give(self, node: Node) -> None:
        require(isinstance(self.last, (Entry, Colour)))
        match self.last:
            case Entry(by=colour):
                self.last = colour
            case _:
                self.last = node

    @step
    def kept(self, before: Self) -> bool:
        """A step that stores a vote takes it from the inbox."""
        return self.held.what == before.held.what or self.held.what in before.inbox

    @reachable
    def a_node(self) -> bool:
        return isinstance(self.last, Node)


class Matching(Model):
    """Cases in order: captures, guards, values, `|`, `as`, None, and nested patterns."""

    nodes: int = constant(2, "how many", at_least=1)
    most: int = constant(2, "the largest number")

    now: Anything | None = None
    seen: Count = 0
    level: Level = Level.LOW
    who: Node | None = None

    @action
    def become(self, m: Anything) -> None:
        require(self.rank(self.now) == 0)
        self.now = m

    @action
    def react(self) -> None:
        match self.now:
            case Vote(epoch=e, source=s) if e > self.seen:
                self.seen = e
                self.who = s
            case Vote(source=s) | Fetch(source=s):
                self.who = s
            case Reset():
                self.seen = 0
            case Entry(low, None, Colour.RED) if low > 0:
                self.level = Level.HIGH
            case Entry(low=low, high=high) as entry:
                self.seen = low if entry.by == Colour.BLUE or high is None else high
            case Colour.RED:
                self.level = Level.LOW
            case Colour() | None:
                self.who = None
            case Node() as node:
                self.who = node
        self.now = None

    @reachable
    def high(self) -> bool:
        match self.level:
            case Level.LOW:
                return False
            case Level.HIGH:
                return self.seen == 2

    def rank(self, what: Anything | None) -> Count:
        match what:
            case None:
                return 0
            case Vote(epoch=n) | Fetch(epoch=n) if n < 2:
                return n
            case other:
                return 1 if isinstance(other, Entry) and other.high == other.low else 0
