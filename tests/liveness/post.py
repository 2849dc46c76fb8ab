"""A model whose sets have slots, and whose fair action has a choice for each of many letters."""

from typing import Annotated, NamedTuple

from isrcheck import Model, Temporal, UpTo, action, leads_to, require, temporal

N = Annotated[int, UpTo(40)]


class Msg(NamedTuple):
    a: N
    b: N


class Post(Model):
    """Letters among 1,681, of which few are ever sent: sets in slots."""

    sent: frozenset[Msg] = frozenset()
    got: frozenset[Msg] = frozenset()
    n: Annotated[int, UpTo(3)] = 0

    @action
    def send(self) -> None:
        require(self.n < 3)
        self.sent |= {Msg(self.n, 7)}
        self.n += 1

    @action(fair="weak")
    def receive(self, m: Msg) -> None:
        require(m in self.sent)
        self.sent -= {m}
        self.got |= {m}

    @action
    def swap(self, m: Msg) -> None:
        require(m in self.got)
        self.got -= {m}
        self.sent |= {m}

    @temporal
    def arrives(self) -> Temporal:
        return all(leads_to(Msg(i, 7) in self.sent, Msg(i, 7) in self.got) for i in range(3))

    @temporal
    def settles(self) -> Temporal:
        return leads_to(self.n == 3, self.sent == frozenset())
