------------------------------- MODULE Design -------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* Seed 001, whole: nothing is fenced, the high watermark is no maximum, and whoever lags as much
   may come back. *)

CONSTANTS
    Replica,                \* A broker that holds, or may hold, a copy of the partition.
    MaxLag,                 \* MAX_BYTES_LAG, in records: who lags more leaves the ISR
    \* MIN_BYTES_LAG, in records: who lags less behind the slowest member joins
    MinLag,
    LagTimeMax,             \* MAX_TIME_LAG, in ticks
    FetchSize,              \* all: a fetch brings all there is; one: a single record
    CommandsLost,           \* a command may never arrive
    CommandsRepeated,       \* a command may arrive more than once
    CommandsReordered,      \* a command may overtake those sent before it
    ResponsesLost,          \* the response to a fetch may never arrive
    BrokersRestart,         \* a broker may stop, and come back with its log and its checkpoint
    ReplicasMove,           \* the controller may move a replica away, and back
    LeadingStopsCheckpoint, \* becomeLeader stops the HW checkpoint thread (a line of one version)
    VersionIsTaken,         \* becomeLeader sets the version that conditional writes compare
    \* newISR = ISR + r starts from the ISR, whatever was removed just before
    JoiningUndoesRemoval,
    Dropped,                \* any: the slowest may be the leader; follower-behind: as 0.8 did
    FollowerHwIsCapped,     \* a follower's high watermark stays within its log, as in 0.8
    None                    \* no value

ASSUME
    /\ MaxLag \in Nat
    /\ MinLag \in Nat
    /\ LagTimeMax \in Nat
    /\ FetchSize \in {"all", "one"}
    /\ CommandsLost \in BOOLEAN
    /\ CommandsRepeated \in BOOLEAN
    /\ CommandsReordered \in BOOLEAN
    /\ ResponsesLost \in BOOLEAN
    /\ BrokersRestart \in BOOLEAN
    /\ ReplicasMove \in BOOLEAN
    /\ LeadingStopsCheckpoint \in BOOLEAN
    /\ VersionIsTaken \in BOOLEAN
    /\ JoiningUndoesRemoval \in BOOLEAN
    /\ Dropped \in {"any", "follower-behind"}
    /\ FollowerHwIsCapped \in BOOLEAN

VARIABLES
    present,       \* the partition's directory
    log,
    checkpoint,
    hw,
    checkpointing, \* whether the HW checkpoint thread runs
    leader,        \* a leader follows itself
    isr,
    version,
    knownLeo,
    updated,       \* since its leo was last updated
    pathLeader,
    pathIsr,
    pathVersion,
    assigned,
    commands,
    written,
    changes,
    exposed,       \* the most that was ever below a leader's high watermark
    heeded         \* the version of the last command acted upon

Min(a, b) == IF a <= b THEN a ELSE b

SetMin(S) == CHOOSE x \in S : \A y \in S : x <= y

MinOr(S, none) == IF S = {} THEN none ELSE SetMin(S)

\* The first n elements; all, if there are fewer.
Prefix(s, n) == SubSeq(s, 1, Min(n, Len(s)))

\* All but the first n elements.
Suffix(s, n) == SubSeq(s, n + 1, Len(s))

\* The elements after the first m, up to the n-th.
Slice(s, m, n) == SubSeq(s, m + 1, Min(n, Len(s)))

Kind == {"leader-and-isr", "stop-replica"}

Command ==
    [kind: Kind, leader: Replica \cup {None}, isr: SUBSET Replica, version: Nat, init: BOOLEAN]

------------------------------------------------------------------------------

vars ==
    <<present, log, checkpoint, hw, checkpointing, leader, isr, version, knownLeo, updated,
      pathLeader, pathIsr, pathVersion, assigned, commands, written, changes, exposed, heeded>>

