------------------------------- MODULE Evens -------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* Counting by twos. *)

VARIABLE
    number

------------------------------------------------------------------------------

vars == <<number>>

TypeOk == number \in Nat

Init == number = 0

------------------------------------------------------------------------------
(* Steps *)

(* The next even number. *)
AddTwo == number' = number + 2

------------------------------------------------------------------------------

Next == AddTwo

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* The number is even. *)
Even == number % 2 = 0

(* There are three twos. *)
Six == number \div 2 = 3

NeverSix == ~Six

(* A number is odd. *)
Odd == number % 2 = 1

NeverOdd == ~Odd

==============================================================================
