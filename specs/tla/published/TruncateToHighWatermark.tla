---------------------- MODULE TruncateToHighWatermark ----------------------
EXTENDS Replication

(* A follower's high watermark is one fetch older than its leader's, so this cuts off committed
   records.

   Breaks `weak_isr` and `strong_isr` with two replicas and a single record: the follower holds
   the record that the leader has just committed, hears of a new epoch, and drops it while it is
   still in the ISR. *)

------------------------------------------------------------------------------
(* Decisions *)

(* The follower's log reaches the leader's high watermark. *)
MayJoinIsr(follower, theLeader) == hw[theLeader] <= Len(log[follower])

(* The follower's log reaches the leader's log end. *)
KeepsUp(follower, theLeader) == Len(log[theLeader]) <= Len(log[follower])

(* The follower's log goes beyond the leader's high watermark. *)
Acknowledges(follower, theLeader) == hw[theLeader] < Len(log[follower])

(* At once, whatever the leader itself has heard by then. *)
MayFollow(follower, theLeader, epoch) == TRUE

(* The follower's own high watermark. *)
TruncationPoint(follower, theLeader) == hw[follower]

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