TypeOk ==
    /\ present \in [Replica -> BOOLEAN]
    /\ log \in [Replica -> Seq(Nat)]
    /\ checkpoint \in [Replica -> Nat]
    /\ hw \in [Replica -> Nat]
    /\ checkpointing \in [Replica -> BOOLEAN]
    /\ leader \in [Replica -> Replica \cup {None}]
    /\ isr \in [Replica -> SUBSET Replica]
    /\ version \in [Replica -> Nat]
    /\ knownLeo \in [Replica -> [Replica -> Nat]]
    /\ updated \in [Replica -> [Replica -> Nat]]
    /\ pathLeader \in Replica \cup {None}
    /\ pathIsr \in SUBSET Replica
    /\ pathVersion \in Nat
    /\ assigned \in SUBSET Replica
    /\ commands \in [Replica -> Seq(Command)]
    /\ written \in Nat
    /\ changes \in Nat
    /\ exposed \in Seq(Nat)
    /\ heeded \in [Replica -> Nat]

Init ==
    /\ present = [r \in Replica |-> FALSE]
    /\ log = [r \in Replica |-> <<>>]
    /\ checkpoint = [r \in Replica |-> 0]
    /\ hw = [r \in Replica |-> 0]
    /\ checkpointing = [r \in Replica |-> FALSE]
    /\ leader = [r \in Replica |-> None]
    /\ isr = [r \in Replica |-> {}]
    /\ version = [r \in Replica |-> 0]
    /\ knownLeo = [r \in Replica |-> [r_ \in Replica |-> 0]]
    /\ updated = [r \in Replica |-> [r_ \in Replica |-> 0]]
    /\ pathLeader = None
    /\ pathIsr = Replica
    /\ pathVersion = 0
    /\ assigned = Replica
    /\ commands = [r \in Replica |-> <<>>]
    /\ written = 0
    /\ changes = 0
    /\ exposed = <<>>
    /\ heeded = [r \in Replica |-> 0]

------------------------------------------------------------------------------
(* Who knows what *)

(* Whether a broker takes itself for the leader. *)
Leads(broker) == leader[broker] = broker

(* Whether a broker leads, and is the leader on the path too. *)
LeadsOnRecord(broker) == Leads(broker) /\ pathLeader = broker

(* The command that tells a broker what is on the path; the partition is listed if it is assigned
   there. *)
LeaderAndIsr(replica, init) ==
    [kind |-> "leader-and-isr",
     leader |-> IF replica \in assigned THEN pathLeader ELSE None,
     isr |-> pathIsr,
     version |-> pathVersion,
     init |-> init]

(* Whether the command in a place may be the next to arrive. *)
MayArrive(replica, place) == place < Len(commands[replica]) /\ (place = 0 \/ CommandsReordered)

