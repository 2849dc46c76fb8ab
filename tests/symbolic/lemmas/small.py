"""Small models without lemmas, that the search for lemmas of a proof for any size is tried on."""

from enum import Enum
from typing import Annotated

from isrcheck import Model, Sort, UpTo, action, constant, each, invariant, require


class Process(Sort, size="processes"):
    """Somebody who wants to be alone."""


class Tickets(Model):
    """Mutual exclusion by tickets, as at a counter: Lamport's bakery with one dispenser."""

    processes: int = constant(2, "who may want to enter", at_least=1)
    tickets: int = constant(3, "that the dispenser may give")
    next_ticket: Annotated[int, UpTo("tickets")] = 0
    served: Annotated[int, UpTo("tickets")] = 0
    ticket: dict[Process, Annotated[int, UpTo("tickets")] | None] = each(Process, None)
    inside: frozenset[Process] = frozenset()

    @action
    def take(self, who: Process) -> None:
        require(self.ticket[who] is None)
        self.ticket[who] = self.next_ticket
        self.next_ticket += 1

    @action
    def enter(self, who: Process) -> None:
        require(self.ticket[who] == self.served and who not in self.inside)
        self.inside |= {who}

    @action
    def leave(self, who: Process) -> None:
        require(who in self.inside)
        self.inside -= {who}
        self.ticket[who] = None
        self.served += 1

    @invariant
    def one_at_a_time(self) -> bool:
        """Nobody is inside with anybody else."""
        return all(one == other for one in self.inside for other in self.inside)


class Manager(Sort, size="managers"):
    """A resource manager."""


class Phase(Enum):
    WORKING = "working"
    PREPARED = "prepared"
    COMMITTED = "committed"
    ABORTED = "aborted"


class Outcome(Enum):
    OPEN = "open"
    COMMIT = "commit"
    ABORT = "abort"


class TwoPhase(Model):
    """Two-phase commit: the coordinator commits when all are prepared."""

    managers: int = constant(2, "resource managers", at_least=1)
    phase: dict[Manager, Phase] = each(Manager, Phase.WORKING)
    heard: frozenset[Manager] = frozenset()  # by the coordinator, to be prepared
    outcome: Outcome = Outcome.OPEN

    @action
    def prepare(self, who: Manager) -> None:
        require(self.phase[who] == Phase.WORKING)
        self.phase[who] = Phase.PREPARED

    @action
    def give_up(self, who: Manager) -> None:
        require(self.phase[who] == Phase.WORKING)
        self.phase[who] = Phase.ABORTED

    @action
    def hear(self, who: Manager) -> None:
        require(self.phase[who] == Phase.PREPARED and self.outcome == Outcome.OPEN)
        self.heard |= {who}

    @action
    def decide_to_commit(self) -> None:
        require(self.outcome == Outcome.OPEN and self.heard == frozenset(Manager))
        self.outcome = Outcome.COMMIT

    @action
    def decide_to_abort(self) -> None:
        require(self.outcome == Outcome.OPEN)
        self.outcome = Outcome.ABORT

    @action
    def obey(self, who: Manager) -> None:
        require(self.outcome != Outcome.OPEN)
        self.phase[who] = Phase.COMMITTED if self.outcome == Outcome.COMMIT else Phase.ABORTED

    @invariant
    def all_end_alike(self) -> bool:
        """Nobody aborts while another commits."""
        return all(
            self.phase[one] != Phase.COMMITTED or self.phase[other] != Phase.ABORTED
            for one in Manager
            for other in Manager
        )
