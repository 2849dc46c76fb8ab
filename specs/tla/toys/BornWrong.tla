----------------------------- MODULE BornWrong -----------------------------
EXTENDS Integers, Sequences, FiniteSets

(* A lamp with a switch. *)

VARIABLE
    on

------------------------------------------------------------------------------

vars == <<on>>

TypeOk == on \in BOOLEAN

Init == on = TRUE

------------------------------------------------------------------------------
(* Steps *)

(* Somebody presses the switch. *)
Switch == on' = (~on)

------------------------------------------------------------------------------

Next == Switch

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* The lamp is off. *)
Dark == ~on

(* The lamp is on. *)
Bright == on

NeverBright == ~Bright

==============================================================================