(* A replica's log end as its leader knows it. *)
Reach(theLeader, replica) ==
    IF replica = theLeader THEN Len(log[theLeader]) ELSE knownLeo[theLeader][replica]

(* leo_min: the smallest log end of the ISR. *)
SmallestLeo(theLeader) == MinOr({Reach(theLeader, r) : r \in isr[theLeader]}, Len(log[theLeader]))

(* Whether a replica has not updated its log end for more than MAX_TIME_LAG. *)
IsTooOld(theLeader, replica) == updated[theLeader][replica] > LagTimeMax

(* Whether the slowest member of the ISR is too slow. *)
Lags(theLeader, replica) ==
    LET behind == \/ Dropped = "any"
                  \/ replica # theLeader /\ Reach(theLeader, replica) < Len(log[theLeader])
    IN  /\ behind
        /\ \/ Len(log[theLeader]) > Reach(theLeader, replica) + MaxLag
           \/ IsTooOld(theLeader, replica)

(* Whether a replica outside the ISR is close enough to its slowest member, or behind that. *)
MayJoin(theLeader, replica) ==
    replica \notin isr[theLeader] /\ Reach(theLeader, replica) < SmallestLeo(theLeader) + MinLag

(* Whether a follower's fetch reaches a broker that leads (NotLeaderException otherwise). *)
IsServed(follower, theLeader) ==
    follower # theLeader /\ leader[follower] = theLeader /\ Leads(theLeader)

(* Whether a replica has the smallest log end in the ISR; of an empty ISR it is the leader. *)
IsSlowest(theLeader, replica) ==
    IF isr[theLeader] = {}
    THEN replica = theLeader
    ELSE replica \in isr[theLeader] /\ Reach(theLeader, replica) = SmallestLeo(theLeader)

(* Whether a replica may join, or none may. *)
IsJoiner(theLeader, replica) ==
    IF replica = None
    THEN \A r \in Replica : ~MayJoin(theLeader, r)
    ELSE MayJoin(theLeader, replica)

(* maybe_change_ISR: newISR, which is the ISR as it is if neither loop has set it. *)
NewIsr(theLeader, slowest, joiner) ==
    LET shrunk == IF Lags(theLeader, slowest) THEN isr[theLeader] \ {slowest} ELSE isr[theLeader]
    IN  IF joiner = None
        THEN shrunk
        ELSE (IF JoiningUndoesRemoval THEN isr[theLeader] ELSE shrunk) \cup {joiner}

(* Whether the command in a place names a leader, so that the replica is not deleted (for the
   drawing). *)
StaysListed(replica, place) ==
    place < Len(commands[replica]) /\ commands[replica][place + 1].leader # None

------------------------------------------------------------------------------
(* What they do *)

(* The path and the leader's copy of it change if the path is still at the version that the
   leader knows. *)
ChangeIsr(theLeader, theIsr) ==
    IF theIsr # isr[theLeader] /\ version[theLeader] = pathVersion
    THEN /\ pathIsr' = theIsr
         /\ pathVersion' = pathVersion + 1
         /\ isr' = [isr EXCEPT ![theLeader] = theIsr]
         /\ version' = [version EXCEPT ![theLeader] = pathVersion']
    ELSE UNCHANGED <<isr, version, pathIsr, pathVersion>>

(* leader.hw = min of leo of every replica in ISR; what is below it can be read. *)
SetHighWatermark(theLeader) ==
    /\ hw' = [hw EXCEPT ![theLeader] = SmallestLeo(theLeader)]
    /\ exposed' = IF hw'[theLeader] > Len(exposed)
                  THEN Prefix(log[theLeader], hw'[theLeader])
                  ELSE exposed

(* on_ReplicaFetchRequest, up to the response. *)
Serve(theLeader, follower, slowest, joiner) ==
    /\ knownLeo' = [knownLeo EXCEPT ![theLeader][follower] = Len(log[follower])]
    /\ updated' = [updated EXCEPT ![theLeader][follower] = 0]
    /\ IF isr[theLeader] = {}
       THEN slowest = theLeader
       ELSE /\ slowest \in isr[theLeader]
            /\ (IF slowest = theLeader
                THEN Len(log[theLeader])
                ELSE knownLeo'[theLeader][slowest]) =
                   MinOr({IF r = theLeader THEN Len(log[theLeader]) ELSE knownLeo'[theLeader][r] :
                          r \in isr[theLeader]},
                         Len(log[theLeader]))
    /\ IF joiner = None
       THEN \A r \in Replica :
                r \notin isr[theLeader] =>
                    (IF r = theLeader THEN Len(log[theLeader]) ELSE knownLeo'[theLeader][r]) >=
                        (MinOr({IF r_ = theLeader
                                THEN Len(log[theLeader])
                                ELSE knownLeo'[theLeader][r_] :
                                r_ \in isr[theLeader]},
                               Len(log[theLeader])) +
                             MinLag)
       ELSE /\ joiner \notin isr[theLeader]
            /\ (IF joiner = theLeader THEN Len(log[theLeader]) ELSE knownLeo'[theLeader][joiner]) <
                   (MinOr({IF r = theLeader
                           THEN Len(log[theLeader])
                           ELSE knownLeo'[theLeader][r] :
                           r \in isr[theLeader]},
                          Len(log[theLeader])) +
                        MinLag)
    /\ ChangeIsr(theLeader,
                 LET shrunk == IF LET behind ==
                                          \/ Dropped = "any"
                                          \/ /\ slowest # theLeader
                                             /\ (IF slowest = theLeader
                                                 THEN Len(log[theLeader])
                                                 ELSE knownLeo'[theLeader][slowest]) <
                                                    Len(log[theLeader])
                                  IN  /\ behind
                                      /\ \/ Len(log[theLeader]) >
                                                ((IF slowest = theLeader
                                                  THEN Len(log[theLeader])
                                                  ELSE knownLeo'[theLeader][slowest]) +
                                                     MaxLag)
                                         \/ updated'[theLeader][slowest] > LagTimeMax
                               THEN isr[theLeader] \ {slowest}
                               ELSE isr[theLeader]
                 IN  IF joiner = None
                     THEN shrunk
                     ELSE (IF JoiningUndoesRemoval THEN isr[theLeader] ELSE shrunk) \cup {joiner})
    /\ hw' = [hw EXCEPT ![theLeader] =
                 MinOr({IF r = theLeader THEN Len(log[theLeader]) ELSE knownLeo'[theLeader][r] :
                        r \in isr'[theLeader]},
                       Len(log[theLeader]))]
    /\ exposed' = IF hw'[theLeader] > Len(exposed)
                  THEN Prefix(log[theLeader], hw'[theLeader])
                  ELSE exposed

(* A command is under way no more. *)
ForgetCommand(replica, place) ==
    commands' = [commands EXCEPT ![replica] = Prefix(@, place) \o Suffix(@, place + 1)]

(* startReplica: the directory is made, and the HW checkpoint thread runs. *)
StartReplica(replica) ==
    /\ present' = [present EXCEPT ![replica] = TRUE]
    /\ checkpointing' = [checkpointing EXCEPT ![replica] = TRUE]

(* What only a leader keeps is forgotten. *)
LeaveOffice(replica) ==
    /\ isr' = [isr EXCEPT ![replica] = {}]
    /\ version' = [version EXCEPT ![replica] = 0]
    /\ knownLeo' = [knownLeo EXCEPT ![replica] = [r \in Replica |-> 0]]
    /\ updated' = [updated EXCEPT ![replica] = [r \in Replica |-> 0]]

(* stopReplica: the fetcher and the HW checkpoint thread stop, and the directory is deleted. *)
StopReplica(replica) ==
    /\ LeaveOffice(replica)
    /\ leader' = [leader EXCEPT ![replica] = None]
    /\ checkpointing' = [checkpointing EXCEPT ![replica] = FALSE]
    /\ present' = [present EXCEPT ![replica] = FALSE]
    /\ log' = [log EXCEPT ![replica] = <<>>]
    /\ hw' = [hw EXCEPT ![replica] = 0]
    /\ checkpoint' = [checkpoint EXCEPT ![replica] = 0]

(* becomeLeader: reads and writes are enabled. Where the other replicas' logs end is not known
   yet. *)
BecomeLeader(replica, command) ==
    /\ leader' = [leader EXCEPT ![replica] = replica]
    /\ isr' = [isr EXCEPT ![replica] = command.isr]
    /\ version' = [version EXCEPT ![replica] = IF VersionIsTaken THEN command.version ELSE 0]
    /\ IF LeadingStopsCheckpoint
       THEN checkpointing' = [checkpointing EXCEPT ![replica] = FALSE]
       ELSE UNCHANGED checkpointing

(* becomeFollower: the log is cut at the high watermark, and the fetcher starts from its end. *)
BecomeFollower(replica, command) ==
    /\ LeaveOffice(replica)
    /\ leader' = [leader EXCEPT ![replica] = command.leader]
    /\ log' = [log EXCEPT ![replica] = Prefix(@, hw[replica])]

(* on_LeaderAndISRCommand and on_StopReplicaCommand. *)
Obey(replica, command) ==
    IF command.kind = "stop-replica"
    THEN /\ StopReplica(replica)
         /\ UNCHANGED heeded
    ELSE IF command.leader = None
         THEN /\ IF command.init
                 THEN StopReplica(replica)
                 ELSE UNCHANGED <<present, log, checkpoint, hw, checkpointing, leader, isr, version,
                                  knownLeo, updated>>
              /\ UNCHANGED heeded
         ELSE LET checkpointingNow == IF ~present[replica]
                                      THEN [checkpointing EXCEPT ![replica] = TRUE]
                                      ELSE checkpointing
                  checkpointingNow2 == IF LeadingStopsCheckpoint
                                       THEN [checkpointingNow EXCEPT ![replica] = FALSE]
                                       ELSE checkpointingNow
                  logNow == IF command.leader # replica /\ leader[replica] # command.leader
                            THEN [log EXCEPT ![replica] = Prefix(@, hw[replica])]
                            ELSE log
                  leaderNow == IF command.leader # replica /\ leader[replica] # command.leader
                               THEN [leader EXCEPT ![replica] = command.leader]
                               ELSE leader
                  isrNow == IF command.leader # replica /\ leader[replica] # command.leader
                            THEN [isr EXCEPT ![replica] = {}]
                            ELSE isr
                  versionNow == IF command.leader # replica /\ leader[replica] # command.leader
                                THEN [version EXCEPT ![replica] = 0]
                                ELSE version
                  knownLeoNow == IF command.leader # replica /\ leader[replica] # command.leader
                                 THEN [knownLeo EXCEPT ![replica] = [r \in Replica |-> 0]]
                                 ELSE knownLeo
                  updatedNow == IF command.leader # replica /\ leader[replica] # command.leader
                                THEN [updated EXCEPT ![replica] = [r \in Replica |-> 0]]
                                ELSE updated
              IN  /\ heeded' = [heeded EXCEPT ![replica] = command.version]
                  /\ present' = IF ~present[replica]
                                THEN [present EXCEPT ![replica] = TRUE]
                                ELSE present
                  /\ log' = IF command.leader = replica /\ leader[replica] # replica
                            THEN log
                            ELSE logNow
                  /\ checkpointing' = IF command.leader = replica /\ leader[replica] # replica
                                      THEN checkpointingNow2
                                      ELSE checkpointingNow
                  /\ leader' = IF command.leader = replica /\ leader[replica] # replica
                               THEN [leader EXCEPT ![replica] = replica]
                               ELSE leaderNow
                  /\ isr' = IF command.leader = replica /\ leader[replica] # replica
                            THEN [isr EXCEPT ![replica] = command.isr]
                            ELSE isrNow
                  /\ version' = IF command.leader = replica /\ leader[replica] # replica
                                THEN [version EXCEPT ![replica] =
                                         IF VersionIsTaken THEN command.version ELSE 0]
                                ELSE versionNow
                  /\ knownLeo' = IF command.leader = replica /\ leader[replica] # replica
                                 THEN knownLeo
                                 ELSE knownLeoNow
                  /\ updated' = IF command.leader = replica /\ leader[replica] # replica
                                THEN updated
                                ELSE updatedNow
                  /\ UNCHANGED <<checkpoint, hw>>

------------------------------------------------------------------------------
(* Steps *)

(* The controller writes another in-sync replica to the path and tells every broker that has the
   partition. *)
ControllerElectsLeader(chosen) ==
    /\ chosen \in pathIsr
    /\ chosen \in assigned
    /\ pathLeader # chosen
    /\ changes' = changes + 1
    /\ pathLeader' = chosen
    /\ pathVersion' = pathVersion + 1
    /\ commands' = [r \in Replica |->
                       IF r \in assigned
                       THEN Append(commands[r],
                                   [kind |-> "leader-and-isr",
                                    leader |-> IF r \in assigned THEN pathLeader' ELSE None,
                                    isr |-> pathIsr,
                                    version |-> pathVersion',
                                    init |-> FALSE])
                       ELSE commands[r]]
    /\ UNCHANGED <<present, log, checkpoint, hw, checkpointing, leader, isr, version, knownLeo,
                   updated, pathIsr, assigned, written, exposed, heeded>>

(* A replica outside the ISR is no longer assigned, and is told to stop. *)
ControllerMovesReplicaAway(replica) ==
    /\ ReplicasMove
    /\ replica \in assigned
    /\ replica \notin pathIsr
    /\ replica # pathLeader
    /\ changes' = changes + 1
    /\ assigned' = assigned \ {replica}
    /\ commands' = [commands EXCEPT ![replica] =
                       Append(@,
                              [kind |-> "stop-replica",
                               leader |-> None,
                               isr |-> {},
                               version |-> 0,
                               init |-> FALSE])]
    /\ UNCHANGED <<present, log, checkpoint, hw, checkpointing, leader, isr, version, knownLeo,
                   updated, pathLeader, pathIsr, pathVersion, written, exposed, heeded>>

(* A replica is assigned again, and told of the leader. *)
ControllerAssignsReplica(replica) ==
    /\ ReplicasMove
    /\ replica \notin assigned
    /\ changes' = changes + 1
    /\ assigned' = assigned \cup {replica}
    /\ commands' = [commands EXCEPT ![replica] =
                       Append(@,
                              [kind |-> "leader-and-isr",
                               leader |-> IF replica \in assigned' THEN pathLeader ELSE None,
                               isr |-> pathIsr,
                               version |-> pathVersion,
                               init |-> FALSE])]
    /\ UNCHANGED <<present, log, checkpoint, hw, checkpointing, leader, isr, version, knownLeo,
                   updated, pathLeader, pathIsr, pathVersion, written, exposed, heeded>>

(* A broker acts on a command. *)
CommandArrives(replica, place) ==
    /\ MayArrive(replica, place)
    /\ Obey(replica, commands[replica][place + 1])
    /\ ForgetCommand(replica, place)
    /\ UNCHANGED <<pathLeader, pathIsr, pathVersion, assigned, written, changes, exposed>>

(* A broker acts on a command that will arrive once more. *)
CommandIsRepeated(replica, place) ==
    /\ CommandsRepeated
    /\ MayArrive(replica, place)
    /\ Obey(replica, commands[replica][place + 1])
    /\ UNCHANGED <<pathLeader, pathIsr, pathVersion, assigned, commands, written, changes, exposed>>

(* A command never arrives. *)
CommandIsLost(replica, place) ==
    /\ CommandsLost
    /\ MayArrive(replica, place)
    /\ ForgetCommand(replica, place)
    /\ UNCHANGED <<present, log, checkpoint, hw, checkpointing, leader, isr, version, knownLeo,
                   updated, pathLeader, pathIsr, pathVersion, assigned, written, changes, exposed,
                   heeded>>

(* A broker stops and comes back: its high watermark is the one on disk, and the controller sends
   it INIT. *)
BrokerRestarts(replica) ==
    /\ BrokersRestart
    /\ present[replica]
    /\ changes' = changes + 1
    /\ LeaveOffice(replica)
    /\ leader' = [leader EXCEPT ![replica] = None]
    /\ checkpointing' = [checkpointing EXCEPT ![replica] = present[replica]]
    /\ hw' = [hw EXCEPT ![replica] = Min(checkpoint[replica], Len(log[replica]))]
    /\ commands' = [commands EXCEPT ![replica] = Append(@, LeaderAndIsr(replica, TRUE))]
    /\ UNCHANGED <<present, log, checkpoint, pathLeader, pathIsr, pathVersion, assigned, written,
                   exposed, heeded>>

(* The HW checkpoint thread writes the high watermark to disk. *)
HighWatermarkIsCheckpointed(replica) ==
    /\ checkpointing[replica]
    /\ checkpoint' = [checkpoint EXCEPT ![replica] = hw[replica]]
    /\ UNCHANGED <<present, log, hw, checkpointing, leader, isr, version, knownLeo, updated,
                   pathLeader, pathIsr, pathVersion, assigned, commands, written, changes, exposed,
                   heeded>>

(* A leader takes a producer's record. *)
LeaderAppends(theLeader) ==
    /\ Leads(theLeader)
    /\ log' = [log EXCEPT ![theLeader] = Append(@, written)]
    /\ written' = written + 1
    /\ updated' = [updated EXCEPT ![theLeader][theLeader] = 0]
    /\ UNCHANGED <<present, checkpoint, hw, checkpointing, leader, isr, version, knownLeo,
                   pathLeader, pathIsr, pathVersion, assigned, commands, changes, exposed, heeded>>

(* The commit thread sets the high watermark to the smallest log end in the ISR. *)
LeaderCommits(theLeader) ==
    /\ Leads(theLeader)
    /\ SetHighWatermark(theLeader)
    /\ UNCHANGED <<present, log, checkpoint, checkpointing, leader, isr, version, knownLeo, updated,
                   pathLeader, pathIsr, pathVersion, assigned, commands, written, changes, heeded>>

(* Time passes for those who lead. *)
Tick ==
    /\ updated' = [b \in Replica |->
                      [f \in Replica |->
                          IF Leads(b) THEN Min(updated[b][f] + 1, LagTimeMax + 1) ELSE 0]]
    /\ UNCHANGED <<present, log, checkpoint, hw, checkpointing, leader, isr, version, knownLeo,
                   pathLeader, pathIsr, pathVersion, assigned, commands, written, changes, exposed,
                   heeded>>

(* A fetch from request to response: maybe_change_ISR, the high watermark, and records. *)
FollowerFetches(follower, theLeader, slowest, joiner) ==
    LET offset == Len(log[follower])
        hwNow == [hw EXCEPT ![theLeader] =
                     MinOr({IF r = theLeader THEN Len(log[theLeader]) ELSE knownLeo'[theLeader][r] :
                            r \in isr'[theLeader]},
                           Len(log[theLeader]))]
    IN  /\ IsServed(follower, theLeader)
        /\ knownLeo' = [knownLeo EXCEPT ![theLeader][follower] = Len(log[follower])]
        /\ updated' = [updated EXCEPT ![theLeader][follower] = 0]
        /\ IF isr[theLeader] = {}
           THEN slowest = theLeader
           ELSE /\ slowest \in isr[theLeader]
                /\ (IF slowest = theLeader
                    THEN Len(log[theLeader])
                    ELSE knownLeo'[theLeader][slowest]) =
                       MinOr({IF r = theLeader
                              THEN Len(log[theLeader])
                              ELSE knownLeo'[theLeader][r] :
                              r \in isr[theLeader]},
                             Len(log[theLeader]))
        /\ IF joiner = None
           THEN \A r \in Replica :
                    r \notin isr[theLeader] =>
                        (IF r = theLeader THEN Len(log[theLeader]) ELSE knownLeo'[theLeader][r]) >=
                            (MinOr({IF r_ = theLeader
                                    THEN Len(log[theLeader])
                                    ELSE knownLeo'[theLeader][r_] :
                                    r_ \in isr[theLeader]},
                                   Len(log[theLeader])) +
                                 MinLag)
           ELSE /\ joiner \notin isr[theLeader]
                /\ (IF joiner = theLeader
                    THEN Len(log[theLeader])
                    ELSE knownLeo'[theLeader][joiner]) <
                       (MinOr({IF r = theLeader
                               THEN Len(log[theLeader])
                               ELSE knownLeo'[theLeader][r] :
                               r \in isr[theLeader]},
                              Len(log[theLeader])) +
                            MinLag)
        /\ ChangeIsr(theLeader,
                     LET shrunk == IF LET behind ==
                                              \/ Dropped = "any"
                                              \/ /\ slowest # theLeader
                                                 /\ (IF slowest = theLeader
                                                     THEN Len(log[theLeader])
                                                     ELSE knownLeo'[theLeader][slowest]) <
                                                        Len(log[theLeader])
                                      IN  /\ behind
                                          /\ \/ Len(log[theLeader]) >
                                                    ((IF slowest = theLeader
                                                      THEN Len(log[theLeader])
                                                      ELSE knownLeo'[theLeader][slowest]) +
                                                         MaxLag)
                                             \/ updated'[theLeader][slowest] > LagTimeMax
                                   THEN isr[theLeader] \ {slowest}
                                   ELSE isr[theLeader]
                     IN  IF joiner = None
                         THEN shrunk
                         ELSE (IF JoiningUndoesRemoval THEN isr[theLeader] ELSE shrunk) \cup
                                  {joiner})
        /\ exposed' = IF hwNow[theLeader] > Len(exposed)
                      THEN Prefix(log[theLeader], hwNow[theLeader])
                      ELSE exposed
        /\ log' = [log EXCEPT ![follower] =
                      @ \o IF FetchSize = "all"
                           THEN Suffix(log[theLeader], offset)
                           ELSE Slice(log[theLeader], offset, offset + 1)]
        /\ hw' = [hwNow EXCEPT ![follower] =
                     IF FollowerHwIsCapped
                     THEN Min(hwNow[theLeader], Len(log'[follower]))
                     ELSE hwNow[theLeader]]
        /\ UNCHANGED <<present, checkpoint, checkpointing, leader, pathLeader, assigned, commands,
                       written, changes, heeded>>

(* A fetch that the leader has served, and of which the follower never hears. *)
ResponseIsLost(follower, theLeader, slowest, joiner) ==
    /\ ResponsesLost
    /\ IsServed(follower, theLeader)
    /\ Serve(theLeader, follower, slowest, joiner)
    /\ UNCHANGED <<present, log, checkpoint, checkpointing, leader, pathLeader, assigned, commands,
                   written, changes, heeded>>

==============================================================================
