"""The replication design that Kafka 0.8 began with (version 3 of its wiki page), as its pseudo-code reads.

One partition. A change of the LeaderAndISR path is sent to the brokers as commands, which may be lost, repeated or
overtaken. A fetch is one step from request to response, and lag is counted in records, where the page says bytes. The
controller is no more than what sends commands: it elects members of the ISR, moves replicas away and back, and answers
a broker that comes up. The page is a comparison of two versions without their marks: lines that may belong to either
are constants.
"""

from enum import Enum
from typing import Annotated, NamedTuple

from isrcheck import Model, UpTo, action, constant, each, history, members, require
from isrmodel.original.drawing import DRAWING
from isrmodel.vocabulary import Age, FetchSize, Offset, RecordId, Replica, Version


class Kind(Enum):
    """The two commands."""

    LEADER_AND_ISR = "leader-and-isr"
    STOP_REPLICA = "stop-replica"


class Dropped(Enum):
    """Choice of the replica with the smallest log end that a leader may take out of the ISR."""

    ANY = "any"
    FOLLOWER_BEHIND = "follower-behind"


class Between(Enum):
    """Answer to a consumer that asks for an offset from the high watermark up to the log's end."""

    EMPTY = "empty"
    OUT_OF_RANGE = "out-of-range"


Place = Annotated[int, UpTo("max_commands - 1")]  # of a command among those under way to a broker
Log = Annotated[tuple[RecordId, ...], UpTo("max_records")]


class Command(NamedTuple):
    """The controller's command to one broker. LeaderAndISR without a leader does not list the partition."""

    kind: Kind
    leader: Replica | None
    isr: frozenset[Replica]
    version: Version
    init: bool


