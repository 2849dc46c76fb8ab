------------------------------ MODULE Juggler ------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* Two hands, each at a height; the throws so far are remembered, the oldest forgotten. *)

CONSTANT
    Ceiling  \* how high a hand goes

ASSUME Ceiling \in Nat /\ Ceiling >= 2

VARIABLES
    left,
    right,
    throws,
    busy,
    caught

Max(a, b) == IF a >= b THEN a ELSE b

Min(a, b) == IF a <= b THEN a ELSE b

SetMax(S) == CHOOSE x \in S : \A y \in S : y <= x

MaxOr(S, none) == IF S = {} THEN none ELSE SetMax(S)

Range(f) == {f[x] : x \in DOMAIN f}

\* The elements after the first m, up to the n-th.
Slice(s, m, n) == SubSeq(s, m + 1, Min(n, Len(s)))

\* The sum of a function's values.
Sum(f) ==
    LET Over[S \in SUBSET DOMAIN f] ==
            IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN f[x] + Over[S \ {x}]
    IN  Over[DOMAIN f]

------------------------------------------------------------------------------

vars == <<left, right, throws, busy, caught>>

TypeOk ==
    /\ left \in Nat
    /\ right \in Nat
    /\ throws \in Seq(Nat)
    /\ busy \in SUBSET Nat
    /\ caught \in [0..1 -> BOOLEAN]

Init == left = 0 /\ right = 1 /\ throws = <<>> /\ busy = {} /\ caught = [h \in 0..1 |-> FALSE]

------------------------------------------------------------------------------
(* What they do *)

(* The left hand rests, if nothing was thrown. *)
Settle(height) == IF Len(throws) = 0 THEN left' = height ELSE UNCHANGED left

------------------------------------------------------------------------------
(* Steps *)

(* The hands change places. *)
Swap ==
    /\ left' = right
    /\ right' = left
    /\ left' # right'
    /\ UNCHANGED <<throws, busy, caught>>

(* The left hand throws; of four throws the oldest is forgotten before anybody sees four. *)
Throw(high) ==
    LET height == left + 1
        height2 == height + 1
        height3 == height - 1
        height4 == IF right = Ceiling THEN height3 ELSE height
        height5 == IF high THEN height2 ELSE height4
        throwsNow == Slice(Append(throws, height5), 1, 4)
    IN  /\ throws' = IF Len(Append(throws, height5)) > 3 THEN throwsNow ELSE Append(throws, height5)
        /\ height5 > -right
        /\ Len(throws') >= 3 => throws'[1] <= throws'[2]
        /\ UNCHANGED <<left, right, busy, caught>>

(* The right hand goes beyond the ceiling and comes back by two, if it started from the ceiling. *)
Stretch ==
    /\ right' = IF right + 2 > Ceiling + 1 THEN right ELSE right + 2
    /\ UNCHANGED <<left, throws, busy, caught>>

(* A hand takes hold, and so does the one after it if the first is free; then both are counted. *)
Grab(hand) ==
    LET second == hand + 1
        caughtNow == [caught EXCEPT ![hand] = TRUE]
        busyNow == busy \cup {hand, second}
    IN  /\ hand \in 0..1
        /\ second \in 0..1
        /\ caught' = [caughtNow EXCEPT ![second] = ~caughtNow[hand]]
        /\ hand \notin busy
        /\ Cardinality(busyNow) >= 1
        /\ busy' = busyNow \cap {0, 1}
        /\ UNCHANGED <<left, right, throws>>

(* Everything is let go, if both hands or neither were busy. *)
Drop ==
    LET both == {0, 1}
    IN  /\ IF Cardinality(busy) > 1
           THEN both \cap busy = both
           ELSE busy \subseteq both /\ busy # both
        /\ busy' = busy \ both
        /\ caught' = [h \in 0..1 |-> h \in busy']
        /\ Settle(0)
        /\ UNCHANGED <<right, throws>>

------------------------------------------------------------------------------

Next ==
    \/ Swap
    \/ \E high \in BOOLEAN : Throw(high)
    \/ Stretch
    \/ \E hand \in 0..1 : Grab(hand)
    \/ Drop

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* Both hands stay under the ceiling. *)
HandsWithinReach == Max(left, right) <= Ceiling /\ Min(Min(left, right), Ceiling) >= 0

(* No throw is lower than the floor above. *)
ThrowsAreUpward == \A t \in Range(throws) : t >= 1

(* Three throws of one height are remembered. *)
ThreeEqualThrows == throws = <<1, 1, 1>>

NeverThreeEqualThrows == ~ThreeEqualThrows

(* No throw is more than all together, nor more than the highest. *)
ThrowsAddUp ==
    /\ Sum([i \in DOMAIN throws |-> throws[i]]) >= MaxOr(Range(throws), 0)
    /\ throws = SelectSeq(throws, LAMBDA t : t \in Range(throws))

(* One hand holds on, the other does not. *)
CaughtOne == \E h \in 0..1 : caught[h] /\ ~caught[1 - h]

NeverCaughtOne == ~CaughtOne

==============================================================================
