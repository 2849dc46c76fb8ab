"""A model whose promise needs a lemma: what was drunk was poured, because the tank holds the difference."""

from typing import Annotated

from isrcheck import Model, UpTo, action, constant, invariant, lemma, require

Litres = Annotated[int, UpTo("capacity")]


class Tank(Model):
    """Somebody pours, somebody drinks."""

    capacity: int = constant(3, "litres that may ever be poured")
    poured: Litres = 0
    drunk: Litres = 0
    held: Litres = 0

    @action
    def pour(self) -> None:
        self.poured += 1
        self.held += 1

    @action
    def drink(self) -> None:
        require(self.held > 0)
        self.drunk += 1
        self.held -= 1

    @lemma
    def nothing_is_spilt(self) -> bool:
        """The tank holds what was poured and not drunk."""
        return self.poured == self.drunk + self.held

    @invariant
    def only_what_was_poured(self) -> bool:
        return self.drunk <= self.poured
