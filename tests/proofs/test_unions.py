"""Sets whose elements are of several sorts and enumerations, for any size: each member is a predicate of its own."""

from enum import Enum

import pytest
from tests.proofs.test_agreement import COMPARED

from isrcheck import Model, Sort, action, constant, invariant, members, prove, require, step
from isrcheck.engines.contract import Request
from isrcheck.engines.reference import stepper
from isrcheck.errors import UsageError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.proofs import stepper as relational


class Guest(Sort, size="guests", symmetric=True):
    """Somebody who comes and goes."""


class Host(Enum):
    HOST = "host"


class Table(Model):
    """A table at which the host always sits, as a leader is in its ISR."""

    guests: int = constant(2, "guests", at_least=0)

    seated: frozenset[Guest | Host] = members(Guest | Host)
    standing: frozenset[Guest] = frozenset()
    crowded: bool = True

    @action
    def leave(self, guest: Guest) -> None:
        """A guest stands up."""
        require(guest in self.seated)
        self.seated -= {guest}
        self.standing |= {guest}
        self.crowded = len(self.seated) > 2

    @action
    def all_sit(self) -> None:
        """Everybody sits down, or those who stand do."""
        self.seated = self.seated | self.standing if self.crowded else self.seated | frozenset(Guest)
        self.standing = frozenset()

    @action
    def some_go(self, guest: Guest) -> None:
        """All guests but one stand up, host and guest stay."""
        others = frozenset(g for g in Guest if g != guest)
        require(self.seated & others != frozenset())
        self.seated = self.seated - others
        self.standing = others

    @invariant
    def host_sits(self) -> bool:
        """The host never stands up."""
        return Host.HOST in self.seated

    @invariant
    def somebody_sits(self) -> bool:
        """The host counts."""
        return len(self.seated) >= 1

    @invariant
    def a_guest_sits(self) -> bool:
        """A guest may leave the host alone."""
        return len(self.seated) >= 2

    @step
    def nobody_new(self, before: "Table") -> bool:
        """The table only empties."""
        return self.seated <= before.seated


@pytest.mark.parametrize("guests", [0, 1, 2, 3])
def test_the_graph_with_a_set_of_a_union_is_the_reference_s(guests: int) -> None:
    """At every size: membership, `|`, `-`, `&`, `<=`, `!=`, len and a choice of sets of different members."""
    model = bind(read_model(Table), {"guests": guests}, slots=False)
    asked = Request(properties=tuple(p.name for p in model.properties))
    expected, answer = stepper.search(model, asked), relational.search(model, asked)
    assert {fact: getattr(answer, fact) for fact in COMPARED} == {fact: getattr(expected, fact) for fact in COMPARED}


def test_a_member_that_never_leaves_is_proved_for_any_size() -> None:
    outcome = prove(Table, properties=("host_sits",)).outcome
    assert [(p.verdict.value, p.assurance) for p in outcome.properties] == [("holds", "proved")]


class Row(Table):
    """A text that asks each element of the union, of which nobody knows the class."""

    @invariant
    def each_is_known(self) -> bool:
        """Whoever sits does not stand."""
        return all(isinstance(s, Host) or s not in self.standing for s in self.seated)


def test_an_element_of_which_the_class_is_open_is_refused() -> None:
    """In a sentence with its place, before any solver begins."""
    with pytest.raises(UsageError, match=r"test_unions.py:\d+:\d+: prove cannot read"):
        prove(Row, properties=("each_is_known",))
