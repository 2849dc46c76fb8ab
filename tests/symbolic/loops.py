"""A model of which an action sends to members that another variable chooses."""

from typing import Annotated

from isrcheck import Channels, Model, Record, Sort, UpTo, action, constant, each, invariant


class Node(Sort, size="nodes"):
    """A member."""


class Beat(Record):
    strong: bool


class Sending(Model):
    nodes: int = constant(2, "members", at_least=1)
    links: Annotated[Channels[Node, Beat], UpTo(1)] = Channels()
    on: dict[Node, bool] = each(Node, False)

    @action
    def arm(self, x: Node) -> None:
        self.on[x] = True

    @action
    def cast(self) -> None:
        self.links.send_all((x for x in Node if self.on[x]), Beat(strong=True))

    @invariant
    def nothing_sent(self) -> bool:
        return all(len(self.links[x]) == 0 for x in Node)
