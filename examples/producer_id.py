"""How transactional producers get their ids: after stage 1 of kafka_transactions.tla in Vanlightly/kafka-tlaplus."""

from enum import Enum
from typing import Annotated

from isrcheck import (
    Drawing,
    Model,
    Network,
    Record,
    Sort,
    UpTo,
    action,
    arrow,
    constant,
    each,
    invariant,
    lane,
    note,
    reachable,
    require,
)


class Client(Sort, size="clients"):
    """A producer."""


class Broker(Sort, size="brokers"):
    """b0 leads the partition of the transaction log, and so is the coordinator; clients ask any."""


class TransactionalId(Sort, size="transactional_ids"):
    """The name under which producers share an id."""


class State(Enum):
    READY = "ready"
    ASKING = "asking"
    HAS_ID = "has-id"


class Error(Enum):
    NOT_COORDINATOR = "not-coordinator"
    CONCURRENT_TRANSACTIONS = "concurrent-transactions"


ProducerId = Annotated[int, UpTo("transactional_ids")]
Epoch = Annotated[int, UpTo("clients")]  # 0 before the first


class Producer(Record):
    """What a client knows of itself."""

    state: State
    name: TransactionalId | None
    id: ProducerId
    epoch: Epoch
    refused: Error | None


class InitProducerId(Record):
    source: Client
    to: Broker
    name: TransactionalId


class Granted(Record):
    source: Broker
    to: Client
    id: ProducerId
    epoch: Epoch


class Refused(Record):
    source: Broker
    to: Client
    error: Error


Message = InitProducerId | Granted | Refused


class Metadata(Record):
    """Of a transactional id, as the coordinator has it."""

    id: ProducerId
    epoch: Epoch


class Entry(Record):
    """In the transaction log: who is answered once it is committed, and what then holds."""

    client: Client
    name: TransactionalId
    metadata: Metadata


class InitProducerIds(Model):
    """The coordinator writes a higher epoch to the transaction log, and answers when that is committed."""

    clients: int = constant(3, "producers", at_least=1)
    brokers: int = constant(2, "brokers", at_least=1)
    transactional_ids: int = constant(1, "transactional ids", at_least=1)

    network: Annotated[Network[Message], UpTo("clients")] = Network()
    producer: dict[Client, Producer] = each(Client, Producer(State.READY, None, 0, 0, None))
    known: dict[TransactionalId, Metadata | None] = each(TransactionalId, None)
    pending: dict[TransactionalId, Metadata | None] = each(TransactionalId, None)  # written, and not committed
    log: Annotated[tuple[Entry, ...], UpTo("clients")] = ()
    hw: Annotated[int, UpTo("clients")] = 0

    drawing = Drawing(
        lane(each="producer"),
        lane("b0"),
        lane("b1"),
        note("producer", "producer"),
        arrow("ask", "client", "broker", "InitProducerId", leaves=True),
        arrow("answer", "request.source", "request.to", "InitProducerId", sent="network[request]"),
        arrow("learn", "grant.source", "grant.to", "id {grant.id}, epoch {grant.epoch}", sent="network[grant]"),
        arrow("ask_later", "refusal.source", "refusal.to", "{refusal.error}", sent="network[refusal]"),
    )

    @action
    def ask(self, client: Client, broker: Broker, name: TransactionalId) -> None:
        """Whom it finds as coordinator is not modelled: it asks any broker."""
        own = self.producer[client]
        require(own.state == State.READY)
        require(own.name is None or own.name == name)
        self.network.send(InitProducerId(client, broker, name))
        self.producer[client] = own._replace(state=State.ASKING, name=name)

    @action
    def answer(self, request: InitProducerId) -> None:
        """One change of a transactional id at a time."""
        self.network.receive(request)
        if request.to != Broker[0]:
            self.network.send(Refused(request.to, request.source, Error.NOT_COORDINATOR))
        elif self.pending[request.name] is not None:
            self.network.send(Refused(request.to, request.source, Error.CONCURRENT_TRANSACTIONS))
        else:
            old = self.known[request.name]
            now = old if old is not None else Metadata(self.next_id(), 0)
            raised = now._replace(epoch=now.epoch + 1)
            self.known[request.name] = now
            self.pending[request.name] = raised
            self.log += (Entry(request.source, request.name, raised),)

    @action(internal=True)
    def commit(self) -> None:
        require(self.hw < len(self.log))
        entry = self.log[self.hw]
        self.hw += 1
        self.known[entry.name], self.pending[entry.name] = entry.metadata, None
        self.network.send(Granted(Broker[0], entry.client, entry.metadata.id, entry.metadata.epoch))

    @action
    def learn(self, grant: Granted) -> None:
        self.network.receive(grant)
        own = self.producer[grant.to]
        self.producer[grant.to] = own._replace(state=State.HAS_ID, id=grant.id, epoch=grant.epoch)

    @action
    def ask_later(self, refusal: Refused) -> None:
        self.network.receive(refusal)
        own = self.producer[refusal.to]
        self.producer[refusal.to] = own._replace(state=State.READY, refused=refusal.error)

    @invariant
    def one_producer_an_epoch(self) -> bool:
        """No two producers have the same id in the same epoch."""
        return not any(
            a != b and self.has_id(a) and self.has_id(b) and self.producer[a].id == self.producer[b].id
            for a in Client
            for b in Client
            if self.producer[a].epoch == self.producer[b].epoch
        )

    @invariant
    def one_id_a_name(self) -> bool:
        """Producers with the same transactional id have the same producer id."""
        return all(
            self.producer[a].id == self.producer[b].id
            for a in Client
            for b in Client
            if self.has_id(a) and self.has_id(b) and self.producer[a].name == self.producer[b].name
        )

    @reachable
    def two_at_once(self) -> bool:
        """A producer is told that the id is being changed for another."""
        return any(self.producer[client].refused == Error.CONCURRENT_TRANSACTIONS for client in Client)

    @reachable
    def all_have_ids(self) -> bool:
        return all(self.has_id(client) for client in Client)

    def has_id(self, client: Client) -> bool:
        return self.producer[client].state == State.HAS_ID

    def next_id(self) -> ProducerId:
        return sum(1 for name in TransactionalId if self.known[name] is not None) + 1
