------------------------------- MODULE Kip279 -------------------------------
EXTENDS Replication

(* Nothing is left to the high watermark; but whose log it is compared with is not checked.

   Violates both ISR properties with three replicas: a follower that heeds a stale request
   truncates to a leader that has itself been replaced, and a new leader with an old high
   watermark admits replicas that lack committed records (KAFKA-7128). The search is the
   published module's: the last offset at which both logs have the same record, without the
   exchange of epochs by which brokers find it. *)

SetMax(S) == CHOOSE x \in S : \A y \in S : y <= x

MaxOr(S, none) == IF S = {} THEN none ELSE SetMax(S)

------------------------------------------------------------------------------
(* Decisions *)

(* The offset after the last record that two logs have in the same place (KIP-279). *)
EndOfAgreement(mine, theirs) ==
    MaxOr({o + 1 :
           o \in {o \in 0..(Len(mine) - 1) : o < Len(theirs) /\ mine[o + 1] = theirs[o + 1]}},
          0)

(* The follower's log reaches the leader's high watermark. *)
MayJoinIsr(follower, theLeader) == hw[theLeader] <= Len(log[follower])

(* The follower's log reaches the leader's log end. *)
KeepsUp(follower, theLeader) == Len(log[theLeader]) <= Len(log[follower])

(* The follower's log goes beyond the leader's high watermark. *)
Acknowledges(follower, theLeader) == hw[theLeader] < Len(log[follower])

(* At once, whatever the leader itself has heard by then. *)
MayFollow(follower, theLeader, epoch) == TRUE

(* The end of what the two logs have in common. *)
TruncationPoint(follower, theLeader) == EndOfAgreement(log[follower], log[theLeader])

(* Always: the fetch says no more than the follower's log end. *)
MayFetch(follower, theLeader) == TRUE

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
