"""Toys about people.

`Cashier` has properties of steps that ask which action was taken, and for whom: balances 0 to 2 of 2 customers, 9
states. `Seats` has maps in maps, and records that may be absent. `Lottery` has an action whose parameters range over
all that they may range over: 8 ways to sell a ticket, 6 of them to somebody, and 96 to draw. A drawn one is over.
"""

from enum import Enum
from typing import Annotated, NamedTuple, Self

from isrcheck import Model, Sort, Taken, UpTo, action, constant, each, invariant, reachable, require, step

Money = Annotated[int, UpTo("purse")]


class Customer(Sort, size="customers"):
    """Somebody with an account."""


class Cashier(Model):
    """Money comes in and goes out."""

    customers: int = constant(2, "accounts", at_least=1)
    purse: int = constant(2, "coins that an account may hold", at_least=1)

    balance: dict[Customer, Money] = each(Customer, 0)

    @action
    def deposit(self, who: Customer, amount: Money) -> None:
        require(amount > 0)
        self.balance[who] += amount

    @action
    def withdraw(self, who: Customer, amount: Money) -> None:
        require(0 < amount <= self.balance[who])
        self.balance[who] -= amount

    @step
    def withdrawals_are_exact(self, before: Self, taken: Taken) -> bool:
        """A withdrawal lowers one balance by its amount, and no other balance."""
        return taken.action != "withdraw" or (
            self.balance[taken.who] + taken.amount == before.balance[taken.who]
            and all(self.balance[c] == before.balance[c] for c in Customer if c != taken.who)
        )

    @step
    def nobody_goes_broke(self, before: Self, taken: Taken) -> bool:
        """A withdrawal leaves something."""
        return not (taken.action == "withdraw" and self.balance[taken.who] == 0)

    @step
    def deposits_are_small(self, before: Self, taken: Taken) -> bool:
        """Nobody brings more than one coin to an empty account."""
        return not (taken.action == "deposit" and before.balance[taken.who] == 0 and taken.amount > 1)


Seat = Annotated[int, UpTo("seats - 1")]


class Guest(Sort, size="guests", symmetric=True):
    """Somebody who wants a seat."""


class Side(Enum):
    LEFT = "left"
    RIGHT = "right"


class Booking(NamedTuple):
    guest: Guest
    paid: bool


class Seats(Model):
    """Guests book, pay, change sides and cancel."""

    guests: int = constant(2, "people who book", at_least=1)
    seats: int = constant(2, "seats on each side", at_least=1)

    plan: dict[Side, dict[Seat, Booking | None]] = each(Side, each(Seat, None))
    first: Booking | None = None  # the first booking of all, as it was made

    @action
    def book(self, guest: Guest, side: Side, seat: Seat) -> None:
        """A guest without a seat books a free one."""
        require(self.plan[side][seat] is None)
        require(not any(self.sits(guest, s, n) for s in Side for n in range(self.seats)))
        self.plan[side][seat] = Booking(guest, paid=False)
        if self.first is None:
            self.first = self.plan[side][seat]

    @action
    def pay(self, side: Side, seat: Seat) -> None:
        """A guest pays for a seat that is booked and not paid."""
        booking = self.plan[side][seat]
        require(booking is not None and not booking.paid)
        if booking is not None:
            self.plan[side][seat] = booking._replace(paid=True)

    @action
    def change_sides(self, seat: Seat) -> None:
        """The guests of a row change sides."""
        require(self.plan[Side.LEFT][seat] != self.plan[Side.RIGHT][seat])
        self.plan[Side.LEFT][seat], self.plan[Side.RIGHT][seat] = (
            self.plan[Side.RIGHT][seat],
            self.plan[Side.LEFT][seat],
        )

    @action
    def cancel(self, side: Side, seat: Seat) -> None:
        """A guest gives back a seat that is not paid."""
        booking = self.plan[side][seat]
        require(booking is not None)
        require(booking is None or not booking.paid)
        self.plan[side][seat] = None

    @invariant
    def one_seat_each(self) -> bool:
        """Nobody has two seats."""
        return all(sum(1 for s in Side for n in range(self.seats) if self.sits(g, s, n)) <= 1 for g in Guest)

    @invariant
    def first_is_unpaid(self) -> bool:
        """The first booking is remembered as it was made."""
        return self.first is None or self.first == Booking(self.first.guest, False)

    @reachable
    def everybody_paid(self) -> bool:
        """All guests sit and have paid."""
        return all(any(self.plan[s][n] == Booking(g, True) for s in Side for n in range(self.seats)) for g in Guest)

    @reachable
    def first_guest_left(self) -> bool:
        """The guest who booked first has given the seat back."""
        first = self.first
        return first is not None and not any(self.sits(first.guest, s, n) for s in Side for n in range(self.seats))

    def sits(self, guest: Guest, side: Side, seat: Seat) -> bool:
        booking = self.plan[side][seat]
        return booking is not None and booking.guest == guest


Number = Annotated[int, UpTo("numbers - 1")]


class Player(Sort, size="players"):
    """Somebody with a ticket."""


class Prize(Enum):
    BOOK = 1
    CAKE = 2


class Ticket(NamedTuple):
    number: Number
    holder: Player | None


class Draw(NamedTuple):
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
        """The winner is not among the others."""
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
