"""Paxos Commit: after PaxosCommit.tla of tlaplus/Examples, which Gray and Lamport wrote."""

from enum import Enum
from typing import Annotated, NamedTuple

from two_phase import RM, Decision, RMState, TransactionCommit

from isrcheck import Model, Record, Sort, UpTo, action, constant, each, reachable, refines, require, subsets


class Acceptor(Sort, size="acceptors", symmetric=True):
    """Votes on what each resource manager does."""


class Value(Enum):
    PREPARED = "prepared"
    ABORTED = "aborted"


Ballot = Annotated[int, UpTo("max_ballot")]


class Vote(NamedTuple):
    ballot: Ballot
    value: Value


class Ask(Record):
    """A leader begins a ballot of a resource manager's Paxos (phase 1a)."""

    rm: RM
    ballot: Ballot


class Promise(Record):
    """An acceptor takes part in it, and tells its last vote (phase 1b)."""

    rm: RM
    ballot: Ballot
    last: Vote | None
    acceptor: Acceptor


class Propose(Record):
    """What the resource manager itself says in ballot 0, and a leader later (phase 2a)."""

    rm: RM
    vote: Vote


class Accept(Record):
    """An acceptor votes (phase 2b)."""

    rm: RM
    vote: Vote
    acceptor: Acceptor


Message = Ask | Promise | Propose | Accept | Decision


class PaxosCommit(Model):
    """The decision of each resource manager is kept by acceptors, so that no single process can hold up the others."""

    rms: int = constant(2, "resource managers", at_least=1)
    acceptors: int = constant(3, "acceptors", at_least=1)
    max_ballot: int = constant(1, "the last ballot")

    state: dict[RM, RMState] = each(RM, RMState.WORKING)
    ballot: dict[RM, dict[Acceptor, Ballot]] = each(RM, each(Acceptor, 0))
    last: dict[RM, dict[Acceptor, Vote | None]] = each(RM, each(Acceptor, None))
    sent: frozenset[Message] = frozenset()

    @action
    def prepare(self, rm: RM) -> None:
        require(self.state[rm] == RMState.WORKING)
        self.state[rm] = RMState.PREPARED
        self.sent |= {Propose(rm, Vote(0, Value.PREPARED))}

    @action
    def give_up(self, rm: RM) -> None:
        require(self.state[rm] == RMState.WORKING)
        self.state[rm] = RMState.ABORTED
        self.sent |= {Propose(rm, Vote(0, Value.ABORTED))}

    @action
    def obey(self, rm: RM, decision: Decision) -> None:
        require(decision in self.sent)
        match decision:
            case Decision.COMMIT:
                self.state[rm] = RMState.COMMITTED
            case Decision.ABORT:
                self.state[rm] = RMState.ABORTED

    @action
    def ask(self, rm: RM, ballot: Ballot) -> None:
        require(ballot > 0)
        self.sent |= {Ask(rm, ballot)}

    @action
    def propose(self, rm: RM, ballot: Ballot, quorum: frozenset[Acceptor]) -> None:
        """What a quorum's latest votes say; without any vote, that the resource manager gives up."""
        require(ballot > 0 and self.is_quorum(quorum))
        require(not any(m.rm == rm and m.vote.ballot == ballot for m in self.sent if isinstance(m, Propose)))
        told = frozenset(m for m in self.sent if isinstance(m, Promise) and m.rm == rm and m.ballot == ballot)
        require(all(any(m.acceptor == a for m in told) for a in quorum))
        votes = frozenset(m.last for m in told if m.acceptor in quorum and m.last is not None)
        latest = max((vote.ballot for vote in votes), default=0)
        is_prepared = Vote(latest, Value.PREPARED) in votes
        self.sent |= {Propose(rm, Vote(ballot, Value.PREPARED if is_prepared else Value.ABORTED))}

    @action
    def promise(self, acceptor: Acceptor, m: Ask) -> None:
        require(m in self.sent and m.ballot > self.ballot[m.rm][acceptor])
        self.ballot[m.rm][acceptor] = m.ballot
        self.sent |= {Promise(m.rm, m.ballot, self.last[m.rm][acceptor], acceptor)}

    @action
    def accept(self, acceptor: Acceptor, m: Propose) -> None:
        require(m in self.sent and m.vote.ballot >= self.ballot[m.rm][acceptor])
        self.ballot[m.rm][acceptor] = m.vote.ballot
        self.last[m.rm][acceptor] = m.vote
        self.sent |= {Accept(m.rm, m.vote, acceptor)}

    @action
    def decide_to_commit(self) -> None:
        require(all(self.is_chosen(rm, Value.PREPARED) for rm in RM))
        self.sent |= {Decision.COMMIT}

    @action
    def decide_to_abort(self) -> None:
        require(any(self.is_chosen(rm, Value.ABORTED) for rm in RM))
        self.sent |= {Decision.ABORT}

    @refines(TransactionCommit)
    def commits(self, abstract: TransactionCommit) -> None:
        """Nobody but the resource managers is seen."""

    @reachable
    def a_leader_gives_up_for_who_is_prepared(self) -> bool:
        return any(self.state[rm] == RMState.PREPARED and self.is_chosen(rm, Value.ABORTED) for rm in RM)

    def is_quorum(self, acceptors: frozenset[Acceptor]) -> bool:
        return len(acceptors) == self.acceptors // 2 + 1

    def is_chosen(self, rm: RM, value: Value) -> bool:
        return any(
            all(Accept(rm, Vote(ballot, value), a) in self.sent for a in quorum)
            for ballot in range(self.max_ballot + 1)
            for quorum in subsets(Acceptor)
            if self.is_quorum(quorum)
        )
