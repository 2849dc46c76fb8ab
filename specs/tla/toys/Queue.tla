------------------------------- MODULE Queue -------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* First in, first out; no guard says that it may be full. *)

CONSTANTS
    Capacity, \* things that the queue holds
    None      \* no value

ASSUME Capacity \in Nat

VARIABLES
    queue,
    last

Min(a, b) == IF a <= b THEN a ELSE b

Range(f) == {f[x] : x \in DOMAIN f}

Last(s) == s[Len(s)]

\* The first n elements; all, if there are fewer.
Prefix(s, n) == SubSeq(s, 1, Min(n, Len(s)))

\* All but the first n elements.
Suffix(s, n) == SubSeq(s, n + 1, Len(s))

Colour == {"red", "blue"}

------------------------------------------------------------------------------

vars == <<queue, last>>

TypeOk == queue \in Seq(Colour) /\ last \in Colour \cup {None}

Init == queue = <<>> /\ last = None

------------------------------------------------------------------------------
(* Who knows what *)

(* What arrived last and is still there. *)
Newest == IF Len(queue) = 0 THEN None ELSE Last(queue)

------------------------------------------------------------------------------
(* Steps *)

(* A thing arrives. *)
Put(colour) ==
    /\ queue' = Append(queue, colour)
    /\ UNCHANGED last

(* The oldest thing leaves. *)
Take ==
    /\ Len(queue) > 0
    /\ last' = queue[1]
    /\ queue' = Suffix(queue, 1)

------------------------------------------------------------------------------

Next ==
    \/ \E colour \in Colour : Put(colour)
    \/ Take

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* The queue keeps to its capacity. *)
NeverTooLong == Len(queue) <= Capacity

(* Either the oldest left, or the newest arrived. *)
OrderIsKept == [][queue' = Suffix(queue, 1) \/ Prefix(queue', Len(queue)) = queue]_vars

(* There can be as many red things as there is room for. *)
FullOfRed == Len(queue) = Capacity /\ "blue" \notin Range(queue) /\ "red" \in Range(queue)

NeverFullOfRed == ~FullOfRed

(* The newest thing has the colour of the one taken last. *)
NewestIsLikeTheLast == Newest # None /\ Newest = last

NeverNewestIsLikeTheLast == ~NewestIsLikeTheLast

==============================================================================
