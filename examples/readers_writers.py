"""Readers and writers who are served in the order in which they asked: after ReadersWriters.tla of tlaplus/Examples."""

from typing import Annotated

from isrcheck import Model, Record, Sort, UpTo, action, constant, invariant, reachable, require


class Actor(Sort, size="actors", symmetric=True):
    """Who reads and writes."""


class Read(Record):
    actor: Actor


class Write(Record):
    actor: Actor


Request = Read | Write


class ReadersWriters(Model):
    """One queue for all requests, so that nobody waits for ever."""

    actors: int = constant(3, "actors", at_least=1)

    readers: frozenset[Actor] = frozenset()
    writers: frozenset[Actor] = frozenset()
    waiting: Annotated[tuple[Request, ...], UpTo("2 * actors")] = ()

    @action
    def ask(self, request: Request) -> None:
        require(request not in self.waiting)
        self.waiting += (request,)

    @action
    def begin(self) -> None:
        require(len(self.waiting) > 0 and self.writers == frozenset())
        match self.waiting[0]:
            case Read(actor):
                self.readers |= {actor}
            case Write(actor):
                require(self.readers == frozenset())
                self.writers |= {actor}
        self.waiting = self.waiting[1:]

    @action
    def end(self, actor: Actor) -> None:
        require(actor in self.readers | self.writers)
        self.readers -= {actor}
        self.writers -= {actor}

    @invariant
    def nobody_reads_what_is_being_written(self) -> bool:
        return self.readers == frozenset() or self.writers == frozenset()

    @invariant
    def one_writer_at_most(self) -> bool:
        return len(self.writers) <= 1

    @reachable
    def all_read_at_once(self) -> bool:
        return self.readers == frozenset(Actor)
