"""Flushes to disk before a server answers: its vote, and its log."""

from isrcheck import constant
from isrmodel.raft.state import Raft, Server


class Flush(Raft):
    """KRaft flushes the quorum state before a vote is answered, and the log before a fetch or an own record counts."""

    flush_vote: bool = constant(True, "a vote is on disk before it is given")
    flush_log: bool = constant(True, "a log is on disk before its end counts")

    def flush(self, server: Server) -> None:
        """A server flushes its log before the log's end offset is sent or counted."""
        if self.flush_log:
            self.flushed[server] = self.end(server)

    def vote_after_power_loss(self, server: Server) -> Server | None:
        return self.vote[server] if self.flush_vote else None
