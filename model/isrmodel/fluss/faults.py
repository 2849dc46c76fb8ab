"""Faults that stop a server. Until its session in ZooKeeper ends, a server that is down may be elected."""

from typing import Annotated

from isrcheck import UpTo, action, constant, require
from isrmodel.fluss.follower import Follower
from isrmodel.fluss.state import Leadership, Server
from isrmodel.vocabulary import Offset, Replica


class ServerFaults(Follower):
    """Stops, kills and losses of power, each with a budget."""

    kills: int = constant(0, "servers that are killed and keep what they wrote (kill -9)")
    power_losses: int = constant(0, "servers that lose power, and with it the end of their log")
    spare_leader: bool = constant(False, "who leads on record, or is alone in the ISR, does not lose power")
    old_checkpoints: bool = constant(
        False, "a server that is killed may have an older high watermark in its checkpoint"
    )

    killed_so_far: Annotated[int, UpTo("kills")] = 0
    unpowered_so_far: Annotated[int, UpTo("power_losses")] = 0

    @action(sentence="{server} flushes its log and stops")
    def stop(self, server: Server) -> None:
        """A server that has asked to shut down stops, with all that it has on disk."""
        require(server in self.leaving and server not in self.down)
        self.go_down(server, self.hw[server])

    @action(sentence="{server} is killed; its log stays, with a high watermark of {mark} on disk")
    def kill(self, server: Server, mark: Offset) -> None:
        """A server is killed: its log is in the page cache, its high watermark as it last wrote it."""
        require(self.has_begun() and server not in self.down)
        require(self.killed_so_far < self.kills)
        require(mark == self.hw[server] or (self.old_checkpoints and mark < self.hw[server]))
        self.killed_so_far += 1
        self.go_down(server, mark)

    @action(sentence="{server} loses power, and of its log all from {kept} on")
    def lose_power(self, server: Server, kept: Offset) -> None:
        """A server's machine loses power, and its log what was not flushed."""
        require(self.has_begun() and server not in self.down)
        require(self.unpowered_so_far < self.power_losses and kept < self.end(server))
        require(not self.spare_leader or (self.now.leader != server and self.now.isr != frozenset({server})))
        self.unpowered_so_far += 1
        self.log[server] = self.log[server][:kept]
        self.go_down(server, min(self.hw[server], kept))

    def go_down(self, server: Server, mark: Offset) -> None:
        """All that a server had in memory is gone, and what was on its way to it; its request may still arrive."""
        request = self.sent[server]
        self.down |= {server}
        self.hw[server] = mark
        self.known[server] = Leadership(None, 0, frozenset())
        self.read_to[server] = 0
        self.start[server] = 0
        self.heard[server] = {f: None for f in Replica}
        self.late[server] = frozenset()
        self.waiting[server] = frozenset()
        self.pending[server] = None
        self.sent[server] = None if request is None or request.granted is not None else request
        self.read_before[server] = None
        self.truncating -= {server}
        self.unread[server] = frozenset()
        self.forget_notices()
