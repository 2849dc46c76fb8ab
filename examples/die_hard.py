"""How to measure four litres with jugs of three and five: after DieHard.tla of tlaplus/Examples."""

from typing import Annotated

from isrcheck import Model, UpTo, action, constant, invariant

Small = Annotated[int, UpTo("small_holds")]
Big = Annotated[int, UpTo("big_holds")]


class DieHard(Model):
    """Two jugs, a tap and a drain."""

    small_holds: int = constant(3, "litres that the small jug holds")
    big_holds: int = constant(5, "litres that the big jug holds")
    wanted: int = constant(4, "litres to measure")

    small: Small = 0
    big: Big = 0

    @action
    def fill_small(self) -> None:
        self.small = self.small_holds

    @action
    def fill_big(self) -> None:
        self.big = self.big_holds

    @action
    def empty_small(self) -> None:
        self.small = 0

    @action
    def empty_big(self) -> None:
        self.big = 0

    @action
    def small_to_big(self) -> None:
        poured = min(self.small, self.big_holds - self.big)
        self.small -= poured
        self.big += poured

    @action
    def big_to_small(self) -> None:
        poured = min(self.big, self.small_holds - self.small)
        self.big -= poured
        self.small += poured

    @invariant
    def not_solved(self) -> bool:
        """Violated, and the trace is the solution."""
        return self.big != self.wanted
