"""Paxos for one decision: after Paxos.tla of tlaplus/Examples, which Lamport wrote."""

from typing import Annotated

from isrcheck import Model, Record, Sort, UpTo, action, constant, each, invariant, reachable, require, subsets


class Acceptor(Sort, size="acceptors", symmetric=True):
    """Who promises and votes."""


class Value(Sort, size="values", symmetric=True):
    """What may be chosen."""


Ballot = Annotated[int, UpTo("max_ballot")]


class Proposal(Record):
    ballot: Ballot
    value: Value


class Prepare(Record):
    """Phase 1a: a ballot begins."""

    ballot: Ballot


class Promise(Record):
    """Phase 1b: no vote in a lower ballot from now on, and the last vote until now."""

    acceptor: Acceptor
    ballot: Ballot
    vote: Proposal | None


class Accept(Record):
    """Phase 2a: acceptors are asked to vote."""

    proposal: Proposal


class Accepted(Record):
    """Phase 2b: a vote."""

    acceptor: Acceptor
    proposal: Proposal


Message = Prepare | Promise | Accept | Accepted


class Paxos(Model):
    """All messages ever sent stay in one set, and are read at any time: so they may be lost, repeated and overtaken."""

    acceptors: int = constant(3, "acceptors", at_least=1)
    values: int = constant(2, "values", at_least=1)
    max_ballot: int = constant(1, "highest ballot")

    promised: dict[Acceptor, Ballot | None] = each(Acceptor, None)
    vote: dict[Acceptor, Proposal | None] = each(Acceptor, None)
    sent: frozenset[Message] = frozenset()

    @action
    def prepare(self, ballot: Ballot) -> None:
        self.sent |= {Prepare(ballot)}

    @action
    def promise(self, acceptor: Acceptor, message: Prepare) -> None:
        require(message in self.sent and self.is_below(acceptor, message.ballot))
        self.promised[acceptor] = message.ballot
        self.sent |= {Promise(acceptor, message.ballot, self.vote[acceptor])}

    @action
    def propose(self, proposal: Proposal) -> None:
        require(not any(isinstance(m, Accept) and m.proposal.ballot == proposal.ballot for m in self.sent))
        require(any(self.allows(quorum, proposal) for quorum in subsets(Acceptor) if self.is_quorum(quorum)))
        self.sent |= {Accept(proposal)}

    @action
    def accept(self, acceptor: Acceptor, message: Accept) -> None:
        ballot = message.proposal.ballot
        require(message in self.sent and (self.is_below(acceptor, ballot) or self.promised[acceptor] == ballot))
        self.promised[acceptor] = ballot
        self.vote[acceptor] = message.proposal
        self.sent |= {Accepted(acceptor, message.proposal)}

    @invariant
    def one_value_is_chosen(self) -> bool:
        return all(v == w for v in Value for w in Value if self.is_chosen(v) and self.is_chosen(w))

    @reachable
    def something_is_chosen(self) -> bool:
        return any(self.is_chosen(value) for value in Value)

    def is_quorum(self, acceptors: frozenset[Acceptor]) -> bool:
        return 2 * len(acceptors) > self.acceptors

    def is_below(self, acceptor: Acceptor, ballot: Ballot) -> bool:
        promised = self.promised[acceptor]
        return promised is None or promised < ballot

    def allows(self, quorum: frozenset[Acceptor], proposal: Proposal) -> bool:
        """All in the quorum promised for the ballot, and their highest vote, if there is one, is for the value."""
        return all(self.has_promised(a, proposal.ballot) for a in quorum) and (
            all(Promise(a, proposal.ballot, None) in self.sent for a in quorum)
            or any(
                any(Promise(a, proposal.ballot, Proposal(last, proposal.value)) in self.sent for a in quorum)
                and not any(self.reports_later(a, proposal.ballot, last) for a in quorum)
                for last in range(proposal.ballot)
            )
        )

    def has_promised(self, acceptor: Acceptor, ballot: Ballot) -> bool:
        return any(isinstance(m, Promise) and m.acceptor == acceptor and m.ballot == ballot for m in self.sent)

    def reports_later(self, acceptor: Acceptor, ballot: Ballot, last: Ballot) -> bool:
        """Whether an acceptor's promise tells of a vote after a ballot."""
        return any(
            Promise(acceptor, ballot, Proposal(later, value)) in self.sent
            for later in range(last + 1, ballot)
            for value in Value
        )

    def is_chosen(self, value: Value) -> bool:
        return any(
            self.is_quorum(frozenset(a for a in Acceptor if Accepted(a, Proposal(ballot, value)) in self.sent))
            for ballot in range(self.max_ballot + 1)
        )
