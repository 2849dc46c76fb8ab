"""A model with a record, an optional record, a map, a policy and a helper, to group states by."""

from typing import Annotated, NamedTuple

from isrcheck import Model, Sort, UpTo, action, each, invariant, policy, require
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains
from isrtoys import TOYS

Level = Annotated[int, UpTo(2)]


class Клерк(Sort, size="2"):
    """Somebody at the desk; the name is not Latin on purpose."""


class Term(NamedTuple):
    """Who is in charge, and since when."""

    leader: Клерк | None
    epoch: Level


class Desk(Model):
    """Clerks take office one after the other."""

    term: Term = Term(None, 0)
    last: Term | None = None
    work: dict[Клерк, Level] = each(Клерк, 0)

    @policy
    def is_late(self) -> bool:
        raise NotImplementedError

    @action
    def elect(self, who: Клерк) -> None:
        require(self.term.epoch < 2 and not self.is_late())
        self.last = self.term
        self.term = Term(who, self.term.epoch + 1)

    @action
    def finish(self, who: Клерк) -> None:
        require(self.term.leader == who)
        require(self.may_work(who))
        self.work[who] += 1

    @invariant
    def little_is_done(self) -> bool:
        return self.done() <= 2

    def may_work(self, who: Клерк) -> bool:
        return self.work[who] < 1

    def done(self) -> int:
        return sum(self.work[c] for c in Клерк)


class LateDesk(Desk):
    """The last epoch is late."""

    def is_late(self) -> bool:
        return self.term.epoch == 2


def stepper(model: type[Model] | str, **constants: object) -> ReferenceStepper:
    """The reference of a toy or a class."""
    ir = read_model(TOYS[model] if isinstance(model, str) else model)
    check_domains(ir)
    return ReferenceStepper(bind(ir, constants))
