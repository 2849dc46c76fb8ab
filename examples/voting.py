"""Voting, of which Paxos is an implementation: after Voting.tla of tlaplus/Examples, which Lamport wrote."""

from typing import Annotated, NamedTuple

from isrcheck import Model, Sort, UpTo, action, constant, each, invariant, refines, require, subsets


class Acceptor(Sort, size="acceptors", symmetric=True):
    """Who votes."""


class Value(Sort, size="values", symmetric=True):
    """What may be chosen."""


Ballot = Annotated[int, UpTo("max_ballot")]


class Vote(NamedTuple):
    ballot: Ballot
    value: Value


class Consensus(Model):
    """What Voting must do: at most one value is chosen, once and for all."""

    values: int = constant(2, "values", at_least=1)

    chosen: frozenset[Value] = frozenset()

    @action
    def choose(self, value: Value) -> None:
        require(self.chosen == frozenset())
        self.chosen |= {value}


class Voting(Model):
    """Acceptors vote in numbered ballots, at most once in each; what a quorum voted for in one ballot is chosen."""

    acceptors: int = constant(3, "acceptors", at_least=1)
    values: int = constant(2, "values", at_least=1)
    max_ballot: int = constant(2, "highest ballot")

    votes: dict[Acceptor, frozenset[Vote]] = each(Acceptor, frozenset())
    promised: dict[Acceptor, Ballot | None] = each(Acceptor, None)  # no vote in a lower ballot from now on

    @action
    def promise(self, acceptor: Acceptor, ballot: Ballot) -> None:
        require(self.is_below(acceptor, ballot))
        self.promised[acceptor] = ballot

    @action
    def vote(self, acceptor: Acceptor, vote: Vote) -> None:
        require(self.is_below(acceptor, vote.ballot) or self.promised[acceptor] == vote.ballot)
        require(not self.voted_in(acceptor, vote.ballot))
        require(all(v == vote for a in Acceptor for v in self.votes[a] if v.ballot == vote.ballot))
        require(any(self.shows_safe(quorum, vote) for quorum in subsets(Acceptor) if self.is_quorum(quorum)))
        self.votes[acceptor] |= {vote}
        self.promised[acceptor] = vote.ballot

    @invariant
    def one_value_a_ballot(self) -> bool:
        """No two votes of one ballot differ."""
        return all(
            v == w
            for a in Acceptor
            for b in Acceptor
            for v in self.votes[a]
            for w in self.votes[b]
            if v.ballot == w.ballot
        )

    @invariant
    def votes_are_safe(self) -> bool:
        """Where somebody voted, no other value can be chosen in a lower ballot."""
        return all(self.is_safe(vote) for a in Acceptor for vote in self.votes[a])

    @refines(Consensus)
    def agrees(self, abstract: Consensus) -> None:
        """Who sees only what is chosen sees a consensus."""
        abstract.chosen = frozenset(value for value in Value if self.is_chosen(value))

    def is_quorum(self, acceptors: frozenset[Acceptor]) -> bool:
        return 2 * len(acceptors) > self.acceptors

    def is_below(self, acceptor: Acceptor, ballot: Ballot) -> bool:
        promised = self.promised[acceptor]
        return promised is None or promised < ballot

    def voted_in(self, acceptor: Acceptor, ballot: Ballot) -> bool:
        return any(vote.ballot == ballot for vote in self.votes[acceptor])

    def is_chosen(self, value: Value) -> bool:
        return any(
            self.is_quorum(frozenset(a for a in Acceptor if Vote(ballot, value) in self.votes[a]))
            for ballot in range(self.max_ballot + 1)
        )

    def is_safe(self, vote: Vote) -> bool:
        """In each lower ballot a quorum voted for the value, or will not vote any more."""
        return all(
            self.is_quorum(frozenset(a for a in Acceptor if self.cannot_choose_another(a, Vote(ballot, vote.value))))
            for ballot in range(vote.ballot)
        )

    def cannot_choose_another(self, acceptor: Acceptor, vote: Vote) -> bool:
        is_over = not self.is_below(acceptor, vote.ballot) and self.promised[acceptor] != vote.ballot
        return vote in self.votes[acceptor] or (is_over and not self.voted_in(acceptor, vote.ballot))

    def shows_safe(self, quorum: frozenset[Acceptor], vote: Vote) -> bool:
        """All in the quorum promised, and their last vote in a lower ballot, if there is one, is for the same value."""
        return all(not self.is_below(a, vote.ballot) for a in quorum) and (
            all(self.silent(quorum, ballot) for ballot in range(vote.ballot))
            or any(
                any(Vote(last, vote.value) in self.votes[a] for a in quorum)
                and all(self.silent(quorum, ballot) for ballot in range(last + 1, vote.ballot))
                for last in range(vote.ballot)
            )
        )

    def silent(self, quorum: frozenset[Acceptor], ballot: Ballot) -> bool:
        return not any(self.voted_in(a, ballot) for a in quorum)
