"""Models with messages in flight, for the tests of slots: each does much with sets and maps over records."""

from enum import Enum
from typing import Annotated, NamedTuple, Self

from isrcheck import Model, Record, Sort, Taken, UpTo, action, constant, each, invariant, reachable, require, step
from isrcheck import Network as Bag


class Node(Sort, size="nodes"):
    """One that sends."""


class Kind(Enum):
    ASK = "ask"
    GRANT = "grant"
    DENY = "deny"


Term = Annotated[int, UpTo("terms")]
Count = Annotated[int, UpTo(2)]


class Message(NamedTuple):
    kind: Kind
    term: Term
    source: Node
    dest: Node | None


class Seen(NamedTuple):
    first: Message | None
    nodes: frozenset[Node]


class Network(Model):
    """Requests and answers in one set."""

    nodes: int = constant(2, "nodes", at_least=1)
    terms: int = constant(2, "terms")

    network: frozenset[Message] = frozenset()
    term: dict[Node, Term] = each(Node, 0)
    grants: dict[Node, frozenset[Node]] = each(Node, frozenset())
    last: Message | None = None

    @action
    def ask(self, node: Node) -> None:
        self.term[node] += 1
        self.network |= frozenset(Message(Kind.ASK, self.term[node], node, to) for to in Node if to != node)

    @action
    def answer(self, m: Message) -> None:
        require(m in self.network and m.kind == Kind.ASK and m.dest is not None)
        to = m.dest if m.dest is not None else m.source
        kind = Kind.GRANT if m.term >= self.term[to] else Kind.DENY
        self.network = (self.network - {m}) | {Message(kind, m.term, to, m.source)}
        self.term[to] = max(self.term[to], m.term)
        self.last = m

    @action
    def take(self, node: Node, m: Message) -> None:
        require(m in self.network)
        require(m.kind == Kind.GRANT and m.dest == node)
        self.network -= {m}
        if m.term == self.term[node]:
            self.grants[node] |= {m.source}

    @action
    def lose_all_of(self, kind: Kind) -> None:
        lost = frozenset(m for m in self.network if m.kind == kind)
        require(len(lost) > 1 and lost < self.network)
        self.network -= lost

    @invariant
    def few(self) -> bool:
        return len(self.network) < 4

    @invariant
    def terms_are_known(self) -> bool:
        return all(m.term <= self.term[m.source] for m in self.network if m.kind == Kind.ASK)

    @reachable
    def all_granted(self) -> bool:
        return any(len(self.grants[node]) == self.nodes - 1 for node in Node)

    @reachable
    def denied(self) -> bool:
        return any(
            x.kind == Kind.DENY and y.kind == Kind.GRANT and x.term < y.term for x in self.network for y in self.network
        )

    @step
    def answers_are_sent(self, before: Self, taken: Taken) -> bool:
        was_answered = taken.action == "answer"
        return not was_answered or (taken.m in before.network and taken.m not in self.network and self.last == taken.m)

    @step
    def never_granted(self, before: Self, taken: Taken) -> bool:
        return taken.action != "take" or self.grants[taken.node] == before.grants[taken.node]


class Copies(Model):
    """How many of each message are under way, and what each node has still to take."""

    nodes: int = constant(2, "nodes", at_least=1)
    terms: int = constant(1, "terms")

    copies: dict[Message, Count] = each(Message, 0)
    inbox: dict[Node, frozenset[Message]] = each(Node, frozenset())
    seen: dict[Message, Seen | None] = each(Message, None)
    term: Term = 0
    sent: Count = 0

    @action
    def send(self, source: Node, dest: Node | None) -> None:
        m = Message(Kind.ASK, self.term, source, dest)
        self.copies[m] += 1
        self.sent += 1

    @action
    def deliver(self, node: Node, m: Message) -> None:
        count = self.copies[m]
        require(count > 0)
        require(m.dest is None or m.dest == node)
        self.copies[m] = count - 1
        self.inbox[node] |= {m}

    @action
    def handle(self, node: Node, m: Message) -> None:
        require(m in self.inbox[node])
        old = self.seen[m]
        first = m if old is None else old.first
        nodes = frozenset({node}) if old is None else old.nodes | {node}
        self.seen[m] = Seen(first, nodes)
        self.inbox[node] -= {m}

    @action
    def forget(self, m: Message) -> None:
        known = self.seen[m]
        require(known is not None and len(known.nodes) == self.nodes)
        self.seen[m] = None

    @action
    def tick(self) -> None:
        require(all(len(self.inbox[node]) == 0 for node in Node))
        self.term += 1

    @invariant
    def inboxes_differ(self) -> bool:
        return not any(self.inbox[a] == self.inbox[b] and len(self.inbox[a]) > 1 for a in Node for b in Node if a != b)

    @reachable
    def both_saw(self) -> bool:
        return any(
            self.seen[m] is not None and self.is_seen_by_all(self.seen[m]) for node in Node for m in self.inbox[node]
        )

    def is_seen_by_all(self, known: Seen | None) -> bool:
        return known is not None and len(known.nodes) == self.nodes


class Ask(Record):
    term: Term
    source: Node


class Grant(Record):
    source: Node
    dest: Node
    seen: frozenset[Node]


class Stop(Enum):
    NOW = "now"


Packet = Ask | Grant | Stop


