"""When has all work on a ring ended? Safra's answer (EWD 998): after EWD998PCal.tla of tlaplus/Examples."""

from enum import Enum
from typing import Annotated

from isrcheck import (
    Between,
    Model,
    Network,
    Record,
    UpTo,
    action,
    constant,
    constraint,
    each,
    initial,
    invariant,
    reachable,
    require,
)

Node = Annotated[int, UpTo("nodes - 1")]
Difference = Annotated[int, Between("-reach", "reach")]  # of sent and received messages


class Colour(Enum):
    WHITE = "white"
    BLACK = "black"  # has received a message since the token left


class Token(Record):
    at: Node
    difference: Difference  # of all nodes that the token has visited
    colour: Colour


class Work(Record):
    """A message that wakes up who receives it."""

    to: Node


class Termination(Model):
    """A token goes around the ring, against the order of the nodes, and counts what was sent and not received."""

    nodes: int = constant(3, "nodes on the ring", at_least=2)
    reach: int = constant(12, "how far a difference may be from 0")
    in_flight: int = constant(9, "messages on their way")

    network: Annotated[Network[Work], UpTo("in_flight")] = Network()
    active: dict[Node, bool] = each(Node, False)
    colour: dict[Node, Colour] = each(Node, Colour.BLACK)
    difference: dict[Node, Difference] = each(Node, 0)
    token: Token = Token(0, 0, Colour.BLACK)

    @initial
    def any_may_be_active(self, active: frozenset[Node]) -> None:
        self.active = {node: node in active for node in range(self.nodes)}

    @action
    def send(self, node: Node, to: Node) -> None:
        require(self.active[node] and node != to)
        self.network.send(Work(to))
        self.difference[node] += 1

    @action
    def receive(self, work: Work) -> None:
        self.network.receive(work)
        self.difference[work.to] -= 1
        self.active[work.to] = True
        self.colour[work.to] = Colour.BLACK

    @action
    def rest(self, node: Node) -> None:
        self.active[node] = False

    @action
    def pass_token(self) -> None:
        at, so_far, colour = self.token.at, self.token.difference, self.token.colour
        require(at != 0 and not self.active[at])
        new_colour = Colour.BLACK if self.colour[at] == Colour.BLACK else colour
        self.token = Token(at - 1, so_far + self.difference[at], new_colour)
        self.colour[at] = Colour.WHITE

    @action
    def ask_again(self) -> None:
        require(self.token.at == 0)
        require(self.colour[0] == Colour.BLACK or self.token.colour == Colour.BLACK or not self.is_even())
        self.token = Token(self.nodes - 1, 0, Colour.WHITE)
        self.colour[0] = Colour.WHITE

    @constraint
    def few_messages(self) -> bool:
        """No node has sent three more than it received."""
        return all(self.difference[node] < 3 for node in range(self.nodes))

    @invariant
    def detected_only_when_over(self) -> bool:
        """Node 0 detects the end only if no node is active and no message is on its way."""
        return not self.is_detected() or (not any(self.active[n] for n in range(self.nodes)) and len(self.network) == 0)

    @reachable
    def end_is_detected(self) -> bool:
        return self.is_detected()

    def is_even(self) -> bool:
        """All that was sent was received, as far as the token and node 0 know."""
        return self.token.difference + self.difference[0] == 0

    def is_detected(self) -> bool:
        return (
            self.token.at == 0
            and self.token.colour == Colour.WHITE
            and self.colour[0] == Colour.WHITE
            and not self.active[0]
            and self.is_even()
        )
