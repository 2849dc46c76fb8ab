"""Slots under a constraint and a refinement: what is found is what is found without them."""

import pytest
from tests.agreement.messages import Flights, Node, Term
from tests.agreement.test_slots import force_slots, searched, slots_of

from isrcheck import Model, action, constant, constraint, each, history, reachable, refines
from isrcheck.lang.read import read_model
from isrcheck.passes import bind


class Terms(Model):
    """What is refined: terms that only grow."""

    nodes: int = constant(2, "nodes", at_least=1)
    terms: int = constant(1, "terms")

    term: dict[Node, Term] = each(Node, 0)

    @action
    def grow(self, node: Node) -> None:
        self.term[node] += 1


class Limited(Flights):
    """Not expanded with two in flight of which one is doubled, and refining."""

    @constraint
    def few_copies(self) -> bool:
        return all(self.network.count(m) < 2 for m in self.network)

    @refines(Terms)
    def terms_grow(self, abstract: Terms) -> None:
        """All variables have the same names."""


class Seen(Flights):
    """With a history, and refining."""

    asked: Term = history(0)

    @action
    def end(self) -> None:
        self.asked = max(self.asked, len(self.network))

    @reachable
    def one_asked(self) -> bool:
        return self.asked > 0

    @refines(Terms)
    def terms_grow(self, abstract: Terms) -> None:
        """All variables have the same names."""


@pytest.mark.parametrize(("cls", "distinct"), [(Limited, 28), (Seen, 59)])
def test_slots_and_masks_agree(cls: type[Model], distinct: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ir = read_model(cls)
    dense = searched(bind(ir, {}, slots=False), "evaluator")
    force_slots(monkeypatch, 2)
    for engine in ("reference", "evaluator", "native"):
        model = bind(ir, {})
        assert slots_of(model)
        assert searched(model, engine) == dense
    assert dense["distinct"] == distinct
