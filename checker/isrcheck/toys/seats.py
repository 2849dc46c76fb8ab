"""Seats in a small theatre: maps in maps, and records that may be absent.

Known, at the defaults: 131 distinct, 537 generated, depth 5, nothing pruned; nobody has two seats. Two guests have paid
after 5 states, the first has left after 3.
"""

from enum import Enum
from typing import Annotated, NamedTuple

from isrcheck import Model, Sort, UpTo, action, constant, each, invariant, reachable, require

Seat = Annotated[int, UpTo("seats - 1")]


class Guest(Sort, size="guests", symmetric=True):
    """Somebody who wants a seat."""


class Side(Enum):
    """There are two sides, with a gangway between them."""

    LEFT = "left"
    RIGHT = "right"


class Booking(NamedTuple):
    """Whose a seat is."""

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
        """Whoever has the two seats of a row, or one of them, changes sides."""
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
        """Whoever booked first has given the seat back."""
        first = self.first
        return first is not None and not any(self.sits(first.guest, s, n) for s in Side for n in range(self.seats))

    def sits(self, guest: Guest, side: Side, seat: Seat) -> bool:
        """Whether a seat is this guest's."""
        booking = self.plan[side][seat]
        return booking is not None and booking.guest == guest
