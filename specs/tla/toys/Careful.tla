------------------------------ MODULE Careful ------------------------------
EXTENDS Crossing

(* All lights must be red first. *)

CONSTANT
    Mode  \* who looks after the lights

ASSUME Mode \in {"attended", "blinking"}

------------------------------------------------------------------------------
(* Decisions *)

(* Nobody else goes. *)
MayTurnGreen(road) == \A r \in Road : light[r] = "red"

------------------------------------------------------------------------------
(* Steps *)

(* A road goes. *)
TurnGreen(road) ==
    /\ road \in waiting
    /\ Mode = "attended"
    /\ MayTurnGreen(road)
    /\ light' = [light EXCEPT ![road] = "green"]
    /\ waiting' = waiting \ {road}

------------------------------------------------------------------------------

Next ==
    \/ \E road \in Road : Arrive(road)
    \/ \E road \in Road : TurnGreen(road)
    \/ \E road \in Road : TurnRed(road)

Spec == Init /\ [][Next]_vars

==============================================================================
