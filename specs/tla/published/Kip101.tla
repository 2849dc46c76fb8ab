------------------------------- MODULE Kip101 -------------------------------
EXTENDS Replication

(* The leader answers with the start of its first later epoch; if it has none, the high watermark
   decides as before.

   Violates both ISR properties when leaders change in quick succession (KIP-279): a follower
   that wrote in an epoch of which the leader has no record gets no answer, and falls back to a
   high watermark that is too low. *)

CONSTANT
    \* an answer beyond a follower's log end cuts nothing; as published such a follower waits
    \* instead
    Kip101Min

ASSUME Kip101Min \in BOOLEAN

SetMin(S) == CHOOSE x \in S : \A y \in S : x <= y

MinOr(S, none) == IF S = {} THEN none ELSE SetMin(S)

Last(s) == s[Len(s)]

------------------------------------------------------------------------------
(* Decisions *)

(* The follower's log reaches the leader's high watermark. *)
MayJoinIsr(follower, theLeader) == hw[theLeader] <= Len(log[follower])

(* The follower's log reaches the leader's log end. *)
KeepsUp(follower, theLeader) == Len(log[theLeader]) <= Len(log[follower])

(* The follower's log goes beyond the leader's high watermark. *)
Acknowledges(follower, theLeader) == hw[theLeader] < Len(log[follower])

(* The leader's log end if the epoch is its last, else the start of its first later one. *)
EndOfEpoch(epoch, theLeader, unknown) ==
    LET theLog == log[theLeader]
    IN  IF Len(theLog) > 0 /\ Last(theLog).epoch = epoch
        THEN Len(theLog)
        ELSE MinOr({o \in 0..(Len(theLog) - 1) : theLog[o + 1].epoch > epoch}, unknown)

(* Where the epoch of the follower's last record ends in the leader's log, or else its own high
   watermark. *)
TruncationPoint(follower, theLeader) ==
    IF Len(log[follower]) = 0
    THEN 0
    ELSE LET answer == EndOfEpoch(Last(log[follower]).epoch, theLeader, hw[follower])
         IN  IF Kip101Min THEN Min(answer, Len(log[follower])) ELSE answer

(* As published, not before the answer lies within the follower's log; Kafka takes the lesser of
   the two. *)
MayFollow(follower, theLeader, epoch) == TruncationPoint(follower, theLeader) <= Len(log[follower])

(* Always: the fetch says no more than the follower's log end. *)
MayFetch(follower, theLeader) == TRUE

------------------------------------------------------------------------------
(* Who knows what *)

(* The epoch of the last record in a log. *)
LastEpoch(follower) == IF Len(log[follower]) = 0 THEN None ELSE Last(log[follower]).epoch

(* Whether the leader has a record of the follower's last epoch, or of a later one. *)
IsAnswered(follower, theLeader) ==
    LET last == LastEpoch(follower)
    IN  last # None /\ \E record \in Range(log[theLeader]) : record.epoch >= last

------------------------------------------------------------------------------
(* Steps *)

(* The true leader adds a follower to the ISR. *)
LeaderExpandsIsr(theLeader, replica) ==
    /\ IsTrueLeader(theLeader)
    /\ replica \notin isr[theLeader]
    /\ Follows(replica, theLeader)
    /\ MayJoinIsr(replica, theLeader)
    /\ LeaderWritesIsr(theLeader, isr[theLeader] \cup {replica})
    /\ UNCHANGED <<log, hw, leaderEpoch, leader, quorumEpoch, quorumLeader, requests,
                   nextLeaderEpoch, nextRecordId>>

(* The true leader drops a replica that does not follow it or has fallen behind, as soon or late
   as it likes. *)
LeaderShrinksIsr(theLeader, replica) ==
    /\ IsTrueLeader(theLeader)
    /\ replica \in isr[theLeader]
    /\ replica # theLeader
    /\ ~(Follows(replica, theLeader) /\ KeepsUp(replica, theLeader))
    /\ LeaderWritesIsr(theLeader, isr[theLeader] \ {replica})
    /\ UNCHANGED <<log, hw, leaderEpoch, leader, quorumEpoch, quorumLeader, requests,
                   nextLeaderEpoch, nextRecordId>>

(* The high watermark passes a record once every member of the leader's own ISR is seen to hold
   it. *)
LeaderAdvancesHighWatermark(theLeader) ==
    /\ PresumesLeadership(theLeader)
    /\ \A r \in isr[theLeader] : Follows(r, theLeader) /\ Acknowledges(r, theLeader)
    /\ hw' = [hw EXCEPT ![theLeader] = @ + 1]
    /\ UNCHANGED <<log, leaderEpoch, leader, isr, quorumEpoch, quorumLeader, quorumIsr, requests,
                   nextLeaderEpoch, nextRecordId>>

(* A replica learns of a newer leader and cuts its log to fit. *)
ReplicaBecomesFollower(follower, theLeader, epoch) ==
    /\ follower # theLeader
    /\ IsTold(epoch, theLeader)
    /\ IsNews(epoch, follower)
    /\ MayFollow(follower, theLeader, epoch)
    /\ Truncate(follower, TruncationPoint(follower, theLeader))
    /\ leaderEpoch' = [leaderEpoch EXCEPT ![follower] = epoch]
    /\ leader' = [leader EXCEPT ![follower] = theLeader]
    /\ isr' = [isr EXCEPT ![follower] = IsrAtStart(epoch)]
    /\ UNCHANGED <<quorumEpoch, quorumLeader, quorumIsr, requests, nextLeaderEpoch, nextRecordId>>

(* A follower fetches its next record, and with it the leader's high watermark as far as it has
   the records. *)
FollowerReplicates(follower, theLeader) ==
    LET end == Len(log[follower])
    IN  /\ PresumesLeadership(theLeader)
        /\ Follows(follower, theLeader)
        /\ end < Len(log[theLeader])
        /\ MayFetch(follower, theLeader)
        /\ log' = [log EXCEPT ![follower] = Append(@, log[theLeader][end + 1])]
        /\ hw' = [hw EXCEPT ![follower] = Min(hw[theLeader], end + 1)]
        /\ UNCHANGED <<leaderEpoch, leader, isr, quorumEpoch, quorumLeader, quorumIsr, requests,
                       nextLeaderEpoch, nextRecordId>>

------------------------------------------------------------------------------

Next ==
    \/ \E chosen \in Replica : ControllerElectsLeader(chosen)
    \/ \E replica \in Replica : ControllerShrinksIsr(replica)
    \/ \E theLeader \in Replica, epoch \in 0..MaxLeaderEpoch :
           ReplicaBecomesLeader(theLeader, epoch)
    \/ \E theLeader, replica \in Replica : LeaderExpandsIsr(theLeader, replica)
    \/ \E theLeader, replica \in Replica : LeaderShrinksIsr(theLeader, replica)
    \/ \E theLeader \in Replica : LeaderWrites(theLeader)
    \/ \E theLeader \in Replica : LeaderAdvancesHighWatermark(theLeader)
    \/ \E follower, theLeader \in Replica, epoch \in 0..MaxLeaderEpoch :
           ReplicaBecomesFollower(follower, theLeader, epoch)
    \/ \E follower, theLeader \in Replica : FollowerReplicates(follower, theLeader)

Spec == Init /\ [][Next]_vars

==============================================================================
