------------------------------ MODULE Protocol ------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* The protocol, with two groups of decisions left open: who is admitted to the ISR, and what is
   truncated.

   A file of `admission` fills the first group and a file of `truncation` the second; any two
   make a model. *)

CONSTANTS
    Replica,      \* A broker that holds a copy of the partition.
    LeaderEpochs, \* leader epochs that may begin
    LagTimeMax,   \* T: replica.lag.time.max.ms, in ticks
    None          \* no value

ASSUME LeaderEpochs \in Nat /\ LagTimeMax \in Nat /\ LagTimeMax >= 1

VARIABLES
    log,
    hw,            \* the records below it are known to be committed
    leaderEpoch,
    leader,        \* a leader follows itself
    isr,
    version,
    lag,
    quorumEpoch,
    quorumLeader,
    quorumIsr,
    quorumVersion,
    requests,
    committed      \* the most that was ever below a leader's high watermark

Min(a, b) == IF a <= b THEN a ELSE b

\* The first n elements; all, if there are fewer.
Prefix(s, n) == SubSeq(s, 1, Min(n, Len(s)))

Lag ==
    [fetchedTo: Nat \cup {None},
     caughtUp: Nat \cup {None},
     fetched: Nat \cup {None},
     leoThen: Nat \cup {None}]

LeaderAndIsr == [leader: Replica, isr: SUBSET Replica, version: Nat]

------------------------------------------------------------------------------

vars ==
    <<log, hw, leaderEpoch, leader, isr, version, lag, quorumEpoch, quorumLeader, quorumIsr,
      quorumVersion, requests, committed>>

TypeOk ==
    /\ log \in [Replica -> Seq(Nat)]
    /\ hw \in [Replica -> Nat]
    /\ leaderEpoch \in [Replica -> Nat]
    /\ leader \in [Replica -> Replica \cup {None}]
    /\ isr \in [Replica -> SUBSET Replica]
    /\ version \in [Replica -> Nat]
    /\ lag \in [Replica -> [Replica -> Lag]]
    /\ quorumEpoch \in Nat
    /\ quorumLeader \in Replica \cup {None}
    /\ quorumIsr \in SUBSET Replica
    /\ quorumVersion \in Nat
    /\ requests \in [0..LeaderEpochs -> LeaderAndIsr \cup {None}]
    /\ committed \in Seq(Nat)

Init ==
    /\ log = [r \in Replica |-> <<>>]
    /\ hw = [r \in Replica |-> 0]
    /\ leaderEpoch = [r \in Replica |-> 0]
    /\ leader = [r \in Replica |-> None]
    /\ isr = [r \in Replica |-> {}]
    /\ version = [r \in Replica |-> 0]
    /\ lag = [r \in Replica |->
                 [r_ \in Replica |->
                     [fetchedTo |-> None, caughtUp |-> None, fetched |-> None, leoThen |-> None]]]
    /\ quorumEpoch = 0
    /\ quorumLeader = None
    /\ quorumIsr = Replica
    /\ quorumVersion = 0
    /\ requests = [e \in 0..LeaderEpochs |-> None]
    /\ committed = <<>>

------------------------------------------------------------------------------
(* Who knows what *)

(* Whether a replica takes itself for the leader, rightly or as a zombie. *)
PresumesLeadership(replica) == leader[replica] = replica

(* Whether a replica leads in the epoch on record. *)
IsTrueLeader(theLeader) == PresumesLeadership(theLeader) /\ leaderEpoch[theLeader] = quorumEpoch

(* Whether the record is as the leader last saw it, so that its conditional write succeeds. *)
IsUpToDate(theLeader) == version[theLeader] = quorumVersion

(* Whether the controller has sent a request that makes this replica the leader of an epoch. *)
IsTold(epoch, theLeader) ==
    LET request == requests[epoch] IN request # None /\ request.leader = theLeader

(* The ISR with which the controller began an epoch. *)
IsrAtStart(epoch) ==
    LET request == requests[epoch] IN IF request = None THEN {} ELSE request.isr

(* The version of the record with which the controller began an epoch. *)
VersionAtStart(epoch) ==
    LET request == requests[epoch] IN IF request = None THEN 0 ELSE request.version

(* Whether a leader's high watermark has passed everything that earlier leaders wrote
   (KAFKA-7128). *)
