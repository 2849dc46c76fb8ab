---------------------------- MODULE Thermometer ----------------------------
EXTENDS Integers, Sequences, FiniteSets

(* It rises and falls by one. *)

CONSTANT
    Boiling  \* the highest degree

ASSUME Boiling \in Nat /\ Boiling >= 1

VARIABLES
    degree,
    seen,
    unseen

Max(a, b) == IF a >= b THEN a ELSE b

Min(a, b) == IF a <= b THEN a ELSE b

Range_ == [lowest: Nat, highest: Nat]

------------------------------------------------------------------------------

vars == <<degree, seen, unseen>>

TypeOk == degree \in Nat /\ seen \in Range_ /\ unseen \in SUBSET Nat

Init == degree = 0 /\ seen = [lowest |-> 0, highest |-> 0] /\ unseen = 0..Boiling

------------------------------------------------------------------------------
(* Steps *)

(* It gets warmer. *)
Rise ==
    /\ degree' = degree + 1
    /\ seen' = [lowest |-> Min(seen.lowest, degree'), highest |-> Max(seen.highest, degree')]
    /\ unseen' = unseen \ {degree'}

(* It gets colder. *)
Fall ==
    /\ degree >= 1
    /\ degree' = degree - 1
    /\ seen' = [lowest |-> Min(seen.lowest, degree'), highest |-> Max(seen.highest, degree')]
    /\ unseen' = unseen \ {degree'}

------------------------------------------------------------------------------

Next ==
    \/ Rise
    \/ Fall

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* The degree is between the lowest and the highest seen. *)
WithinWhatWasSeen == seen.lowest <= degree /\ degree <= seen.highest

(* What is shown now is not unseen, except at the start. *)
NotUnseen ==
    \/ degree \notin unseen
    \/ degree = seen.highest /\ seen.highest = 0

(* What was seen stays seen. *)
MemoryGrows ==
    [][/\ seen.highest <= seen'.highest
       /\ seen'.lowest <= seen.lowest
       /\ unseen' \subseteq unseen]_vars

(* Every degree was shown. *)
AllSeen == Cardinality(unseen) = 0

NeverAllSeen == ~AllSeen

==============================================================================
