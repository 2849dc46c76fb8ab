"""A lottery: an action whose parameters range over everything that they may range over.

Known, at the defaults: 8 ways to sell a ticket, 6 of them to somebody, and 96 to draw; 41 distinct, 45 generated, depth
4. A drawn lottery is over: a deadlock after 3 states.
"""

from enum import Enum
from typing import Annotated, NamedTuple

from isrcheck import Model, Sort, UpTo, action, constant, invariant, reachable, require

Number = Annotated[int, UpTo("numbers - 1")]


class Player(Sort, size="players"):
    """Somebody with a ticket."""


class Prize(Enum):
    """What there is to win."""

    BOOK = 1
    CAKE = 2


class Ticket(NamedTuple):
    """A number, and who holds it, if anybody."""

    number: Number
    holder: Player | None


class Draw(NamedTuple):
    """What was drawn, and for what."""

    ticket: Ticket
    prize: Prize
    others: frozenset[Player]


class Lottery(Model):
    """Tickets are sold, then one is drawn."""

    players: int = constant(2, "people who play", at_least=1)
    numbers: int = constant(2, "numbers in the drum", at_least=1)

    sold: frozenset[Ticket] = frozenset()
    result: Draw | None = None

    @action
    def sell(self, ticket: Ticket) -> None:
        """Somebody buys a number that is not sold."""
        require(self.result is None and ticket.holder is not None)
        require(ticket.number not in frozenset(t.number for t in self.sold))
        self.sold |= {ticket}

    @action
    def draw(self, number: Number, holder: Player | None, prize: Prize, others: frozenset[Player], last: bool) -> None:
        """A number is drawn; those who hold others look on. The last draw is of a number that nobody bought."""
        require(self.result is None and len(self.sold) > 0)
        drawn = Ticket(number=number, holder=holder)
        require(others == frozenset(p for p in Player if p != holder and any(t.holder == p for t in self.sold)))
        if last:
            require(holder is None and not any(t.number == number for t in self.sold))
        else:
            require(drawn in self.sold)
        self.result = Draw(drawn, prize, others)

    @invariant
    def winners_look_on_no_more(self) -> bool:
        """Whoever won is not among the others."""
        result = self.result
        return result is None or result.ticket.holder is None or result.ticket.holder not in result.others

    @invariant
    def numbers_are_sold_once(self) -> bool:
        """No two tickets have the same number."""
        return all(one == two or one.number != two.number for one in self.sold for two in self.sold)

    @reachable
    def nobody_wins(self) -> bool:
        """A number is drawn that nobody holds."""
        result = self.result
        return result is not None and result.ticket.holder is None

    @reachable
    def rollover_of_cake(self) -> bool:
        """The cake is won while somebody looks on."""
        result = self.result
        return result is not None and result.prize == Prize.CAKE and len(result.others) > 0
