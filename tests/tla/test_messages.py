"""Golden texts: networks as bags, channels, unions, members by number, constraints, and what a model refines."""

import json
from enum import Enum
from pathlib import Path
from typing import Annotated

import pytest
from tests.lang.models.channels import Lossy, Ordered, Permits
from tests.lang.models.networks import Asking

from isrcheck import Model, Network, Record, Sort, UpTo, action, constant, initial, members, refines, require
from isrcheck.catalogue import find_model
from isrcheck.errors import ModelError, UsageError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.tla.export import to_tla
from isrcheck.tla.traces import read_tlc_trace


def files(model: type[Model] | str) -> dict[str, str]:
    cls = find_model(model) if isinstance(model, str) else model
    return to_tla(bind(read_model(cls), {})).files


@pytest.mark.parametrize(
    "text",
    [
        "EXTENDS Integers, Sequences, FiniteSets, Bags\n",
        "/\\ IsABag(network)\n    /\\ BagToSet(network) \\subseteq Ask_ \\cup Over \\cup Reply\n",
        "Init == network = EmptyBag /\\",
        '                SetToBag({[type |-> "Ask", to |-> n, number |-> number] :\n',
        "/\\ BagIn(m, network)\n    /\\ network' = network (-) SetToBag({m})\n",
        '\\/ \\E m \\in {a \\in BagToSet(network) : a.type = "Ask"} : Answer(m)\n',
        "\\/ \\E m \\in BagToSet(network) : Lose(m)\n",
        '/\\ CopiesIn([type |-> "Over"], network) = 2\n',
        "/\\ BagCardinality(network) < 2\n",
    ],
)
def test_a_network_is_a_bag(text: str) -> None:
    assert text in files(Asking)["Asking.tla"]


def test_the_bound_of_a_network_is_its_size() -> None:
    within = files(Asking)["MCAsking.tla"]
    assert "    /\\ BagCardinality(network) <= InFlight\n    /\\ \\A m \\in BagToSet(network) :\n" in within


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (Ordered, "    /\\ links \\in [[source: Node, target: Node] -> Seq(Done \\cup Put)]\n"),
        (Ordered, "links' = [channel \\in DOMAIN links |->\n"),
        (Ordered, "    IN  /\\ 0 < Len(links[link])\n"),
        (Ordered, "    /\\ links' = [links EXCEPT ![link] = <<>>]\n"),
        (Lossy, "colours' = [colours EXCEPT ![colour] = Prefix(@, place) \\o Suffix(@, place + 1)]\n"),
        (Lossy, 'colours\' = [colours EXCEPT !["green"] = Prefix(@, 1) \\o @]\n'),
        (Permits, "held' = held (+) SetToBag({colour})"),
    ],
)
def test_channels_are_sequences(model: type[Model], text: str) -> None:
    assert text in files(model)[f"{model.__name__}.tla"]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (
            "TwoPhase.tla",
            'Decision == {[type |-> "Decision", name |-> "commit"], [type |-> "Decision", name |-> "abort"]}',
        ),
        (
            "TwoPhase.tla",
            '    \\/ \\E rm \\in RM, decision \\in {d \\in sent : d.type = "Decision"} : Obey(rm, decision)\n',
        ),
        ("TransactionCommit.tla", "TypeOk == state \\in [RM -> RMState]\n"),
        ("MCTwoPhase.tla", "AbstractTransactionCommit == INSTANCE TransactionCommit\n\n(* Who sees only"),
        ("MCTwoPhase.tla", "Commits == AbstractTransactionCommit!Spec\n"),
        ("MCTwoPhase.cfg", "PROPERTIES\n    Commits\n"),
    ],
)
def test_what_a_model_refines_is_an_instance(file: str, text: str) -> None:
    assert text in files("examples/two_phase.py:TwoPhase")[file]


def test_a_mapping_is_substituted() -> None:
    found = files("examples/voting.py:Voting")["MCVoting.tla"]
    assert "INSTANCE Consensus WITH\n    chosen <- {value \\in Value : IsChosen(value)}\n" in found


def test_constraints_are_those_of_the_configuration() -> None:
    found = files("examples/alternating_bit.py:AlternatingBit")["MCAlternatingBit.cfg"]
    assert "\nCONSTRAINTS\n    FewMessages\n\nINVARIANTS\n    TypeOk\n" in found


