------------------------------ MODULE Ratchet ------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* It goes up tooth by tooth, and from the top back to the bottom. *)

CONSTANT
    Top  \* teeth

ASSUME Top \in Nat /\ Top >= 1

VARIABLE
    tooth

------------------------------------------------------------------------------

vars == <<tooth>>

TypeOk == tooth \in Nat

Init == tooth = 0

------------------------------------------------------------------------------
(* Steps *)

(* One tooth up. *)
Up == tooth' = tooth + 1

(* From the top to the bottom. *)
Slip ==
    /\ tooth = Top
    /\ tooth' = 0

(* Nothing happens. *)
Rest == UNCHANGED vars

------------------------------------------------------------------------------

Next ==
    \/ Up
    \/ Slip
    \/ Rest

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* The ratchet does not go back. *)
NeverBack == [][tooth <= tooth']_vars

(* The ratchet never stands still. *)
AlwaysMoves == [][tooth # tooth']_vars

(* The ratchet skips nothing on its way up. *)
OneToothAtATime == [][tooth' <= tooth + 1]_vars

==============================================================================
