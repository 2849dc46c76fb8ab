------------------------------ MODULE Crossing ------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* Each road has a light; when a light may turn green is left open. *)

CONSTANT
    FootpathOpen  \* whether anybody may walk

ASSUME FootpathOpen \in BOOLEAN

VARIABLES
    light,
    waiting

Road == {"north", "east", "footpath"}

Light == {"red", "green"}

------------------------------------------------------------------------------

vars == <<light, waiting>>

TypeOk == light \in [Road -> Light] /\ waiting \in SUBSET Road

Init == light = [r \in Road |-> "red"] /\ waiting = Road

------------------------------------------------------------------------------
(* Steps *)

(* Somebody comes to a red light. *)
Arrive(road) ==
    /\ road \notin waiting
    /\ light[road] = "red"
    /\ \/ FootpathOpen
       \/ road # "footpath"
    /\ waiting' = waiting \cup {road}
    /\ UNCHANGED light

(* A road has gone. *)
TurnRed(road) ==
    /\ light[road] = "green"
    /\ light' = [light EXCEPT ![road] = "red"]
    /\ UNCHANGED waiting

------------------------------------------------------------------------------
(* Promises *)

(* At most one road has a green light. *)
OneAtATime == Cardinality({road \in Road : light[road] = "green"}) <= 1

(* Whoever waits is shown a red light. *)
NobodyWaitsAtGreen == \A road \in waiting : light[road] = "red"

(* Where the footpath is closed, nobody waits there. *)
WalkersAloneWait ==
    IF FootpathOpen
    THEN TRUE
    ELSE IF light["footpath"] = "green" THEN FALSE ELSE waiting \subseteq {"north", "east"}

(* The footpath goes. *)
PeopleWalk == light["footpath"] = "green"

NeverPeopleWalk == ~PeopleWalk

==============================================================================
