------------------------------- MODULE Clock -------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* Minutes carry over into hours, and hours into nothing. *)

CONSTANTS
    Hours,   \* hours in a day
    Minutes  \* minutes in an hour

ASSUME Hours \in 1..24 /\ Minutes \in Nat /\ Minutes >= 1

VARIABLES
    hour,
    minute

------------------------------------------------------------------------------

vars == <<hour, minute>>

TypeOk == hour \in Nat /\ minute \in Nat

Init == hour = 0 /\ minute = 0

------------------------------------------------------------------------------
(* Who knows what *)

(* Minutes since midnight. *)
Now == (hour * Minutes) + minute

------------------------------------------------------------------------------
(* Steps *)

(* A minute passes. *)
Tick ==
    /\ minute' = (minute + 1) % Minutes
    /\ IF minute' = 0 THEN hour' = (hour + 1) % Hours ELSE UNCHANGED hour

------------------------------------------------------------------------------

Next == Tick

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* The time is less than a day. *)
WithinADay == 0 <= Now /\ Now < Hours * Minutes

(* Each tick leads to the minute after. *)
OneMinuteAtATime == [][Now' = (Now + 1) % (Hours * Minutes)]_vars

(* A day goes by. *)
LastMinute == Now + 1 = Hours * Minutes

NeverLastMinute == ~LastMinute

==============================================================================
