"""A producer that appends for ever, and canonical forms of it that are right and wrong."""

from typing import Annotated, Self

from isrcheck import (
    Model,
    Sort,
    Temporal,
    UpTo,
    action,
    always_eventually,
    canonical,
    constant,
    each,
    eventually_always,
    initial,
    invariant,
    leads_to,
    require,
    step,
    temporal,
)

Offset = Annotated[int, UpTo("most")]


class Reader(Sort, size="readers"):
    """Who reads the log."""


class Producer(Model):
    """A log that several read, at most `window` records behind."""

    most: int = constant(5, "the largest offset")
    window: int = constant(2, "how far a reader may be behind")
    readers: int = constant(1, "how many read", at_least=1)
    end: Offset = 0
    read: dict[Reader, Offset] = each(Reader, 0)

    @action
    def append(self) -> None:
        require(all(self.end - self.read[r] < self.window for r in Reader))
        self.end += 1

    @action(fair="weak")
    def take(self, r: Reader) -> None:
        require(self.read[r] < self.end)
        self.read[r] += 1

    @invariant
    def behind(self) -> bool:
        return all(self.read[r] <= self.end for r in Reader)

    @temporal
    def someone_is_late(self) -> Temporal:
        return always_eventually(any(self.read[r] < self.end for r in Reader))

    @temporal
    def all_is_read(self) -> Temporal:
        return all(leads_to(self.read[r] < self.end, self.read[r] == self.end) for r in Reader)


class Endless(Producer):
    """Offsets begin at what the last reader has."""

    @canonical
    def renumber(self) -> None:
        least = min((self.read[r] for r in Reader), default=self.end)
        self.end -= least
        self.read = {r: self.read[r] - least for r in Reader}


class FairAppend(Endless):
    """A property that bounds alone would make undetermined."""

    @temporal
    def settles(self) -> Temporal:
        """Nobody is late from some time on."""
        return eventually_always(all(self.read[r] == self.end for r in Reader))


class Begun(Endless):
    """Several initial states, of which some have one canonical form."""

    @initial
    def begin(self, at: Offset) -> None:
        self.end = at
        self.read = {r: at for r in Reader}


class BegunAtThree(Model):
    """It begins in a state that is not its own form."""

    n: Annotated[int, UpTo(3)] = 3

    @action
    def go_on(self) -> None:
        self.n += 1

    @canonical
    def renumber(self) -> None:
        self.n = 0


class ForgetsHowFar(Producer):
    """Its form has nothing to take."""

    @canonical
    def renumber(self) -> None:
        self.end = 0
        self.read = {r: 0 for r in Reader}


class NotIdempotent(Model):
    """A form that has another form, and nothing happens in any of them."""

    end: Annotated[int, UpTo(3)] = 0

    @action
    def finish(self) -> None:
        require(self.end == 0)
        self.end = 3

    @invariant
    def inside(self) -> bool:
        return self.end <= 3

    @canonical
    def renumber(self) -> None:
        if self.end > 1:
            self.end -= 1


class LeadsElsewhere(Model):
    """A form of which nothing but where it leads is another."""

    end: Annotated[int, UpTo(1)] = 0
    copied: Annotated[int, UpTo(1)] = 0

    @action
    def turn(self) -> None:
        self.end = 1 - self.end

    @action
    def copy(self) -> None:
        self.copied = self.end

    @canonical
    def renumber(self) -> None:
        if self.copied == 0:
            self.end = 0


class LaterOnly(Endless):
    """What two steps from a form does is another thing than what its form does."""

    @action
    def finish(self) -> None:
        """At the third record, in the model that counts them; in the forms there are two at most."""
        require(self.end >= 3)
        self.end = self.end


class Seen(Endless):
    """A property that tells a state from its form."""

    @invariant
    def short(self) -> bool:
        return self.end < 4


class SeenForEver(Endless):
    """A temporal property that does."""

    @temporal
    def grows(self) -> Temporal:
        return always_eventually(self.end == 3)


class Hidden(Model):
    """A step that its form does not show."""

    n: Annotated[int, UpTo(3)] = 0
    flag: bool = False

    @action
    def count(self) -> None:
        self.n += 1

    @action
    def turn(self) -> None:
        self.flag = not self.flag

    @invariant
    def small(self) -> bool:
        return self.n <= 3

    @temporal
    def turned(self) -> Temporal:
        return always_eventually(self.flag)

    @canonical
    def renumber(self) -> None:
        self.n = 0


class Above(Producer):
    """Its form leaves a bound."""

    @canonical
    def renumber(self) -> None:
        if self.end > 1:
            self.end = self.end + self.most


class Stepped(Endless):
    """A step property."""

    @step
    def grows(self, before: Self) -> bool:
        return self.end >= before.end


class Idle(Producer):
    """Nothing is renumbered unless asked for."""

    counted: bool = constant(False, "from the least")

    @canonical
    def renumber(self) -> None:
        if self.counted:
            least = min((self.read[r] for r in Reader), default=self.end)
            self.end -= least
            self.read = {r: self.read[r] - least for r in Reader}

    @step
    def grows(self, before: Self) -> bool:
        return self.end >= before.end
