"""A train put together in a yard: sequences inside records, and a sequence that is too long inside one.

Known, at the defaults: 637 distinct, 1,821 generated, depth 8. Loading a full track, and coupling more wagons than a
train may have, is pruned 1,904 times. `no_salt_behind_coal` breaks in 4 states.
"""

from enum import Enum
from typing import Annotated, NamedTuple, Self

from isrcheck import Model, UpTo, action, constant, each, invariant, reachable, require, step


class Cargo(Enum):
    """What a wagon carries."""

    COAL = 1
    SALT = 2


class Track(Enum):
    """Where wagons wait."""

    UPPER = 1
    LOWER = 2


Wagons = Annotated[tuple[Cargo, ...], UpTo("wagons")]


class Train(NamedTuple):
    """What leaves the yard, and from where it was begun."""

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
        """What waits on a track becomes a train."""
        require(self.train is None and len(self.track[track]) > 0)
        self.train = Train(home=track, wagons=self.track[track])
        self.track[track] = ()

    @action
    def couple(self, track: Track) -> None:
        """What waits on the other track is coupled to the train."""
        train = self.train
        require(train is not None and train.home != track and len(self.track[track]) > 0)
        if train is not None:
            self.train = train._replace(wagons=train.wagons + self.track[track])
            self.track[track] = ()

    @action
    def depart(self) -> None:
        """The train leaves."""
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
        """How many wagons of the train carry this."""
        train = self.train
        if train is None:
            return 0
        return len(tuple(c for c in train.wagons if c == cargo))
