"""Two-phase commit and what it refines, after TCommit.tla and TwoPhase.tla of tlaplus/Examples; and faults of it."""

from enum import Enum
from typing import NamedTuple

from isrcheck import Model, Sort, action, constant, each, invariant, policy, refines, require


class RM(Sort, size="rms", symmetric=True):
    """A resource manager."""


class RMState(Enum):
    WORKING = "working"
    PREPARED = "prepared"
    COMMITTED = "committed"
    ABORTED = "aborted"


class TMState(Enum):
    INIT = "init"
    COMMITTED = "committed"
    ABORTED = "aborted"


class Kind(Enum):
    PREPARED = "Prepared"
    COMMIT = "Commit"
    ABORT = "Abort"


class Message(NamedTuple):
    kind: Kind
    rm: RM | None


class TCommit(Model):
    """Transaction commit, whoever decides."""

    rms: int = constant(3, "resource managers", at_least=1)

    state: dict[RM, RMState] = each(RM, RMState.WORKING)

    @action
    def prepare(self, rm: RM) -> None:
        require(self.state[rm] == RMState.WORKING)
        self.state[rm] = RMState.PREPARED

    @action
    def commit(self, rm: RM) -> None:
        require(self.state[rm] == RMState.PREPARED)
        require(all(self.state[r] in (RMState.PREPARED, RMState.COMMITTED) for r in RM))
        self.state[rm] = RMState.COMMITTED

    @action
    def abort(self, rm: RM) -> None:
        require(self.state[rm] in (RMState.WORKING, RMState.PREPARED))
        require(all(self.state[r] != RMState.COMMITTED for r in RM))
        self.state[rm] = RMState.ABORTED


class TwoPhase(Model):
    """A transaction manager and resource managers."""

    rms: int = constant(3, "resource managers", at_least=1)

    rm_state: dict[RM, RMState] = each(RM, RMState.WORKING)
    tm_state: TMState = TMState.INIT
    tm_prepared: frozenset[RM] = frozenset()
    msgs: frozenset[Message] = frozenset()

    @policy
    def may_commit(self) -> bool:
        """Whether the transaction manager may decide to commit."""
        raise NotImplementedError

    @action
    def tm_rcv_prepared(self, rm: RM) -> None:
        require(self.tm_state == TMState.INIT)
        require(Message(Kind.PREPARED, rm) in self.msgs)
        self.tm_prepared |= {rm}

    @action
    def tm_commit(self) -> None:
        require(self.tm_state == TMState.INIT)
        require(self.may_commit())
        self.tm_state = TMState.COMMITTED
        self.msgs |= {Message(Kind.COMMIT, None)}

    @action
    def tm_abort(self) -> None:
        require(self.tm_state == TMState.INIT)
        self.tm_state = TMState.ABORTED
        self.msgs |= {Message(Kind.ABORT, None)}

    @action
    def rm_prepare(self, rm: RM) -> None:
        require(self.rm_state[rm] == RMState.WORKING)
        self.rm_state[rm] = RMState.PREPARED
        self.msgs |= {Message(Kind.PREPARED, rm)}

    @action
    def rm_choose_to_abort(self, rm: RM) -> None:
        require(self.rm_state[rm] == RMState.WORKING)
        self.rm_state[rm] = RMState.ABORTED

    @action
    def rm_rcv_commit(self, rm: RM) -> None:
        require(Message(Kind.COMMIT, None) in self.msgs)
        self.rm_state[rm] = RMState.COMMITTED

    @action
    def rm_rcv_abort(self, rm: RM) -> None:
        require(Message(Kind.ABORT, None) in self.msgs)
        self.rm_state[rm] = RMState.ABORTED

    @invariant
    def consistent(self) -> bool:
        """No resource manager aborts while another commits."""
        return not any(
            self.rm_state[a] == RMState.ABORTED and self.rm_state[b] == RMState.COMMITTED for a in RM for b in RM
        )

    @refines(TCommit)
    def commits(self, abstract: TCommit) -> None:
        """Nobody but the resource managers is seen."""
        abstract.state = self.rm_state


class Agreed(TwoPhase):
    def may_commit(self) -> bool:
        return self.tm_prepared == frozenset(RM)


class Hasty(TwoPhase):
    """Commits when somebody is prepared."""

    def may_commit(self) -> bool:
        return self.tm_prepared != frozenset()
