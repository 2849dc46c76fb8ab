---------------------------- MODULE Replication ----------------------------
EXTENDS Integers, Sequences, FiniteSets

(* The protocol. A variant fills its six policies: what to truncate, and what to compare before
   an exchange. *)

CONSTANTS
    Replica,        \* A broker that holds a copy of the partition.
    MaxLeaderEpoch, \* the last leader epoch that may begin, counted from 0
    \* the controller may drop the last replica from the ISR of a leaderless partition, as
    \* published
    IsrMayEmpty,
    None            \* no value

ASSUME MaxLeaderEpoch \in Nat /\ IsrMayEmpty \in BOOLEAN

VARIABLES
    log,
    hw,              \* the records below it are known to be committed
    leaderEpoch,
    leader,          \* a leader follows itself
    isr,
    quorumEpoch,
    quorumLeader,
    quorumIsr,
    requests,
    nextLeaderEpoch,
    nextRecordId

Min(a, b) == IF a <= b THEN a ELSE b

Range(f) == {f[x] : x \in DOMAIN f}

\* The first n elements; all, if there are fewer.
Prefix(s, n) == SubSeq(s, 1, Min(n, Len(s)))

Record == [id: Nat, epoch: Nat]

LeaderAndIsr == [leader: Replica \cup {None}, isr: SUBSET Replica]

------------------------------------------------------------------------------

vars ==
    <<log, hw, leaderEpoch, leader, isr, quorumEpoch, quorumLeader, quorumIsr, requests,
      nextLeaderEpoch, nextRecordId>>

TypeOk ==
    /\ log \in [Replica -> Seq(Record)]
    /\ hw \in [Replica -> Nat]
    /\ leaderEpoch \in [Replica -> Nat \cup {None}]
    /\ leader \in [Replica -> Replica \cup {None}]
    /\ isr \in [Replica -> SUBSET Replica]
    /\ quorumEpoch \in Nat \cup {None}
    /\ quorumLeader \in Replica \cup {None}
    /\ quorumIsr \in SUBSET Replica
    /\ requests \in [0..MaxLeaderEpoch -> LeaderAndIsr \cup {None}]
    /\ nextLeaderEpoch \in Nat
    /\ nextRecordId \in Nat

Init ==
    /\ log = [r \in Replica |-> <<>>]
    /\ hw = [r \in Replica |-> 0]
    /\ leaderEpoch = [r \in Replica |-> None]
    /\ leader = [r \in Replica |-> None]
    /\ isr = [r \in Replica |-> {}]
    /\ quorumEpoch = None
    /\ quorumLeader = None
    /\ quorumIsr = Replica
    /\ requests = [e \in 0..MaxLeaderEpoch |-> None]
    /\ nextLeaderEpoch = 0
    /\ nextRecordId = 0

------------------------------------------------------------------------------
(* Who knows what *)

(* Whether a replica takes itself for the leader, rightly or as a zombie. *)
PresumesLeadership(replica) == leader[replica] = replica

(* Whether a replica takes this one for its leader, in whatever epoch. *)
Follows(follower, theLeader) == leader[follower] = theLeader

(* Whether two replicas have last heeded requests of the same epoch (KIP-320). *)
SharesEpoch(follower, theLeader) == leaderEpoch[follower] = leaderEpoch[theLeader]

(* Whether the quorum, too, has a replica on record as the leader in the epoch that it believes
   in. *)
IsTrueLeader(theLeader) ==
    /\ quorumLeader = theLeader
    /\ PresumesLeadership(theLeader)
    /\ leaderEpoch[theLeader] = quorumEpoch

(* Whether the controller has sent a request that makes this replica the leader of an epoch. *)
IsTold(epoch, theLeader) ==
    LET request == requests[epoch] IN request # None /\ request.leader = theLeader

(* The ISR with which the controller began an epoch. *)
IsrAtStart(epoch) ==
    LET request == requests[epoch] IN IF request = None THEN {} ELSE request.isr

