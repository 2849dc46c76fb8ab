"""Traffic lights at a crossing: one decision as a policy, and two ways to take it."""

from enum import Enum

from isrcheck import Model, action, constant, each, invariant, members, policy, reachable, require


class Road(Enum):
    NORTH = "north"
    EAST = "east"
    FOOTPATH = "footpath"


class Light(Enum):
    RED = "red"
    GREEN = "green"


class Mode(Enum):
    ATTENDED = "attended"
    BLINKING = "blinking"


class Crossing(Model):
    """Each road has a light; a policy says when a light may turn green."""

    mode: Mode = constant(Mode.ATTENDED, "who looks after the lights")
    footpath_open: bool = constant(True, "whether anybody may walk")

    light: dict[Road, Light] = each(Road, Light.RED)
    waiting: frozenset[Road] = members(Road)

    @policy
    def may_turn_green(self, road: Road) -> bool:
        """Whether a road where somebody waits may go now."""
        raise NotImplementedError

    @action
    def arrive(self, road: Road) -> None:
        """Somebody comes to a red light."""
        require(road not in self.waiting and self.light[road] == Light.RED)
        require(self.footpath_open or road != Road.FOOTPATH)
        self.waiting |= {road}

    @action
    def turn_green(self, road: Road) -> None:
        """A road goes."""
        require(road in self.waiting)
        require(self.mode == Mode.ATTENDED)
        require(self.may_turn_green(road))
        self.light[road] = Light.GREEN
        self.waiting -= {road}

    @action
    def turn_red(self, road: Road) -> None:
        """A road has gone."""
        require(self.light[road] == Light.GREEN)
        self.light[road] = Light.RED

    @invariant
    def one_at_a_time(self) -> bool:
        """At most one road has a green light."""
        return sum(1 for road in Road if self.light[road] == Light.GREEN) <= 1

    @invariant
    def nobody_waits_at_green(self) -> bool:
        """A road on which somebody waits has a red light."""
        return all(self.light[road] == Light.RED for road in self.waiting)

    @invariant
    def walkers_alone_wait(self) -> bool:
        """Nobody waits at a closed footpath."""
        if self.footpath_open:
            return True
        elif self.light[Road.FOOTPATH] == Light.GREEN:
            return False
        else:
            return self.waiting <= {Road.NORTH, Road.EAST}

    @reachable
    def people_walk(self) -> bool:
        """The footpath goes."""
        return self.light[Road.FOOTPATH] == Light.GREEN


class Careful(Crossing):
    """All lights must be red first."""

    def may_turn_green(self, road: Road) -> bool:
        """Nobody else goes."""
        return all(self.light[r] == Light.RED for r in Road)


class Careless(Crossing):
    """A road looks at its own light; and somebody counts, up to a limit of its own."""

    patience: int = constant(1, "times that a light is turned off for good")

    broken: Road | None = None

    def may_turn_green(self, road: Road) -> bool:
        """The road itself does not go, and its light works."""
        return self.light[road] == Light.RED and self.works(road)

    @action
    def break_down(self, road: Road) -> None:
        """A light that is red stays so for good."""
        require(self.patience > 0 and self.broken is None)
        require(self.light[road] == Light.RED)
        self.broken = road

    @invariant
    def broken_is_red(self) -> bool:
        """A broken light is red."""
        return self.broken is None or self.light[self.broken] == Light.RED

    @reachable
    def jam(self) -> bool:
        """Somebody waits at a broken light while all others go."""
        return self.broken in self.waiting and all(self.light[r] == Light.GREEN for r in Road if r != self.broken)

    def works(self, road: Road) -> bool:
        return road != self.broken
