------------------------------- MODULE Shelf -------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* Each box goes to the place after the last; there is no guard at the end of the shelf. *)

CONSTANTS
    Places, \* places on the shelf
    None    \* no value

ASSUME Places \in Nat /\ Places >= 1

VARIABLES
    box,
    marked,
    following

------------------------------------------------------------------------------

vars == <<box, marked, following>>

TypeOk ==
    /\ box \in [0..(Places - 1) -> Nat \cup {None}]
    /\ marked \in [BOOLEAN -> [0..(Places - 1) -> Nat]]
    /\ following \in Nat

Init ==
    /\ box = [p \in 0..(Places - 1) |-> None]
    /\ marked = [k \in BOOLEAN |-> [p \in 0..(Places - 1) |-> 0]]
    /\ following = 0

------------------------------------------------------------------------------
(* Steps *)

(* A box is put in the next place. *)
Put(weight, fragile) ==
    /\ following \in 0..(Places - 1)
    /\ box' = [box EXCEPT ![following] = weight]
    /\ following \in 0..(Places - 1)
    /\ marked' = [marked EXCEPT ![fragile][following] = @ + 1]
    /\ following' = following + 1

(* A box is taken away; its mark stays. *)
Take(place) ==
    LET weight == box[place]
    IN  /\ weight # None
        /\ weight > 0
        /\ box' = [box EXCEPT ![place] = None]
        /\ UNCHANGED <<marked, following>>

------------------------------------------------------------------------------

Next ==
    \/ \E weight \in 0..2, fragile \in BOOLEAN : Put(weight, fragile)
    \/ \E place \in 0..(Places - 1) : Take(place)

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* Places that were never filled are empty. *)
NothingBeyond == \A p \in following..(Places - 1) : box[p] = None

(* A place has at most one mark. *)
OneMarkEach == \A p \in 0..(Places - 1) : marked[TRUE][p] + marked[FALSE][p] <= 1

(* Everything was put on the shelf and taken away. *)
Emptied == following = Places /\ \A p \in 0..(Places - 1) : box[p] = None

NeverEmptied == ~Emptied

==============================================================================