(* Whether a request is of a later epoch than any that the replica has heeded. *)
IsNews(epoch, replica) ==
    LET known == leaderEpoch[replica] IN known # None => known < epoch

(* The epoch in which a replica takes itself for the leader; it has one, or it would not. *)
EpochOf(theLeader) ==
    LET known == leaderEpoch[theLeader] IN IF known = None THEN 0 ELSE known

(* Whether a leader's high watermark has passed everything that earlier leaders wrote
   (KAFKA-7128). *)
HighWatermarkReachedEpoch(theLeader) ==
    LET theHw == hw[theLeader]
    IN  theHw # Len(log[theLeader]) => log[theLeader][theHw + 1].epoch = leaderEpoch[theLeader]

------------------------------------------------------------------------------
(* What they do *)

(* Every change that the controller makes begins an epoch: it is put on record and sent to the
   replicas. *)
ControllerBeginsEpoch(theLeader, theIsr) ==
    /\ nextLeaderEpoch \in 0..MaxLeaderEpoch
    /\ requests' = [requests EXCEPT ![nextLeaderEpoch] = [leader |-> theLeader, isr |-> theIsr]]
    /\ quorumEpoch' = nextLeaderEpoch
    /\ quorumLeader' = theLeader
    /\ quorumIsr' = theIsr
    /\ nextLeaderEpoch' = nextLeaderEpoch + 1

(* A leader's ISR and the one on record change together. *)
LeaderWritesIsr(theLeader, theIsr) ==
    /\ quorumIsr' = theIsr
    /\ isr' = [isr EXCEPT ![theLeader] = theIsr]

(* A replica keeps its records below an offset; its high watermark cannot stay beyond. *)
Truncate(replica, end) ==
    /\ log' = [log EXCEPT ![replica] = Prefix(@, end)]
    /\ hw' = [hw EXCEPT ![replica] = Min(@, end)]

------------------------------------------------------------------------------
(* Steps *)

(* The controller hands leadership to another in-sync replica, after a failure or to balance the
   load. *)
ControllerElectsLeader(chosen) ==
    /\ chosen \in quorumIsr
    /\ quorumLeader # chosen
    /\ ControllerBeginsEpoch(chosen, quorumIsr)
    /\ UNCHANGED <<log, hw, leaderEpoch, leader, isr, nextRecordId>>

(* The controller takes a replica for dead: a leader loses its office, the others their place in
   the ISR.

   The replica may well be alive and go on as before. A leader that is alone in the ISR stays in
   it. *)
ControllerShrinksIsr(replica) ==
    /\ \/ quorumLeader = replica
       \/ replica \in quorumIsr
    /\ \/ IsrMayEmpty
       \/ quorumLeader = replica
       \/ quorumIsr # {replica}
    /\ IF quorumLeader # replica
       THEN ControllerBeginsEpoch(quorumLeader, quorumIsr \ {replica})
       ELSE IF quorumIsr = {replica}
            THEN ControllerBeginsEpoch(None, quorumIsr)
            ELSE ControllerBeginsEpoch(None, quorumIsr \ {replica})
    /\ UNCHANGED <<log, hw, leaderEpoch, leader, isr, nextRecordId>>

(* A replica learns that it leads. Its high watermark is as old as its last fetch. *)
ReplicaBecomesLeader(theLeader, epoch) ==
    /\ IsTold(epoch, theLeader)
    /\ IsNews(epoch, theLeader)
    /\ leaderEpoch' = [leaderEpoch EXCEPT ![theLeader] = epoch]
    /\ leader' = [leader EXCEPT ![theLeader] = theLeader]
    /\ isr' = [isr EXCEPT ![theLeader] = IsrAtStart(epoch)]
    /\ UNCHANGED <<log, hw, quorumEpoch, quorumLeader, quorumIsr, requests, nextLeaderEpoch,
                   nextRecordId>>

(* Whoever presumes to lead takes a producer's record; a zombie's writes are left to replication
   to reject. *)
LeaderWrites(theLeader) ==
    /\ PresumesLeadership(theLeader)
    /\ log' = [log EXCEPT ![theLeader] =
                  Append(@, [id |-> nextRecordId, epoch |-> EpochOf(theLeader)])]
    /\ nextRecordId' = nextRecordId + 1
    /\ UNCHANGED <<hw, leaderEpoch, leader, isr, quorumEpoch, quorumLeader, quorumIsr, requests,
                   nextLeaderEpoch>>

