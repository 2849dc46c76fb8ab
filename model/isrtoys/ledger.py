"""Coins among friends, and a book of who gave what: every comprehension, and helpers that act."""

from typing import Annotated, NamedTuple, Self

from isrcheck import Model, Sort, Taken, UpTo, action, constant, each, invariant, reachable, require, step

Coins = Annotated[int, UpTo("coins")]


class Friend(Sort, size="friends"):
    """Somebody with a purse."""


class Gift(NamedTuple):
    giver: Friend
    coins: Coins


Book = Annotated[tuple[Gift, ...], UpTo("lines")]


class Ledger(Model):
    """Gifts are written down; now and then the book is tidied, and everybody is taxed."""

    friends: int = constant(2, "people in the circle", at_least=2)
    coins: int = constant(2, "coins that there are", at_least=1)
    lines: int = constant(2, "lines in the book", at_least=1)

    purse: dict[Friend, Coins] = each(Friend, 0)
    book: Book = ()
    fund: Coins = 0
    opened: bool = False

    @action
    def open(self, rich: Friend) -> None:
        """Somebody brings all the coins that there will ever be."""
        require(not self.opened)
        self.opened = True
        self.purse = {f: self.coins if f == rich else 0 for f in Friend}

    @action
    def give(self, giver: Friend, taker: Friend, coins: Coins) -> None:
        """A friend gives coins to another."""
        require(giver != taker and coins > 0)
        require(self.purse[giver] >= coins)
        self.move(giver, taker, coins)
        self.book = self.book + (Gift(giver, coins),)

    @action
    def tidy(self) -> None:
        """Small gifts are removed from the book."""
        kept = tuple(line for line in self.book if line.coins > 1)
        require(len(kept) < len(self.book))
        self.book = kept

    @action
    def tax(self) -> None:
        """Each friend with two coins or more pays one to the fund."""
        due = sum(1 for f in Friend if self.purse[f] >= 2)
        require(due > 0)
        self.fund += due
        self.purse = {f: self.purse[f] - 1 if self.purse[f] >= 2 else self.purse[f] for f in Friend}

    @action
    def forget(self) -> None:
        """All lines but the newest are forgotten."""
        require(len(self.book) > 1)
        last = self.book[-1]
        self.book = (last,)

    @invariant
    def no_coin_is_lost(self) -> bool:
        """Purses and fund have all the coins that were brought."""
        return self.fund + sum(self.purse[f] for f in Friend) == (self.coins if self.opened else 0)

    @invariant
    def nobody_has_most(self) -> bool:
        """Somebody has at least as many coins as the average."""
        return self.friends * max(self.purse[f] for f in Friend) >= sum(self.purse[f] for f in Friend)

    @invariant
    def smallest_is_least(self) -> bool:
        """No gift, and no purse, is smaller than the smallest."""
        return all(
            line.coins >= min((other.coins for other in self.book), default=0)
            and self.purse[f] >= min(self.purse[g] for g in Friend)
            for f in Friend
            for line in self.book
            if line.giver == f
        )

    @invariant
    def gifts_are_small(self) -> bool:
        """No line of the book is of all the coins."""
        return largest(self.book) < self.coins

    @invariant
    def givers_are_friends(self) -> bool:
        """Every giver is a friend of the circle."""
        return self.givers() <= frozenset(f for f in Friend)

    @step
    def book_grows_by_gifts(self, before: Self, taken: Taken) -> bool:
        """The book grows by gifts alone, one line at a time."""
        return len(self.book) <= len(before.book) + (1 if taken.action == "give" else 0)

    @reachable
    def everybody_gave(self) -> bool:
        """The book has a line of each friend."""
        return all(any(line.giver == f for line in self.book) for f in Friend)

    @reachable
    def a_gift_came_back(self) -> bool:
        """Two neighbouring lines are of the same coins, by two friends."""
        return any(
            self.book[i].coins == self.book[i + 1].coins and self.book[i].giver != self.book[i + 1].giver
            for i in range(len(self.book))
            if i + 1 < len(self.book)
        )

    @reachable
    def fund_is_full(self) -> bool:
        """The fund has all the coins."""
        return self.fund == self.coins

    def move(self, giver: Friend, taker: Friend, coins: Coins) -> None:
        """Coins change hands."""
        self.purse[giver] -= coins
        self.purse[taker] += coins

    def givers(self) -> frozenset[Friend]:
        return frozenset(line.giver for line in self.book)


def largest(book: Book) -> Coins:
    """The largest gift in a book, 0 if there is none."""
    return max((line.coins for line in book), default=0)
