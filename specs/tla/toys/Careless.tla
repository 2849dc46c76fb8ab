------------------------------ MODULE Careless ------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* A road looks at its own light; and somebody counts, up to a limit of its own. *)

CONSTANTS
    Mode,         \* who looks after the lights
    FootpathOpen, \* whether anybody may walk
    Patience,     \* times that a light is turned off for good
    None          \* no value

ASSUME Mode \in {"attended", "blinking"} /\ FootpathOpen \in BOOLEAN /\ Patience \in Nat

VARIABLES
    light,
    waiting,
    broken

Road == {"north", "east", "footpath"}

Light == {"red", "green"}

------------------------------------------------------------------------------

vars == <<light, waiting, broken>>

TypeOk == light \in [Road -> Light] /\ waiting \in SUBSET Road /\ broken \in Road \cup {None}

Init == light = [r \in Road |-> "red"] /\ waiting = Road /\ broken = None

------------------------------------------------------------------------------
(* Decisions *)

(* Whether a light can still turn green. *)
Works(road) == road # broken

(* The road itself does not go, and its light works. *)
MayTurnGreen(road) == light[road] = "red" /\ Works(road)

------------------------------------------------------------------------------
(* Steps *)

(* Somebody comes to a red light. *)
Arrive(road) ==
    /\ road \notin waiting
    /\ light[road] = "red"
    /\ \/ FootpathOpen
       \/ road # "footpath"
    /\ waiting' = waiting \cup {road}
    /\ UNCHANGED <<light, broken>>

(* A road goes. *)
TurnGreen(road) ==
    /\ road \in waiting
    /\ Mode = "attended"
    /\ MayTurnGreen(road)
    /\ light' = [light EXCEPT ![road] = "green"]
    /\ waiting' = waiting \ {road}
    /\ UNCHANGED broken

(* A road has gone. *)
TurnRed(road) ==
    /\ light[road] = "green"
    /\ light' = [light EXCEPT ![road] = "red"]
    /\ UNCHANGED <<waiting, broken>>

(* A light that is red stays so for good. *)
BreakDown(road) ==
    /\ Patience > 0
    /\ broken = None
    /\ light[road] = "red"
    /\ broken' = road
    /\ UNCHANGED <<light, waiting>>

------------------------------------------------------------------------------

Next ==
    \/ \E road \in Road : Arrive(road)
    \/ \E road \in Road : TurnGreen(road)
    \/ \E road \in Road : TurnRed(road)
    \/ \E road \in Road : BreakDown(road)

Spec == Init /\ [][Next]_vars

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

(* A broken light is red. *)
BrokenIsRed == broken # None => light[broken] = "red"

(* Somebody waits at a broken light while all others go. *)
Jam == broken \in waiting /\ \A r \in Road : r # broken => light[r] = "green"

NeverJam == ~Jam

==============================================================================
