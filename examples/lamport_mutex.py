"""Mutual exclusion by logical clocks, Lamport 1978: after LamportMutex.tla of tlaplus/Examples, which Merz wrote."""

from enum import Enum
from typing import Annotated, NamedTuple

from isrcheck import Channels, Model, Record, UpTo, action, constant, constraint, each, invariant, reachable, require

Process = Annotated[int, UpTo("processes - 1")]  # of two requests at one time the lesser process's is first
Clock = Annotated[int, UpTo("max_clock + 1")]  # 0 where there is no request


class Link(NamedTuple):
    source: Process
    to: Process


class Request(Record):
    clock: Clock


class Answer(Enum):
    ACKNOWLEDGE = "acknowledge"
    RELEASE = "release"


Message = Request | Answer


class LamportMutex(Model):
    """Who has every other's acknowledgement and the earliest request of which it knows may enter."""

    processes: int = constant(3, "processes", at_least=1)
    max_clock: int = constant(6, "the last time at which a state is expanded", at_least=1)

    clock: dict[Process, Clock] = each(Process, 1)
    requests: dict[Process, dict[Process, Clock]] = each(Process, each(Process, 0))  # of all, as each knows them
    acknowledged: dict[Process, frozenset[Process]] = each(Process, frozenset())
    links: Annotated[Channels[Link, Message], UpTo(3)] = Channels()
    critical: frozenset[Process] = frozenset()

    @action
    def ask(self, process: Process) -> None:
        require(self.requests[process][process] == 0)
        self.requests[process][process] = self.clock[process]
        self.acknowledged[process] = frozenset({process})
        self.tell_all(process, Request(self.clock[process]))

    @action
    def enter(self, process: Process) -> None:
        require(len(self.acknowledged[process]) == self.processes)
        require(all(self.is_before(process, other) for other in range(self.processes) if other != process))
        self.critical |= {process}

    @action
    def leave(self, process: Process) -> None:
        require(process in self.critical)
        self.critical -= {process}
        self.requests[process][process] = 0
        self.acknowledged[process] = frozenset()
        self.tell_all(process, Answer.RELEASE)

    @action
    def receive(self, link: Link) -> None:
        message = self.links.receive(link)
        process, other = link.to, link.source
        match message:
            case Request(clock):
                self.requests[process][other] = clock
                self.clock[process] = max(self.clock[process], clock) + 1
                self.links.send(Link(process, other), Answer.ACKNOWLEDGE)
            case Answer.ACKNOWLEDGE:
                self.acknowledged[process] |= {other}
            case Answer.RELEASE:
                self.requests[process][other] = 0

    @constraint
    def small_clocks(self) -> bool:
        return all(self.clock[process] <= self.max_clock for process in range(self.processes))

    @invariant
    def one_at_a_time(self) -> bool:
        return len(self.critical) <= 1

    @reachable
    def all_ask(self) -> bool:
        return all(self.requests[process][process] > 0 for process in range(self.processes))

    def tell_all(self, process: Process, message: Message) -> None:
        self.links.send_all((Link(process, other) for other in range(self.processes) if other != process), message)

    def is_before(self, process: Process, other: Process) -> bool:
        """Whether a process's request is before another's, as far as it knows."""
        mine, its = self.requests[process][process], self.requests[process][other]
        return its == 0 or mine < its or (mine == its and process < other)