class Design(Model):
    """The pseudo-code: nothing is fenced, the high watermark may go back, and a replica that lags may come back."""

    drawing = DRAWING

    replicas: int = constant(2, "brokers that hold the partition", at_least=1)
    max_records: int = constant(2, "records that producers may write")
    max_version: int = constant(3, "writes of the LeaderAndISR path, elections included")
    max_changes: int = constant(2, "elections, moves and restarts that may happen")
    max_commands: int = constant(2, "commands that may be under way to a broker", at_least=1)
    max_lag: int = constant(1, "MAX_BYTES_LAG, in records: who lags more leaves the ISR")
    min_lag: int = constant(1, "MIN_BYTES_LAG, in records: who lags less behind the slowest member joins")
    lag_time_max: int = constant(1, "MAX_TIME_LAG, in ticks")
    fetch_size: FetchSize = constant(FetchSize.ONE, "all: a fetch brings all there is; one: a single record")

    # What may go wrong on the way
    commands_lost: bool = constant(True, "a command may never arrive")
    commands_repeated: bool = constant(True, "a command may arrive more than once")
    commands_reordered: bool = constant(True, "a command may overtake those sent before it")
    responses_lost: bool = constant(False, "the response to a fetch may never arrive")
    brokers_restart: bool = constant(True, "a broker may stop, and come back with its log and its checkpoint")
    replicas_move: bool = constant(False, "the controller may move a replica away, and back")

    # What the page leaves in doubt
    leading_stops_checkpoint: bool = constant(
        False, "becomeLeader stops the HW checkpoint thread (a line of one version)"
    )
    version_is_taken: bool = constant(True, "becomeLeader sets the version that conditional writes compare")
    joining_undoes_removal: bool = constant(
        True, "newISR = ISR + r starts from the ISR, whatever was removed just before"
    )
    dropped: Dropped = constant(Dropped.ANY, "any: the slowest may be the leader; follower-behind: as 0.8 did")
    follower_hw_is_capped: bool = constant(False, "a follower's high watermark stays within its log, as in 0.8")
    between: Between = constant(Between.EMPTY, "what a read from the high watermark up to the log's end returns")

    # What each broker holds, on disk and in memory
    present: dict[Replica, bool] = each(Replica, False)  # the partition's directory
    log: dict[Replica, Log] = each(Replica, ())
    checkpoint: dict[Replica, Offset] = each(Replica, 0)
    hw: dict[Replica, Offset] = each(Replica, 0)
    checkpointing: dict[Replica, bool] = each(Replica, False)  # whether the HW checkpoint thread runs
    leader: dict[Replica, Replica | None] = each(Replica, None)  # a leader follows itself

    # What a leader keeps besides
    isr: dict[Replica, frozenset[Replica]] = each(Replica, frozenset())
    version: dict[Replica, Version] = each(Replica, 0)
    known_leo: dict[Replica, dict[Replica, Offset]] = each(Replica, each(Replica, 0))
    updated: dict[Replica, dict[Replica, Age]] = each(Replica, each(Replica, 0))  # since its leo was last updated

    # The LeaderAndISR path, the assignment, and commands under way
    path_leader: Replica | None = None
    path_isr: frozenset[Replica] = members(Replica)
    path_version: Version = 0
    assigned: frozenset[Replica] = members(Replica)
    commands: dict[Replica, Annotated[tuple[Command, ...], UpTo("max_commands")]] = each(Replica, ())

    written: Annotated[int, UpTo("max_records")] = 0
    changes: Annotated[int, UpTo("max_changes")] = 0

    exposed: Log = history(())  # the most that was ever below a leader's high watermark
    heeded: dict[Replica, Version] = history(each(Replica, 0))  # the version of the last command acted upon

    # The controller

    @action(sentence="the controller elects {chosen}")
    def controller_elects_leader(self, chosen: Replica) -> None:
        """The controller writes another in-sync replica to the path and tells every broker that has the partition."""
        require(chosen in self.path_isr and chosen in self.assigned)
        require(self.path_leader != chosen)
        self.changes += 1
        self.path_leader = chosen
        self.path_version += 1
        self.commands = {
            r: self.commands[r] + (self.leader_and_isr(r, False),) if r in self.assigned else self.commands[r]
            for r in Replica
        }

    @action(sentence="{replica} is no longer assigned")
    def controller_moves_replica_away(self, replica: Replica) -> None:
        """A replica outside the ISR is no longer assigned, and is told to stop."""
        require(self.replicas_move)
        require(replica in self.assigned and replica not in self.path_isr and replica != self.path_leader)
        self.changes += 1
        self.assigned -= {replica}
        self.commands[replica] += (Command(Kind.STOP_REPLICA, None, frozenset(), 0, False),)

    @action(sentence="{replica} is assigned again")
    def controller_assigns_replica(self, replica: Replica) -> None:
        """A replica is assigned again, and told of the leader."""
        require(self.replicas_move)
        require(replica not in self.assigned)
        self.changes += 1
        self.assigned |= {replica}
        self.commands[replica] += (self.leader_and_isr(replica, False),)

    # Commands

    @action(sentence="{replica} acts on the command {commands[replica][place]}")
    def command_arrives(self, replica: Replica, place: Place) -> None:
        """A broker acts on a command."""
        require(self.may_arrive(replica, place))
        self.obey(replica, self.commands[replica][place])
        self.forget_command(replica, place)

    @action(fault=True, sentence="{replica} acts on the command {commands[replica][place]}, which will come again")
    def command_is_repeated(self, replica: Replica, place: Place) -> None:
        """A broker acts on a command that will arrive once more."""
        require(self.commands_repeated)
        require(self.may_arrive(replica, place))
        self.obey(replica, self.commands[replica][place])

    @action(fault=True, sentence="the command {commands[replica][place]} to {replica} is lost")
    def command_is_lost(self, replica: Replica, place: Place) -> None:
        """A command never arrives."""
        require(self.commands_lost)
        require(self.may_arrive(replica, place))
        self.forget_command(replica, place)

    # Brokers

    @action(fault=True, sentence="{replica} restarts")
    def broker_restarts(self, replica: Replica) -> None:
        """A broker stops and comes back: its high watermark is the one on disk, and the controller sends it INIT."""
        require(self.brokers_restart)
        require(self.present[replica])
        self.changes += 1
        self.leave_office(replica)
        self.leader[replica] = None
        self.checkpointing[replica] = self.present[replica]
        self.hw[replica] = min(self.checkpoint[replica], len(self.log[replica]))
        self.commands[replica] += (self.leader_and_isr(replica, True),)

    @action(internal=True, sentence="{replica} writes its high watermark to disk")
    def high_watermark_is_checkpointed(self, replica: Replica) -> None:
        """The HW checkpoint thread writes the high watermark to disk."""
        require(self.checkpointing[replica])
        self.checkpoint[replica] = self.hw[replica]

    @action(sentence="{leader} appends a record")
    def leader_appends(self, leader: Replica) -> None:
        """A leader takes a producer's record."""
        require(self.leads(leader))
        self.log[leader] += (self.written,)
        self.written += 1
        self.updated[leader][leader] = 0

    @action(internal=True, sentence="{leader} computes its high watermark")
    def leader_commits(self, leader: Replica) -> None:
        """The commit thread sets the high watermark to the smallest log end in the ISR."""
        require(self.leads(leader))
        self.set_high_watermark(leader)

    @action(sentence="time passes")
    def tick(self) -> None:
        """Time passes for those who lead."""
        self.updated = {
            b: {f: min(self.updated[b][f] + 1, self.lag_time_max + 1) if self.leads(b) else 0 for f in Replica}
            for b in Replica
        }

    # Fetches: `slowest` and `joiner` choose where the page leaves a choice, among several of the same log end

    @action(sentence="{follower} fetches from {leader}")
    def follower_fetches(self, follower: Replica, leader: Replica, slowest: Replica, joiner: Replica | None) -> None:
        """A fetch from request to response: maybe_change_ISR, the high watermark, and records."""
        require(self.is_served(follower, leader))
        offset = len(self.log[follower])
        self.serve(leader, follower, slowest, joiner)
        self.log[follower] += (
            self.log[leader][offset:] if self.fetch_size == FetchSize.ALL else self.log[leader][offset : offset + 1]
        )
        self.hw[follower] = (
            min(self.hw[leader], len(self.log[follower])) if self.follower_hw_is_capped else self.hw[leader]
        )

    @action(fault=True, sentence="{follower} fetches from {leader}, and the response is lost")
    def response_is_lost(self, follower: Replica, leader: Replica, slowest: Replica, joiner: Replica | None) -> None:
        """A fetch that the leader has served, and of which the follower never hears."""
        require(self.responses_lost)
        require(self.is_served(follower, leader))
        self.serve(leader, follower, slowest, joiner)

    # Who knows what

    def leads(self, broker: Replica) -> bool:
        """Whether a broker takes itself for the leader."""
        return self.leader[broker] == broker

    def leads_on_record(self, broker: Replica) -> bool:
        """Whether a broker leads, and is the leader on the path too."""
        return self.leads(broker) and self.path_leader == broker

    def leader_and_isr(self, replica: Replica, init: bool) -> Command:
        """The command that tells a broker what is on the path; the partition is listed if it is assigned there."""
        return Command(
            Kind.LEADER_AND_ISR,
            self.path_leader if replica in self.assigned else None,
            self.path_isr,
            self.path_version,
            init,
        )

    def may_arrive(self, replica: Replica, place: Place) -> bool:
        """Whether the command in a place may be the next to arrive."""
        return place < len(self.commands[replica]) and (place == 0 or self.commands_reordered)

    def reach(self, leader: Replica, replica: Replica) -> Offset:
        """A replica's log end as its leader knows it."""
        return len(self.log[leader]) if replica == leader else self.known_leo[leader][replica]

    def smallest_leo(self, leader: Replica) -> Offset:
        """leo_min: the smallest log end of the ISR."""
        return min((self.reach(leader, r) for r in self.isr[leader]), default=len(self.log[leader]))

    def is_too_old(self, leader: Replica, replica: Replica) -> bool:
        """Whether a replica has not updated its log end for more than MAX_TIME_LAG."""
        return self.updated[leader][replica] > self.lag_time_max

    def lags(self, leader: Replica, replica: Replica) -> bool:
        """Whether the slowest member of the ISR is too slow."""
        behind = self.dropped == Dropped.ANY or (
            replica != leader and self.reach(leader, replica) < len(self.log[leader])
        )
        return behind and (
            len(self.log[leader]) > self.reach(leader, replica) + self.max_lag or self.is_too_old(leader, replica)
        )

    def may_join(self, leader: Replica, replica: Replica) -> bool:
        """Whether a replica outside the ISR is close enough to its slowest member, or behind that."""
        return replica not in self.isr[leader] and (
            self.reach(leader, replica) < self.smallest_leo(leader) + self.min_lag
        )

    def is_served(self, follower: Replica, leader: Replica) -> bool:
        """Whether a follower's fetch reaches a broker that leads (NotLeaderException otherwise)."""
        return follower != leader and self.leader[follower] == leader and self.leads(leader)

    def is_slowest(self, leader: Replica, replica: Replica) -> bool:
        """Whether a replica has the smallest log end in the ISR; of an empty ISR it is the leader."""
        if self.isr[leader] == frozenset():
            return replica == leader
        else:
            return replica in self.isr[leader] and self.reach(leader, replica) == self.smallest_leo(leader)

    def is_joiner(self, leader: Replica, replica: Replica | None) -> bool:
        """Whether a replica may join, or none may."""
        if replica is None:
            return not any(self.may_join(leader, r) for r in Replica)
        else:
            return self.may_join(leader, replica)

    # What they do

    def serve(self, leader: Replica, follower: Replica, slowest: Replica, joiner: Replica | None) -> None:
        """on_ReplicaFetchRequest, up to the response."""
        self.known_leo[leader][follower] = len(self.log[follower])
        self.updated[leader][follower] = 0
        require(self.is_slowest(leader, slowest))
        require(self.is_joiner(leader, joiner))
        self.change_isr(leader, self.new_isr(leader, slowest, joiner))
        self.set_high_watermark(leader)

    def new_isr(self, leader: Replica, slowest: Replica, joiner: Replica | None) -> frozenset[Replica]:
        """maybe_change_ISR: newISR, which is the ISR as it is if neither loop has set it."""
        shrunk = self.isr[leader] - {slowest} if self.lags(leader, slowest) else self.isr[leader]
        if joiner is None:
            return shrunk
        else:
            return (self.isr[leader] if self.joining_undoes_removal else shrunk) | {joiner}

    def change_isr(self, leader: Replica, isr: frozenset[Replica]) -> None:
        """The path and the leader's copy of it change if the path is still at the version that the leader knows."""
        if isr != self.isr[leader] and self.version[leader] == self.path_version:
            self.path_isr = isr
            self.path_version += 1
            self.isr[leader] = isr
            self.version[leader] = self.path_version

    def set_high_watermark(self, leader: Replica) -> None:
        """leader.hw = min of leo of every replica in ISR; what is below it can be read."""
        self.hw[leader] = self.smallest_leo(leader)
        self.exposed = self.log[leader][: self.hw[leader]] if self.hw[leader] > len(self.exposed) else self.exposed

    def forget_command(self, replica: Replica, place: Place) -> None:
        """A command is under way no more."""
        self.commands[replica] = self.commands[replica][:place] + self.commands[replica][place + 1 :]

    def obey(self, replica: Replica, command: Command) -> None:
        """on_LeaderAndISRCommand and on_StopReplicaCommand."""
        if command.kind == Kind.STOP_REPLICA:
            self.stop_replica(replica)
        elif command.leader is None:
            if command.init:
                self.stop_replica(replica)
        else:
            self.heeded[replica] = command.version
            if not self.present[replica]:
                self.start_replica(replica)
            if command.leader == replica and self.leader[replica] != replica:
                self.become_leader(replica, command)
            elif command.leader != replica and self.leader[replica] != command.leader:
                self.become_follower(replica, command)

    def start_replica(self, replica: Replica) -> None:
        """startReplica: the directory is made, and the HW checkpoint thread runs."""
        self.present[replica] = True
        self.checkpointing[replica] = True

    def stop_replica(self, replica: Replica) -> None:
        """stopReplica: the fetcher and the HW checkpoint thread stop, and the directory is deleted."""
        self.leave_office(replica)
        self.leader[replica] = None
        self.checkpointing[replica] = False
        self.present[replica] = False
        self.log[replica] = ()
        self.hw[replica] = 0
        self.checkpoint[replica] = 0

    def become_leader(self, replica: Replica, command: Command) -> None:
        """becomeLeader: reads and writes are enabled. Where the other replicas' logs end is not known yet."""
        self.leader[replica] = replica
        self.isr[replica] = command.isr
        self.version[replica] = command.version if self.version_is_taken else 0
        if self.leading_stops_checkpoint:
            self.checkpointing[replica] = False

    def become_follower(self, replica: Replica, command: Command) -> None:
        """becomeFollower: the log is cut at the high watermark, and the fetcher starts from its end."""
        self.leave_office(replica)
        self.leader[replica] = command.leader
        self.log[replica] = self.log[replica][: self.hw[replica]]

    def leave_office(self, replica: Replica) -> None:
        """A replica that leads no more forgets what only a leader keeps."""
        self.isr[replica] = frozenset()
        self.version[replica] = 0
        self.known_leo[replica] = {r: 0 for r in Replica}
        self.updated[replica] = {r: 0 for r in Replica}

    def stays_listed(self, replica: Replica, place: Place) -> bool:
        """Whether the command in a place names a leader, so that the replica is not deleted (for the drawing)."""
        return place < len(self.commands[replica]) and self.commands[replica][place].leader is not None
