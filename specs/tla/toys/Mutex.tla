------------------------------- MODULE Mutex -------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* Whoever wants to enter says so, gives the turn away, and waits until it comes back or nobody
   else wants it. *)

CONSTANTS
    Process, \* One of the two.
    None     \* no value

ASSUME Cardinality(Process) = 2

VARIABLES
    place,
    wants,
    turn

Place == {"idle", "asking", "waiting", "inside"}

------------------------------------------------------------------------------

vars == <<place, wants, turn>>

TypeOk ==
    place \in [Process -> Place] /\ wants \in [Process -> BOOLEAN] /\ turn \in Process \cup {None}

Init == place = [p \in Process |-> "idle"] /\ wants = [p \in Process |-> FALSE] /\ turn = None

------------------------------------------------------------------------------
(* Steps *)

(* A process raises its flag. *)
Ask(process) ==
    /\ place[process] = "idle"
    /\ wants' = [wants EXCEPT ![process] = TRUE]
    /\ place' = [place EXCEPT ![process] = "asking"]
    /\ UNCHANGED turn

(* A process that has raised its flag gives the turn away. *)
GiveWay(process, other) ==
    /\ process # other
    /\ place[process] = "asking"
    /\ turn' = other
    /\ place' = [place EXCEPT ![process] = "waiting"]
    /\ UNCHANGED wants

(* A process that waits enters once it may. *)
Enter(process) ==
    /\ place[process] = "waiting"
    /\ \/ turn = process
       \/ \A p \in Process : p # process => ~wants[p]
    /\ place' = [place EXCEPT ![process] = "inside"]
    /\ UNCHANGED <<wants, turn>>

(* A process lowers its flag. *)
Leave(process) ==
    /\ place[process] = "inside"
    /\ wants' = [wants EXCEPT ![process] = FALSE]
    /\ place' = [place EXCEPT ![process] = "idle"]
    /\ UNCHANGED turn

------------------------------------------------------------------------------

Next ==
    \/ \E process \in Process : Ask(process)
    \/ \E process, other \in Process : GiveWay(process, other)
    \/ \E process \in Process : Enter(process)
    \/ \E process \in Process : Leave(process)

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* At most one process is inside. *)
MutualExclusion == Cardinality({p \in Process : place[p] = "inside"}) <= 1

(* A flag is up unless its process is idle. *)
FlagsAreTrue == \A p \in Process : wants[p] = (place[p] # "idle")

(* A process waits while the other is inside. *)
SomeoneWaits == (\E p \in Process : place[p] = "waiting") /\ \E p \in Process : place[p] = "inside"

NeverSomeoneWaits == ~SomeoneWaits

==============================================================================
