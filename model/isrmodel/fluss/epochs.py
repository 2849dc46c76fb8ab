"""Servers with leader epochs and without: whose records bear the epoch of their leader (#673, #4273, mixed mode)."""

from isrcheck import action, assume, constant, require
from isrmodel.fluss.state import Bucket, Server
from isrmodel.kraft.state import Epoch
from isrmodel.vocabulary import Offset


class Epochs(Bucket):
    """The epochs that a log tells of: a server without epochs writes records that bear none."""

    epochless: int = constant(0, "servers that know no leader epochs (mixed mode); the others have the new protocol")

    without_epochs: frozenset[Server] = frozenset()
    blank: frozenset[Epoch] = frozenset()  # epochs whose leader writes records without their epoch

    @assume
    def some_have_epochs(self) -> bool:
        """No more servers are without epochs than there are."""
        return self.epochless <= self.replicas

    @action(sentence="{server} knows no leader epochs")
    def run_old(self, server: Server) -> None:
        """A server is of the version before leader epochs."""
        require(not self.has_begun() and server not in self.without_epochs)
        require(len(self.without_epochs) < self.epochless)
        self.without_epochs |= {server}

    def note_writer(self, leader: Server) -> None:
        """An epoch has begun; if its leader knows no epochs, its records bear none."""
        if leader in self.without_epochs:
            self.blank |= {self.now.epoch}

    def last_epoch(self, server: Server, limit: Epoch) -> Epoch:
        """The greatest epoch, up to a limit, that a log tells of; 0 if it tells of none."""
        return max((e for e in self.log[server] if e <= limit if e not in self.blank), default=0)

    def end_of(self, server: Server, epoch: Epoch) -> Offset:
        """The end of an epoch by a log: the first record of a later one, or its end."""
        log = self.log[server]
        return min((o for o in range(len(log)) if log[o] > epoch if log[o] not in self.blank), default=len(log))
