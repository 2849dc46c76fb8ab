------------------------------- MODULE Forks -------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* Any free fork will do; nobody puts one down before having eaten with two. *)

CONSTANTS
    Fork,        \* There are as many as philosophers.
    Philosopher, \* Somebody who thinks, and eats with two forks.
    None         \* no value

VARIABLE
    holder

SetMax(S) == CHOOSE x \in S : \A y \in S : y <= x

------------------------------------------------------------------------------

vars == <<holder>>

TypeOk == holder \in [Fork -> Philosopher \cup {None}]

Init == holder = [f \in Fork |-> None]

------------------------------------------------------------------------------
(* Who knows what *)

(* How many forks a philosopher holds. *)
ForksOf(who) == Cardinality({f \in Fork : holder[f] = who})

------------------------------------------------------------------------------
(* Steps *)

(* A hungry philosopher takes a free fork. *)
Take(who, fork) ==
    /\ holder[fork] = None
    /\ ForksOf(who) < 2
    /\ holder' = [holder EXCEPT ![fork] = who]

(* A philosopher with two forks eats, and puts them down. *)
Eat(who) ==
    /\ ForksOf(who) = 2
    /\ holder' = [f \in Fork |-> IF holder[f] = who THEN None ELSE holder[f]]

------------------------------------------------------------------------------

Next ==
    \/ \E who \in Philosopher, fork \in Fork : Take(who, fork)
    \/ \E who \in Philosopher : Eat(who)

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* Nobody has more than two forks. *)
TwoForksAtMost == SetMax({ForksOf(p) : p \in Philosopher}) <= 2

(* A philosopher has two forks. *)
SomeoneCanEat == \E p \in Philosopher : ForksOf(p) = 2

NeverSomeoneCanEat == ~SomeoneCanEat

==============================================================================
