---------------------------- MODULE IsrByRequest ----------------------------
EXTENDS Integers, Sequences, FiniteSets

(* The protocol. A variant fills one policy: who holds the high watermark back while a request is
   pending. *)

CONSTANTS
    Follower, \* A replica other than the leader.
    None      \* no value

VARIABLES
    controller,
    requests,       \* sent by the leader; none is ever lost for good
    updates,        \* sent by the controller, likewise
    leader,
    pendingIsr,     \* members of any ISR asked for
    pendingVersion, \* None: nothing is asked for
    logEnd,
    fetched

Isr == [isr: SUBSET Follower, version: Nat]

------------------------------------------------------------------------------

vars == <<controller, requests, updates, leader, pendingIsr, pendingVersion, logEnd, fetched>>

TypeOk ==
    /\ controller \in Isr
    /\ requests \in SUBSET Isr
    /\ updates \in SUBSET Isr
    /\ leader \in Isr
    /\ pendingIsr \in SUBSET Follower
    /\ pendingVersion \in Nat \cup {None}
    /\ logEnd \in Nat
    /\ fetched \in [Follower -> Nat]

Init ==
    /\ controller = [isr |-> Follower, version |-> 0]
    /\ requests = {}
    /\ updates = {}
    /\ leader = [isr |-> Follower, version |-> 0]
    /\ pendingIsr = {}
    /\ pendingVersion = None
    /\ logEnd = 0
    /\ fetched = [f \in Follower |-> 0]

------------------------------------------------------------------------------
(* What they do *)

(* The controller puts an ISR on record, as its next version, and tells the leader. *)
ControllerWrites(isr) ==
    /\ controller' = [isr |-> isr, version |-> controller.version + 1]
    /\ updates' = updates \cup {controller'}

(* The leader asks for an ISR, and from now on reckons with it. *)
LeaderRequests(isr) ==
    /\ requests' = requests \cup {[isr |-> isr, version |-> leader.version]}
    /\ pendingIsr' = pendingIsr \cup isr
    /\ pendingVersion' = leader.version

------------------------------------------------------------------------------
(* Steps *)

(* The controller takes a follower for dead. *)
ControllerShrinksIsr(follower) ==
    /\ follower \in controller.isr
    /\ ControllerWrites(controller.isr \ {follower})
    /\ UNCHANGED <<requests, leader, pendingIsr, pendingVersion, logEnd, fetched>>

(* The controller grants a request that is based on its latest version; others come too late. *)
ControllerHandlesRequest(request) ==
    /\ request \in requests
    /\ request.version = controller.version
    /\ ControllerWrites(request.isr)
    /\ UNCHANGED <<requests, leader, pendingIsr, pendingVersion, logEnd, fetched>>

(* The leader asks for a follower to be dropped. *)
LeaderRequestsShrink(follower) ==
    /\ follower \in leader.isr
    /\ LeaderRequests(leader.isr \ {follower})
    /\ UNCHANGED <<controller, updates, leader, logEnd, fetched>>

(* The leader takes a producer's record. *)
LeaderWrites ==
    /\ logEnd' = logEnd + 1
    /\ UNCHANGED <<controller, requests, updates, leader, pendingIsr, pendingVersion, fetched>>

(* The leader learns of a newer ISR; whatever it had asked for is settled. *)
LeaderHandlesUpdate(update) ==
    /\ update \in updates
    /\ update.version > leader.version
    /\ leader' = update
    /\ pendingIsr' = {}
    /\ pendingVersion' = None
    /\ UNCHANGED <<controller, requests, updates, logEnd, fetched>>

(* A follower fetches its next record, and the leader sees it. *)
FollowerReplicates(follower) ==
    /\ fetched[follower] < logEnd
    /\ fetched' = [fetched EXCEPT ![follower] = @ + 1]
    /\ UNCHANGED <<controller, requests, updates, leader, pendingIsr, pendingVersion, logEnd>>

------------------------------------------------------------------------------
(* Properties *)

(* No follower has more than its leader, in the one epoch that there is. *)
FollowersWithinLog == \A f \in Follower : fetched[f] <= logEnd

(* A request is based on a version that the controller has since replaced. *)
ARequestComesTooLate == \E request \in requests : request.version < controller.version

NeverARequestComesTooLate == ~ARequestComesTooLate

(* The controller's ISR has a follower that an earlier one lacked. *)
AFollowerRejoinsTheIsr ==
    \E update \in updates : update.isr \subseteq controller.isr /\ update.isr # controller.isr

NeverAFollowerRejoinsTheIsr == ~AFollowerRejoinsTheIsr

==============================================================================
