"""A cashier: properties of steps that ask which action was taken, and for whom.

Known, at the defaults: balances 0 to 2 of 2 customers, 9 distinct, depth 3, 37 generated, 18 pruned.
`withdrawals_are_exact` holds; `nobody_goes_broke` breaks in 3 states, `deposits_are_small` in 2.
"""

from typing import Annotated, Self

from isrcheck import Model, Sort, Taken, UpTo, action, constant, each, require, step

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
        """A customer brings money."""
        require(amount > 0)
        self.balance[who] += amount

    @action
    def withdraw(self, who: Customer, amount: Money) -> None:
        """A customer takes money away."""
        require(0 < amount <= self.balance[who])
        self.balance[who] -= amount

    @step
    def withdrawals_are_exact(self, before: Self, taken: Taken) -> bool:
        """Whoever withdraws has as much less, and nobody else has."""
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
