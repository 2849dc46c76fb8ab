"""#3698, #3702: what a leader remembers of its followers when it is told that it leads (`Replica.makeLeader`)."""

from enum import Enum

from isrcheck import constant
from isrmodel.fluss.state import Bucket, Leadership, Server
from isrmodel.vocabulary import Replica


class Memory(Enum):
    """The part of a leader's memory that outlives a notice."""

    NONE = "nothing: every notice replaces it (0.9)"
    LED_BEFORE = "all, if the server took itself for the leader before (#3702)"
    NEXT_EPOCH = "all, if it also led in the epoch just before"
    SAME_EPOCH = "all, if the leader epoch is the same"


class FollowerMemory(Bucket):
    """Progress of followers, and who of them is late, once a notice has been read."""

    memory: Memory = constant(Memory.LED_BEFORE, "what of a leader's memory of its followers outlives a notice")

    def keeps_memory(self, server: Server, before: Leadership, after: Leadership) -> bool:
        """Whether the progress of followers outlives a notice that makes or confirms a leader."""
        led = before.leader == server
        if self.memory == Memory.NONE or after.epoch == before.epoch:
            return self.memory != Memory.NONE
        elif self.memory == Memory.NEXT_EPOCH:
            return led and after.epoch == before.epoch + 1
        else:
            return led and self.memory == Memory.LED_BEFORE

    def remember(self, server: Server, before: Leadership, after: Leadership) -> None:
        """A leader keeps or forgets how far its followers are, and sets the time since they were caught up."""
        keeps = self.keeps_memory(server, before, after)
        self.heard[server] = {f: self.heard[server][f] if keeps else None for f in Replica}
        if self.memory == Memory.NONE:
            self.late[server] = frozenset(f for f in Replica if f != server)
        elif after.epoch != before.epoch:
            self.late[server] = frozenset(f for f in Replica if f not in after.isr)
