"""Two small variants whose environment fills a tank, and whose pump empties it by itself."""

from typing import Annotated, Self

from isrcheck import Model, Sort, UpTo, action, constant, each, invariant, policy, reachable, require, step

Level = Annotated[int, UpTo("high")]


class Tank(Sort, size="tanks"):
    """Something to fill."""


class Pump(Model):
    """Whoever is full must not be filled; the pump may run at any time."""

    tanks: int = constant(2, "tanks", at_least=1)
    high: int = constant(2, "how much a tank holds", at_least=1)

    level: dict[Tank, Level] = each(Tank, 0)
    spilled: bool = False
    last: Tank | None = None

    @policy
    def may_fill(self, tank: Tank) -> bool:
        """Whether a tank takes more."""
        raise NotImplementedError

    @action
    def tank_is_filled(self, tank: Tank) -> None:
        """Rain."""
        require(self.last != tank)
        require(self.may_fill(tank))
        self.spilled = self.spilled or self.level[tank] == self.high
        self.level[tank] = min(self.level[tank] + 1, self.high)
        self.last = tank

    @action
    def tank_is_emptied(self, tank: Tank, all_of_it: bool) -> None:
        """Somebody drinks."""
        require(self.level[tank] > 0)
        self.level[tank] = 0 if all_of_it else self.level[tank] - 1
        self.last = None

    @action(internal=True)
    def pump_runs(self, source: Tank, target: Tank) -> None:
        """The pump moves water to where there is less."""
        require(self.level[target] < self.level[source])
        self.level[source] -= 1
        self.level[target] += 1

    @invariant
    def nothing_spills(self) -> bool:
        """No water is lost."""
        return not self.spilled

    @invariant
    def never_both_full(self) -> bool:
        """Some tank has room."""
        return any(self.level[t] < self.high for t in Tank)

    @step
    def one_at_a_time(self, before: Self) -> bool:
        """A tank never loses more than one."""
        return all(self.level[t] + 1 >= before.level[t] for t in Tank)

    @reachable
    def gets_full(self) -> bool:
        """Some tank is full."""
        return any(self.level[t] == self.high for t in Tank)


class Careful(Pump):
    """Looks before it fills."""

    def may_fill(self, tank: Tank) -> bool:
        """Only with room."""
        return self.level[tank] < self.high


class Careless(Pump):
    """Fills whatever there is."""

    def may_fill(self, tank: Tank) -> bool:
        """Always."""
        return True