------------------------------------------------------------------------------
(* Properties *)

(* What a presumed leader has exposed to consumers is on every replica in the ISR that it knows
   of (KIP-101). *)
WeakIsr ==
    \A theLeader \in Replica :
        PresumesLeadership(theLeader) =>
            \A r \in isr[theLeader] :
                Prefix(log[r], hw[theLeader]) = Prefix(log[theLeader], hw[theLeader])

(* What a presumed leader has exposed to consumers is on every replica that may be elected next
   (KIP-320). *)
StrongIsr ==
    \A theLeader \in Replica :
        PresumesLeadership(theLeader) =>
            \A r \in quorumIsr :
                Prefix(log[r], hw[theLeader]) = Prefix(log[theLeader], hw[theLeader])

(* The leader on the quorum's record is a member of the ISR on record (KIP-497). *)
LeaderInIsr ==
    \/ quorumLeader = None
    \/ quorumLeader \in quorumIsr

(* Two replicas hold the same records up to the lesser of their high watermarks (KIP-101's second
   scenario). *)
LogMatching ==
    \A one, other \in Replica :
        Prefix(log[one], Min(hw[one], hw[other])) = Prefix(log[other], Min(hw[one], hw[other]))

(* The ISR on record has a member, so that somebody can be elected who has all that was exposed. *)
IsrNeverEmpty == quorumIsr # {}

(* A leader leaves in the ISR whoever is in its epoch and has its whole log (compare KAFKA-4485,
   problem 2). *)
KeepUpStays ==
    [][\A theLeader \in Replica :
           (/\ IsTrueLeader(theLeader)
            /\ quorumEpoch' = quorumEpoch) =>
               \A follower \in quorumIsr :
                   SharesEpoch(follower, theLeader) /\ log[follower] = log[theLeader] =>
                       follower \in quorumIsr']_vars

(* Some replica knows of a committed record. *)
SomethingCommits == \E r \in Replica : hw[r] > 0

NeverSomethingCommits == ~SomethingCommits

(* A leader's high watermark passes a record written after a change of epoch. *)
ALaterEpochCommits ==
    \E theLeader \in Replica :
        /\ PresumesLeadership(theLeader)
        /\ \E record \in Range(Prefix(log[theLeader], hw[theLeader])) : record.epoch > 0

NeverALaterEpochCommits == ~ALaterEpochCommits

(* A record that was written is in no log any more. *)
SomethingIsTruncated ==
    \E written \in 0..(nextRecordId - 1) :
        \A r \in Replica : \A record \in Range(log[r]) : record.id # written

NeverSomethingIsTruncated == ~SomethingIsTruncated

(* The ISR on record lacks a replica that it had when the current epoch began. *)
ALeaderShrinksTheIsr ==
    \E e \in 0..(nextLeaderEpoch - 1) :
        e = quorumEpoch /\ quorumIsr \subseteq IsrAtStart(e) /\ quorumIsr # IsrAtStart(e)

NeverALeaderShrinksTheIsr == ~ALeaderShrinksTheIsr

(* The ISR on record has a replica that it lacked when the current epoch began. *)
AReplicaRejoinsTheIsr ==
    \E e \in 0..(nextLeaderEpoch - 1) :
        e = quorumEpoch /\ IsrAtStart(e) \subseteq quorumIsr /\ IsrAtStart(e) # quorumIsr

NeverAReplicaRejoinsTheIsr == ~AReplicaRejoinsTheIsr

==============================================================================