HighWatermarkReachedEpoch(theLeader) ==
    LET theHw == hw[theLeader]
    IN  theHw # Len(log[theLeader]) => log[theLeader][theHw + 1] = leaderEpoch[theLeader]

(* How far a leader knows a follower's log to go. *)
Reached(theLeader, follower) ==
    LET offset == lag[theLeader][follower].fetchedTo IN IF offset = None THEN 0 ELSE offset

(* Whether a follower has fetched from this leader, at an offset or beyond. *)
HasFetchedTo(theLeader, follower, offset) ==
    lag[theLeader][follower].fetchedTo # None /\ Reached(theLeader, follower) >= offset

(* Whether something is longer ago than replica.lag.time.max.ms, or never was. *)
IsTooOld(age) == age # None => age > LagTimeMax

(* One more, up to where no test tells ages apart. *)
AgeAfterTick(age) == IF age = None THEN None ELSE Min(age + 1, LagTimeMax + 1)

(* A follower's lag a tick later. *)
Older(theLag) ==
    [theLag EXCEPT !.caughtUp = AgeAfterTick(theLag.caughtUp),
                   !.fetched = AgeAfterTick(theLag.fetched)]

------------------------------------------------------------------------------
(* What they do *)

(* Every change that the controller makes begins an epoch: it is put on record and sent to the
   replicas. *)
BeginEpoch(theLeader, theIsr) ==
    /\ quorumEpoch' = quorumEpoch + 1
    /\ quorumVersion' = quorumVersion + 1
    /\ quorumLeader' = theLeader
    /\ quorumIsr' = theIsr
    /\ quorumEpoch' \in 0..LeaderEpochs
    /\ requests' = [requests EXCEPT ![quorumEpoch'] =
                       [leader |-> theLeader, isr |-> theIsr, version |-> quorumVersion']]

(* The record and the leader's copy of it change together, to the next version. *)
WriteIsr(theLeader, theIsr) ==
    /\ quorumIsr' = theIsr
    /\ quorumVersion' = quorumVersion + 1
    /\ isr' = [isr EXCEPT ![theLeader] = theIsr]
    /\ version' = [version EXCEPT ![theLeader] = quorumVersion']

(* A replica keeps its records below an offset; its high watermark cannot stay beyond. *)
Truncate(replica, end) ==
    /\ log' = [log EXCEPT ![replica] = Prefix(@, end)]
    /\ hw' = [hw EXCEPT ![replica] = Min(@, end)]

------------------------------------------------------------------------------
(* Steps *)

(* The controller hands leadership to another in-sync replica, to begin with or to balance the
   load. *)
ControllerElectsLeader(chosen) ==
    /\ chosen \in quorumIsr
    /\ quorumLeader # chosen
    /\ BeginEpoch(chosen, quorumIsr)
    /\ UNCHANGED <<log, hw, leaderEpoch, leader, isr, version, lag, committed>>

(* The controller elects another in-sync replica and removes the leader from the ISR; it may well
   be alive. *)
ControllerTakesLeaderForDead(chosen) ==
    /\ chosen \in quorumIsr
    /\ quorumLeader # None
    /\ quorumLeader # chosen
    /\ BeginEpoch(chosen, {r \in quorumIsr : r # quorumLeader})
    /\ UNCHANGED <<log, hw, leaderEpoch, leader, isr, version, lag, committed>>

(* The controller removes a follower from the ISR, which begins an epoch too; it may well be
   alive. *)
ControllerTakesFollowerForDead(follower, theLeader) ==
    /\ quorumLeader = theLeader
    /\ follower \in quorumIsr
    /\ follower # theLeader
    /\ BeginEpoch(theLeader, quorumIsr \ {follower})
    /\ UNCHANGED <<log, hw, leaderEpoch, leader, isr, version, lag, committed>>

(* Time passes, and all that leaders know of their followers grows older. *)
Tick ==
    /\ lag' = [theLeader \in Replica |-> [f \in Replica |-> Older(lag[theLeader][f])]]
    /\ UNCHANGED <<log, hw, leaderEpoch, leader, isr, version, quorumEpoch, quorumLeader, quorumIsr,
                   quorumVersion, requests, committed>>

==============================================================================
