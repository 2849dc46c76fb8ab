"""Which numbers stand for a state: what induction begins in is one of these."""

from enum import Enum
from itertools import product
from typing import Annotated, NamedTuple

from isrcheck import Model, Record, UpTo, action, invariant
from isrcheck.engines.common.evaluate import Values
from isrcheck.engines.symbolic.pool import layout_lemma
from isrcheck.ir.codec import codec
from isrcheck.lang.read import read_model
from isrcheck.passes.layout import decode
from isrcheck.passes.symbolic import bind_symbolic, lower_symbolic


class Color(Enum):
    RED = "red"


class Place(NamedTuple):
    row: Annotated[int, UpTo("2")]
    column: Annotated[int, UpTo("1")]


class Ask(Record):
    of: Color
    urgent: bool


class Reply(Record):
    at: Place | None


class Post(Model):
    """A union whose members share scalars of different sizes, in a sequence and alone."""

    last: Ask | Reply = Ask(Color.RED, False)
    log: Annotated[tuple[Ask | Reply, ...], UpTo("1")] = ()

    @action
    def send(self, urgent: bool) -> None:
        self.last = Ask(Color.RED, urgent)
        self.log += (self.last,)

    @invariant
    def asks(self) -> bool:
        return isinstance(self.last, Ask)


def test_the_layout_lemma_is_true_of_the_numbers_that_stand_for_a_state() -> None:
    """Of no others: a state is read from such numbers, and written back as the same."""
    symbolic = lower_symbolic(bind_symbolic(read_model(Post), {}))
    (lemma,) = layout_lemma(symbolic)
    every = list(product(*(range(scalar.size) for scalar in symbolic.system.scalars)))
    states = [numbers for numbers in every if Values(numbers).of(lemma.node)]
    assert len(states) == 9 * (1 + 9) < len(every)  # two asks and seven replies; alone, and none or one of them
    for numbers in states:
        known = decode(symbolic.model, numbers)
        written = [codec(domain).flatten(known[name]) for name, domain in symbolic.model.domains.items()]
        assert tuple(n for part in written for n in part) == numbers
