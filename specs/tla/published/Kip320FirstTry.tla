--------------------------- MODULE Kip320FirstTry ---------------------------
EXTENDS Replication

(* A fetch names the epoch of the follower's last record; which epoch the follower itself is in,
   it does not say.

   Violates both ISR properties with three replicas and three epochs: a follower in an older
   epoch lets the high watermark pass a record, then hears of an epoch in between and truncates
   that record to suit its leader. *)

SetMax(S) == CHOOSE x \in S : \A y \in S : y <= x

MaxOr(S, none) == IF S = {} THEN none ELSE SetMax(S)

Last(s) == s[Len(s)]

------------------------------------------------------------------------------
(* Decisions *)

(* Whether both logs reach an offset and the records just below it are of one epoch. *)
Matches(follower, theLeader, end) ==
    end # 0 =>
        /\ end <= Len(log[theLeader])
        /\ end <= Len(log[follower])
        /\ Last(Prefix(log[theLeader], end)).epoch = Last(Prefix(log[follower], end)).epoch

(* The logs match below the high watermark, and that has passed all that earlier leaders wrote. *)
MayJoinIsr(follower, theLeader) ==
    Matches(follower, theLeader, hw[theLeader]) /\ HighWatermarkReachedEpoch(theLeader)

(* The logs match up to the leader's log end. *)
KeepsUp(follower, theLeader) == Matches(follower, theLeader, Len(log[theLeader]))

(* Both logs have a record of the same epoch at the high watermark. *)
Acknowledges(follower, theLeader) == Matches(follower, theLeader, hw[theLeader] + 1)

(* At once, whatever the leader itself has heard by then. *)
MayFollow(follower, theLeader, epoch) == TRUE

(* A new follower keeps its whole log. *)
TruncationPoint(follower, theLeader) == Len(log[follower])

(* The follower's log matches the leader's as far as it goes. *)
MayFetch(follower, theLeader) == Matches(follower, theLeader, Len(log[follower]))

------------------------------------------------------------------------------
(* Who knows what *)

(* The offset after the last record that two logs have in the same place (KIP-279). *)
EndOfAgreement(mine, theirs) ==
    MaxOr({o + 1 :
           o \in {o \in 0..(Len(mine) - 1) : o < Len(theirs) /\ mine[o + 1] = theirs[o + 1]}},
          0)

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

(* A follower whose fetch was refused cuts its log to what it shares with the leader. *)
FollowerTruncates(follower, theLeader) ==
    /\ PresumesLeadership(theLeader)
    /\ Follows(follower, theLeader)
    /\ ~Matches(follower, theLeader, Len(log[follower]))
    /\ Truncate(follower, EndOfAgreement(log[follower], log[theLeader]))
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
    \/ \E follower, theLeader \in Replica : FollowerTruncates(follower, theLeader)

Spec == Init /\ [][Next]_vars

==============================================================================
