------------------------------ MODULE AsyncIsr ------------------------------
EXTENDS IsrByRequest

(* KIP-497: the ISR last heard of and all that were asked for hold the high watermark back (the
   maximal ISR). *)

Min(a, b) == IF a <= b THEN a ELSE b

SetMin(S) == CHOOSE x \in S : \A y \in S : x <= y

MinOr(S, none) == IF S = {} THEN none ELSE SetMin(S)

------------------------------------------------------------------------------
(* Decisions *)

(* Whichever ISR the controller has on record by now, it is within these. *)
HighWatermarkIsr == leader.isr \cup pendingIsr

------------------------------------------------------------------------------
(* Who knows what *)

(* The offset that the leader's log and every follower that counts have reached. *)
HighWatermark == Min(logEnd, MinOr({fetched[f] : f \in HighWatermarkIsr}, logEnd))

------------------------------------------------------------------------------
(* Steps *)

(* The leader asks for a follower that has reached the high watermark to be added. *)
LeaderRequestsExpand(follower) ==
    /\ follower \notin leader.isr
    /\ fetched[follower] >= HighWatermark
    /\ LeaderRequests(leader.isr \cup {follower})
    /\ UNCHANGED <<controller, updates, leader, logEnd, fetched>>

------------------------------------------------------------------------------

Next ==
    \/ \E follower \in Follower : ControllerShrinksIsr(follower)
    \/ \E request \in requests : ControllerHandlesRequest(request)
    \/ \E follower \in Follower : LeaderRequestsShrink(follower)
    \/ \E follower \in Follower : LeaderRequestsExpand(follower)
    \/ LeaderWrites
    \/ \E update \in updates : LeaderHandlesUpdate(update)
    \/ \E follower \in Follower : FollowerReplicates(follower)

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Properties *)

(* Every member of the ISR that the controller elects from has all that the leader has exposed
   (KIP-497). *)
ValidHighWatermark == \A f \in controller.isr : fetched[f] >= HighWatermark

(* The leader never takes back what it has exposed (KAFKA-4485, guarantee 3). *)
HwNeverDecreases == [][HighWatermark' >= HighWatermark]_vars

(* The leader exposes a record. *)
SomethingCommits == HighWatermark > 0

NeverSomethingCommits == ~SomethingCommits

==============================================================================