class Node(Sort, size="nodes"):
    """Somebody."""


class Kind(Enum):
    STOP = "stop"


class Ask(Record):
    node: Node


Message = Ask | Kind


class First(Model):
    """What is refined: a leader and a limit of its own."""

    nodes: int = constant(2, "nodes", at_least=1)
    limit: int = constant(3, "the largest number")

    leader: Node | None = Node[0]
    number: Annotated[int, UpTo("limit")] = 0

    @action
    def lead(self, node: Node) -> None:
        require(self.number < self.limit)
        self.leader = node
        self.number += 1


class Named(Model):
    """Members by their numbers, and what the abstract model alone has: None, a limit."""

    nodes: int = constant(2, "nodes", at_least=1)

    first: Node = Node[0]
    number: Annotated[int, UpTo("3")] = 0
    network: Annotated[Network[Message], UpTo("2")] = Network()

    @action
    def lead(self, node: Node) -> None:
        require(node != Node[1])
        self.first = node
        self.number += 1

    @refines(First)
    def leads(self, abstract: First) -> None:
        abstract.leader = self.first


class Stopped(Named):
    """Kind is a member of a union, so it is a record in TLA+."""

    @action
    def stop(self) -> None:
        require(all(m != Kind.STOP for m in self.network))
        self.network.send_all(frozenset({Kind.STOP, Ask(Node[0])}))


class Twice(Named):
    @action
    def both(self) -> None:
        self.network.send_all(m for m in (Ask(Node[0]), Ask(Node[1])))


def test_members_by_number_are_constants() -> None:
    found = files(Named)["Named.tla"]
    assert "    n0,   \\* one of Node\n    n1    \\* one of Node\n" in found
    assert "Init == first = n0 /\\ number = 0 /\\ network = EmptyBag\n" in found
    assert "    n0 = n0\n    n1 = n1\n" in files(Named)["MCNamed.cfg"]


def test_constants_that_only_the_abstract_model_has_are_given() -> None:
    found = files(Named)
    assert "AbstractFirst == INSTANCE First WITH\n    Limit <- 3,\n    leader <- first\n" in found["MCNamed.tla"]
    assert "None  \\* of First\n" in found["MCNamed.tla"]
    assert "    None = None\n" in found["MCNamed.cfg"]


def test_a_member_of_an_enumeration_beside_records_is_one_too() -> None:
    text = files(Stopped)["Stopped.tla"]
    assert '[type |-> "Kind", name |-> "stop"]' in text
    assert "(+) SetToBag({" in text


def test_what_a_set_would_join_is_refused() -> None:
    with pytest.raises(ModelError, match=r"what is sent to all may be the same twice, which has no form in TLA\+\."):
        files(Twice)


def test_a_trace_of_tlc_with_a_network_is_refused(tmp_path: Path) -> None:
    model = bind(read_model(Asking), {})
    file = tmp_path / "t.json"
    state = {"network": [], "heard": {"n0": 0, "n1": 0}, "losses": 0}
    file.write_text(json.dumps({"counterexample": {"state": [[1, state]]}}), encoding="utf-8")
    with pytest.raises(UsageError, match="TLC's JSON does not tell the messages of network apart"):
        read_tlc_trace(file, to_tla(model), model, "asking")


class Begins(Model):
    """In states, what a parameter ranges over may be a variable; in Init, and around fairness, it may not."""

    nodes: int = constant(2, "nodes", at_least=1)
    pool: frozenset[Node] = members(Node)
    taken: frozenset[Node] = frozenset()

    @initial
    def without_one(self, node: Node) -> None:
        require(node in self.pool)
        self.pool -= {node}

    @action(fair="weak")
    def take(self, node: Node) -> None:
        require(node in self.pool and node not in self.taken)
        self.taken |= {node}


def test_a_variable_is_ranged_over_in_states_only() -> None:
    text = files(Begins)["Begins.tla"]
    assert "Init == \\E node \\in Node : " in text
    assert "Next == \\E node \\in pool : Take(node)\n" in text
    assert "Fairness == \\A node \\in Node : WF_vars(Take(node))\n" in text
