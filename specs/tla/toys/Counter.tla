------------------------------ MODULE Counter ------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* Nothing but the bound keeps the counter low. *)

CONSTANT
    Limit  \* where counting ends

ASSUME Limit \in Nat

(* The limit is 3 or more, or the property could not break. *)
ASSUME Limit >= 3

VARIABLE
    count

------------------------------------------------------------------------------

vars == <<count>>

TypeOk == count \in Nat

Init == count = 0

------------------------------------------------------------------------------
(* Steps *)

(* One more. *)
Up == count' = count + 1

(* Twice as many. *)
Double == count' = count * 2

(* One less. *)
Down ==
    /\ count > 0
    /\ count' = count - 1

------------------------------------------------------------------------------

Next ==
    \/ Up
    \/ Double
    \/ Down

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* A count above the limit is never seen. *)
WithinLimit == count <= Limit

(* The count stays below 3. *)
BelowThree == count < 3

==============================================================================
