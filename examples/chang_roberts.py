"""Election on a ring, by Chang and Roberts: after ChangRoberts.tla of tlaplus/Examples, which Merz wrote."""

from enum import Enum
from typing import Annotated

from isrcheck import Model, UpTo, action, constant, each, initial, invariant, reachable, require

Node = Annotated[int, UpTo("nodes - 1")]  # a place on the ring, which is also the identity


class State(Enum):
    CANDIDATE = "candidate"
    LOST = "lost"
    WON = "won"


class ChangRoberts(Model):
    """The nodes that want to be elected send their identity around the ring; the smallest comes back."""

    nodes: int = constant(3, "nodes", at_least=1)

    wants: dict[Node, bool] = each(Node, False)
    started: dict[Node, bool] = each(Node, False)
    state: dict[Node, State] = each(Node, State.LOST)
    inbox: dict[Node, frozenset[Node]] = each(Node, frozenset())

    @initial
    def any_may_want(self, candidates: frozenset[Node]) -> None:
        self.wants = {node: node in candidates for node in range(self.nodes)}
        self.state = {node: State.CANDIDATE if node in candidates else State.LOST for node in range(self.nodes)}

    @action
    def begin(self, node: Node) -> None:
        require(not self.started[node])
        self.started[node] = True
        if self.wants[node]:
            self.send(node, node)

    @action
    def receive(self, node: Node, identity: Node) -> None:
        require(self.started[node] and identity in self.inbox[node])
        self.inbox[node] -= {identity}
        if self.state[node] == State.LOST:
            self.send(node, identity)
        elif identity < node:
            self.state[node] = State.LOST
            self.send(node, identity)
        elif identity == node:
            self.state[node] = State.WON

    @invariant
    def smallest_candidate_wins(self) -> bool:
        """Who won is the smallest of those who wanted to, and all others know that they lost."""
        return all(
            self.wants[winner]
            and all(self.state[node] == State.LOST for node in range(self.nodes) if node != winner)
            and not any(self.wants[node] for node in range(winner))
            for winner in range(self.nodes)
            if self.state[winner] == State.WON
        )

    @reachable
    def somebody_wins(self) -> bool:
        return any(self.state[node] == State.WON for node in range(self.nodes))

    def send(self, node: Node, identity: Node) -> None:
        """To the next on the ring."""
        self.inbox[(node + 1) % self.nodes] |= {identity}
