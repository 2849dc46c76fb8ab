"""A shelf with numbered places: a map under bounded integers, which a step may leave at the far end.

Known, at the defaults: 73 distinct, 123 generated, depth 5; filling beyond the last place is pruned, 6 times in each of
the 64 states in which the shelf is full. `emptied` takes 5 states.
"""

from typing import Annotated

from isrcheck import Model, UpTo, action, constant, each, invariant, reachable, require

Place = Annotated[int, UpTo("places - 1")]
Weight = Annotated[int, UpTo(2)]


class Shelf(Model):
    """Each box goes to the place after the last; there is no guard at the end of the shelf."""

    places: int = constant(2, "places on the shelf", at_least=1)

    box: dict[Place, Weight | None] = each(Place, None)
    marked: dict[bool, dict[Place, Annotated[int, UpTo(1)]]] = each(bool, each(Place, 0))
    following: Annotated[int, UpTo("places")] = 0

    @action
    def put(self, weight: Weight, fragile: bool) -> None:
        """A box is put in the next place."""
        self.box[self.following] = weight
        self.marked[fragile][self.following] += 1
        self.following += 1

    @action
    def take(self, place: Place) -> None:
        """A box is taken away; its mark stays."""
        weight = self.box[place]
        require(weight is not None and weight > 0)
        self.box[place] = None

    @invariant
    def nothing_beyond(self) -> bool:
        """Places that were never filled are empty."""
        return all(self.box[p] is None for p in range(self.following, self.places))

    @invariant
    def one_mark_each(self) -> bool:
        """A place has at most one mark."""
        return all(self.marked[True][p] + self.marked[False][p] <= 1 for p in range(self.places))

    @reachable
    def emptied(self) -> bool:
        """Everything was put on the shelf and taken away."""
        return self.following == self.places and all(self.box[p] is None for p in range(self.places))
