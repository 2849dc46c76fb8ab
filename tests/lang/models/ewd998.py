"""Safra's termination detection, after tlaplus/Examples EWD998PCal.tla: integers below 0, eight initial states."""

from enum import Enum
from typing import Annotated, NamedTuple

from isrcheck import Between, Model, UpTo, action, constant, each, initial, invariant, require

Node = Annotated[int, UpTo("n - 1")]
Sent = Annotated[int, Between("-most", "2")]  # messages sent less those received: the bound of MCEWD998


class Colour(Enum):
    WHITE = "white"
    BLACK = "black"


class Token(NamedTuple):
    q: Annotated[int, Between("-most", "most")]
    colour: Colour


class Ewd998(Model):
    n: int = constant(3, "nodes", at_least=2)
    most: int = constant(20, "how far a counter or a token may be from 0")

    tokens: dict[Node, Token | None] = each(Node, None)
    pl: dict[Node, Annotated[int, UpTo("most")]] = each(Node, 0)
    active: dict[Node, bool] = each(Node, False)
    colour: dict[Node, Colour] = each(Node, Colour.BLACK)
    counter: dict[Node, Sent] = each(Node, 0)

    @initial
    def choose(self, actives: frozenset[Node]) -> None:
        self.active = {i: i in actives for i in range(self.n)}
        self.tokens[0] = Token(0, Colour.BLACK)

    @action
    def send(self, i: Node, to: Node) -> None:
        require(i != to and self.active[i])
        self.pl[to] += 1
        self.counter[i] += 1

    @action
    def receive(self, i: Node) -> None:
        require(self.pl[i] > 0)
        self.counter[i] -= 1
        self.active[i] = True
        self.colour[i] = Colour.BLACK
        self.pl[i] -= 1

    @action
    def deactivate(self, i: Node) -> None:
        self.active[i] = False

    @action
    def pass_token(self, i: Node) -> None:
        require(i != 0 and not self.active[i])
        match self.tokens[i]:
            case Token(q, colour):
                passed = Colour.BLACK if self.colour[i] == Colour.BLACK else colour
                self.tokens[i] = None
                self.tokens[(i + self.n - 1) % self.n] = Token(q + self.counter[i], passed)
            case None:
                require(False)
        self.colour[i] = Colour.WHITE

    @action
    def start_again(self) -> None:
        match self.tokens[0]:
            case Token(q, colour):
                require(self.colour[0] == Colour.BLACK or q + self.counter[0] != 0 or colour == Colour.BLACK)
            case None:
                require(False)
        self.tokens[0] = None
        self.tokens[self.n - 1] = Token(0, Colour.WHITE)
        self.colour[0] = Colour.WHITE

    @invariant
    def detection(self) -> bool:
        """Termination is detected only if nobody is active and nothing is on its way."""
        match self.tokens[0]:
            case Token(q, Colour.WHITE) if q + self.counter[0] == 0 and self.colour[0] == Colour.WHITE:
                return self.active[0] or all(not self.active[i] and self.pl[i] == 0 for i in range(self.n))
            case _:
                return True
