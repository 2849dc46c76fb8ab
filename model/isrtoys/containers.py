"""Toys that hold things.

`Queue` is bounded: 7 queues of at most 2 things in 2 colours, and 3 values of what was taken last, 21 states; each of
the 12 with a full queue prunes 2 steps. `Shelf` is a map under bounded integers, which a step may leave at the far end:
that is pruned, 6 times in each of the 64 states in which the shelf is full. `Yard` has sequences inside records, and
couples wagons to a train that is too long for one.
"""

from enum import Enum
from typing import Annotated, NamedTuple, Self

from isrcheck import Model, UpTo, action, constant, each, invariant, reachable, require, step


class Colour(Enum):
    RED = 1
    BLUE = 2


class Queue(Model):
    """First in, first out; no guard says that it may be full."""

    capacity: int = constant(2, "things that the queue holds")

    queue: Annotated[tuple[Colour, ...], UpTo("capacity")] = ()
    last: Colour | None = None

    @action
    def put(self, colour: Colour) -> None:
        self.queue += (colour,)

    @action
    def take(self) -> None:
        require(len(self.queue) > 0)
        self.last = self.queue[0]
        self.queue = self.queue[1:]

    @invariant
    def never_too_long(self) -> bool:
        """The queue keeps to its capacity."""
        return len(self.queue) <= self.capacity

    @step
    def order_is_kept(self, before: Self) -> bool:
        """Either the oldest left, or the newest arrived."""
        return self.queue == before.queue[1:] or self.queue[: len(before.queue)] == before.queue

    @reachable
    def full_of_red(self) -> bool:
        """There can be as many red things as there is room for."""
        return len(self.queue) == self.capacity and Colour.BLUE not in self.queue and Colour.RED in self.queue

    @reachable
    def newest_is_like_the_last(self) -> bool:
        """The newest thing has the colour of the one taken last."""
        return self.newest() is not None and self.newest() == self.last

    def newest(self) -> Colour | None:
        if len(self.queue) == 0:
            return None
        return self.queue[-1]


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


class Cargo(Enum):
    COAL = 1
    SALT = 2


class Track(Enum):
    UPPER = 1
    LOWER = 2


Wagons = Annotated[tuple[Cargo, ...], UpTo("wagons")]


class Train(NamedTuple):
    wagons: Wagons
    home: Track


class Yard(Model):
    """Wagons are loaded on two tracks and coupled to one train."""

    wagons: int = constant(2, "wagons on a track, and in a train", at_least=1)

    track: dict[Track, Wagons] = each(Track, ())
    train: Train | None = None

    @action
    def load(self, track: Track, cargo: Cargo) -> None:
        """A wagon is loaded at the end of a track."""
        self.track[track] += (cargo,)

    @action
    def begin(self, track: Track) -> None:
        """The wagons that wait on a track become a train."""
        require(self.train is None and len(self.track[track]) > 0)
        self.train = Train(home=track, wagons=self.track[track])
        self.track[track] = ()

    @action
    def couple(self, track: Track) -> None:
        """The wagons of the other track are coupled to the train."""
        train = self.train
        require(train is not None and train.home != track and len(self.track[track]) > 0)
        if train is not None:
            self.train = train._replace(wagons=train.wagons + self.track[track])
            self.track[track] = ()

    @action
    def depart(self) -> None:
        require(self.train is not None)
        self.train = None

    @invariant
    def no_empty_train(self) -> bool:
        """A train has wagons."""
        return self.train is None or len(self.train.wagons) > 0

    @invariant
    def no_salt_behind_coal(self) -> bool:
        """Salt is not pulled behind coal."""
        return self.train is None or not any(
            self.train.wagons[i : i + 2] == (Cargo.COAL, Cargo.SALT) for i in range(self.wagons)
        )

    @step
    def trains_keep_their_head(self, before: Self) -> bool:
        """A train that stays keeps its first wagon."""
        return before.train is None or self.train is None or before.train.wagons[0] == self.train.wagons[0]

    @reachable
    def all_salt(self) -> bool:
        """A train as long as may be carries only salt."""
        return self.train is not None and self.load_of(Cargo.SALT) == self.wagons

    def load_of(self, cargo: Cargo) -> int:
        train = self.train
        if train is None:
            return 0
        return len(tuple(c for c in train.wagons if c == cargo))
