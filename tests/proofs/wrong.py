"""Models whose proofs for any size must fail: a wrong lemma, a weakened guard, a text that goes wrong, and more."""

from typing import Annotated

from isrcheck import Model, Sort, UpTo, action, assume, constant, each, invariant, lemma, members, require
from isrmodel.isr.kafka_7152 import Kafka7152
from isrmodel.vocabulary import Follower

Count = Annotated[int, UpTo("limit")]


class WeakJoin(Kafka7152):
    """As Kafka 2.1, but for one record less than the high watermark."""

    def may_join(self, follower: Follower) -> bool:
        return self.known[follower] + 1 >= self.hw


class Node(Sort, size="nodes"):
    """Somebody."""


class Member(Sort, size="size"):
    """Nobody, if the size is 0."""


class Other(Sort, size="people - 1"):
    """All people but one."""


class Club(Model):
    """Members have paid; what is asked is about members only."""

    nodes: int = constant(2, "people", at_least=1)
    limit: int = constant(3, "the most that is paid")
    fee: Count = 0
    paid: dict[Node, Count] = each(Node, 0)
    inside: frozenset[Node] = members(Node)

    @action
    def raise_fee(self) -> None:
        """The fee goes up; whoever has paid less is out."""
        self.fee += 1
        self.inside = frozenset(n for n in self.inside if self.paid[n] >= self.fee)

    @action
    def pay(self, who: Node) -> None:
        self.paid[who] += 1

    @action
    def join(self, who: Node) -> None:
        require(self.paid[who] >= self.fee)
        self.inside |= {who}

    @invariant
    def insiders_have_paid(self) -> bool:
        return all(self.paid[n] >= self.fee for n in self.inside)

    @invariant
    def few_are_inside(self) -> bool:
        """True of two, and of no more."""
        return len(self.inside) <= 2

    @invariant
    def everybody_is_one(self) -> bool:
        """True of one, and of no more."""
        return all(a == b for a in Node for b in Node)


class Admitting(Club):
    """Admits whoever asks once the fee is high, which no small instance reaches."""

    @action
    def admit(self, who: Node) -> None:
        require(self.fee > 9)
        self.inside |= {who}


class WrongLemma(Admitting):
    """Needs a lemma that a step does not keep."""

    @lemma
    def everybody_has_paid(self) -> bool:
        return all(self.paid[n] >= self.fee for n in Node)


class FalseFromTheStart(Admitting):
    """Needs a lemma that is false initially."""

    @lemma
    def fee_is_one(self) -> bool:
        return self.fee == 1


class NeedlessLemma(Club):
    """Has a lemma that is false, and that its property does not need."""

    @lemma
    def fee_is_low(self) -> bool:
        """False once the fee goes up twice."""
        return self.fee <= 1


class MayBeEmpty(Model):
    """Asks of a sort that may have no members."""

    size: int = constant(1, "members", at_least=0)
    alive: frozenset[Member] = members(Member)
    marked: dict[Member, bool] = each(Member, False)

    @action
    def mark(self, one: Member) -> None:
        self.marked[one] = True

    @invariant
    def somebody_is_alive(self) -> bool:
        return len(self.alive) > 0

    @invariant
    def some_member_is_alive(self) -> bool:
        return any(one in self.alive for one in Member)

    @invariant
    def members_are_alive(self) -> bool:
        return all(one in self.alive for one in Member)


class MayBeAlone(Model):
    """Asks of a sort whose size is an expression, which may be 0."""

    people: int = constant(2, "people", at_least=1)
    greeted: dict[Other, bool] = each(Other, False)

    @action
    def greet(self, other: Other) -> None:
        self.greeted[other] = True

    @invariant
    def somebody_is_not_greeted_or_greeted(self) -> bool:
        return any(self.greeted[other] or not self.greeted[other] for other in Other)


class HasSpare(MayBeEmpty):
    """The constants rule the empty sort out."""

    @assume
    def somebody_exists(self) -> bool:
        return self.size > 0


class Careless(Club):
    """Gives back what may not have been paid."""

    @action
    def give_back(self, who: Node) -> None:
        self.paid[who] -= 1


class Totals(Club):
    """Asks for a sum."""

    @invariant
    def all_pay(self) -> bool:
        return sum(self.paid[n] for n in Node) >= 0