class Packets(Model):
    """Of three types in one set."""

    nodes: int = constant(2, "nodes", at_least=1)
    terms: int = constant(1, "terms")

    in_flight: int = constant(2, "packets at once")

    network: Annotated[frozenset[Packet], UpTo("in_flight")] = frozenset()
    dead: dict[Packet, bool] = each(Packet, False)
    term: dict[Node, Term] = each(Node, 0)

    @action
    def ask(self, node: Node) -> None:
        require(Stop.NOW not in self.network)
        self.term[node] += 1
        self.network |= {Ask(self.term[node], node)}

    @action
    def grant(self, node: Node, m: Packet) -> None:
        require(m in self.network)
        match m:
            case Ask(term, source):
                require(source != node and term > self.term[node])
                self.network = (self.network - {m}) | {Grant(node, source, frozenset({node, source}))}
            case Grant(source, dest, seen):
                require(dest == node and source in seen)
                self.network -= {m}
            case Stop():
                require(len(self.network) == 1)
                self.network = frozenset()

    @action
    def stop(self) -> None:
        self.network |= {Stop.NOW}

    @action
    def lose(self, m: Packet) -> None:
        require(m in self.network and not self.dead[m])
        self.dead[m] = True
        self.network -= {m}

    @action
    def reply(self, m: Grant) -> None:
        require(m in self.network and m.source != m.dest)
        self.network = (self.network - {m}) | {Ask(self.term[m.dest], m.dest)}

    @reachable
    def granted(self) -> bool:
        return any(isinstance(m, Grant) and m.dest != m.source for m in self.network)


class Flights(Model):
    """In a network, with copies."""

    nodes: int = constant(2, "nodes", at_least=1)
    terms: int = constant(1, "terms")
    in_flight: int = constant(2, "packets at once")

    network: Annotated[Bag[Packet], UpTo("in_flight")] = Bag()
    term: dict[Node, Term] = each(Node, 0)

    @action
    def ask(self, node: Node) -> None:
        self.term[node] += 1
        self.network.send_all(Ask(self.term[node], to) for to in Node)

    @action
    def grant(self, node: Node, m: Ask) -> None:
        self.network.receive(m)
        require(m.source != node)
        self.network.send(Grant(node, m.source, frozenset({node})))

    @action
    def copy(self, m: Packet) -> None:
        require(isinstance(m, Grant))
        self.network.duplicate(m)

    @action
    def lose(self, m: Packet) -> None:
        self.network.drop(m)

    @reachable
    def two_grants(self) -> bool:
        return len(self.network) == 2 and all(isinstance(m, Grant) for m in self.network)

    @reachable
    def twice(self) -> bool:
        return any(self.network.count(m) > 1 for m in self.network)


class Peer(Sort, size="2", symmetric=True):
    """One of two that are alike."""


class Hello(NamedTuple):
    source: Peer
    dest: Peer | None
    seen: frozenset[Peer]


class Gossip(Model):
    """Of peers that are alike."""

    network: frozenset[Hello] = frozenset()
    heard: dict[Hello, bool] = each(Hello, False)

    @action
    def greet(self, source: Peer, dest: Peer | None) -> None:
        require(len(self.network) < 2)
        self.network |= {Hello(source, dest, frozenset({source}))}

    @action
    def hear(self, peer: Peer, m: Hello) -> None:
        require(m in self.network and m.dest != peer and len(m.seen) < 2)
        self.heard[m] = True
        self.network = (self.network - {m}) | {Hello(peer, m.dest, m.seen | {peer})}


class Parcels(Model):
    """The first of all messages is in flight like any other."""

    nodes: int = constant(2, "nodes", at_least=1)
    terms: int = constant(1, "terms")

    network: frozenset[Message] = frozenset()

    @action
    def send(self, source: Node) -> None:
        self.network |= {Message(Kind.ASK, 0, source, None)}

    @action
    def take(self, m: Message) -> None:
        require(m in self.network)
        self.network -= {m}

    @step
    def stays(self, before: Self, taken: Taken) -> bool:
        return taken.action != "take" or taken.m in before.network

    @step
    def goes(self, before: Self, taken: Taken) -> bool:
        return taken.action != "take" or taken.m in self.network


Grade = Annotated[int, UpTo(20)]


class Ballot(Record):
    first: Grade
    second: Grade
    third: Grade


class Abstention(Record):
    late: bool


class Ballots(Model):
    """A set in slots holds records; the value asked about may be a record of another class."""

    cast: frozenset[Ballot] = frozenset()
    last: Ballot | Abstention = Abstention(False)

    @action
    def put(self) -> None:
        require(len(self.cast) == 0)
        self.cast |= {Ballot(1, 2, 3)}

    @action
    def name(self, late: bool) -> None:
        self.last = Abstention(True) if late else Ballot(1, 2, 3)

    @invariant
    def absent(self) -> bool:
        return self.last not in self.cast


class Disk(Sort, size="disks"):
    """Disks, of which there may be none."""


class Shelves(Model):
    """Maps in slots with an initial value that other constants make impossible."""

    disks: int = constant(1, "disks")
    most: int = constant(2, "the greatest count")
    at: dict[Ballot, Disk] = each(Ballot, Disk[0])
    count: dict[Ballot, Annotated[int, UpTo("most")]] = each(Ballot, 2)

    @action
    def put(self, b: Ballot) -> None:
        require(b == Ballot(0, 0, 0))
        self.count[b] = 0
