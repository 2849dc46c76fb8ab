"""Two-phase commit: after TCommit.tla and TwoPhase.tla of tlaplus/Examples, which Gray and Lamport wrote."""

from enum import Enum

from isrcheck import Model, Record, Sort, action, constant, each, invariant, refines, require


class RM(Sort, size="rms", symmetric=True):
    """A resource manager."""


class RMState(Enum):
    WORKING = "working"
    PREPARED = "prepared"
    COMMITTED = "committed"
    ABORTED = "aborted"


class TMState(Enum):
    UNDECIDED = "undecided"
    COMMITTED = "committed"
    ABORTED = "aborted"


class Prepared(Record):
    """A resource manager can commit."""

    rm: RM


class Decision(Enum):
    """What the transaction manager tells all resource managers."""

    COMMIT = "commit"
    ABORT = "abort"


Message = Prepared | Decision


class TransactionCommit(Model):
    """What every commit protocol must do: resource managers end all committed or all aborted."""

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
    """A transaction manager commits when all are prepared. Messages stay in the set of all that were sent."""

    rms: int = constant(3, "resource managers", at_least=1)

    state: dict[RM, RMState] = each(RM, RMState.WORKING)
    manager: TMState = TMState.UNDECIDED
    prepared: frozenset[RM] = frozenset()  # as the transaction manager knows
    sent: frozenset[Message] = frozenset()

    @action
    def prepare(self, rm: RM) -> None:
        require(self.state[rm] == RMState.WORKING)
        self.state[rm] = RMState.PREPARED
        self.sent |= {Prepared(rm)}

    @action
    def give_up(self, rm: RM) -> None:
        require(self.state[rm] == RMState.WORKING)
        self.state[rm] = RMState.ABORTED

    @action
    def learn(self, message: Prepared) -> None:
        require(message in self.sent and self.manager == TMState.UNDECIDED)
        self.prepared |= {message.rm}

    @action
    def decide_to_commit(self) -> None:
        require(self.manager == TMState.UNDECIDED and self.prepared == frozenset(RM))
        self.manager = TMState.COMMITTED
        self.sent |= {Decision.COMMIT}

    @action
    def decide_to_abort(self) -> None:
        require(self.manager == TMState.UNDECIDED)
        self.manager = TMState.ABORTED
        self.sent |= {Decision.ABORT}

    @action
    def obey(self, rm: RM, decision: Decision) -> None:
        require(decision in self.sent)
        match decision:
            case Decision.COMMIT:
                self.state[rm] = RMState.COMMITTED
            case Decision.ABORT:
                self.state[rm] = RMState.ABORTED

    @invariant
    def consistent(self) -> bool:
        """No resource manager aborts while another commits."""
        states = frozenset(self.state[rm] for rm in RM)
        return not states >= {RMState.COMMITTED, RMState.ABORTED}

    @refines(TransactionCommit)
    def commits(self, abstract: TransactionCommit) -> None:
        """Who sees only the resource managers sees a transaction commit."""
        abstract.state = self.state


class Hasty(TwoPhase):
    """The manager commits when somebody is prepared: no transaction commit."""

    @action
    def decide_too_early(self) -> None:
        require(self.manager == TMState.UNDECIDED and self.prepared != frozenset())
        self.manager = TMState.COMMITTED
        self.sent |= {Decision.COMMIT}
