------------------------------- MODULE Seats -------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* Guests book, pay, change sides and cancel. *)

CONSTANTS
    Guest, \* Somebody who wants a seat.
    Seats, \* seats on each side
    None   \* no value

ASSUME Seats \in Nat /\ Seats >= 1

VARIABLES
    plan,
    first  \* the first booking of all, as it was made

\* The sum of a function's values.
Sum(f) ==
    LET Over[S \in SUBSET DOMAIN f] ==
            IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN f[x] + Over[S \ {x}]
    IN  Over[DOMAIN f]

Side == {"left", "right"}

Booking == [guest: Guest, paid: BOOLEAN]

------------------------------------------------------------------------------

vars == <<plan, first>>

TypeOk ==
    plan \in [Side -> [0..(Seats - 1) -> Booking \cup {None}]] /\ first \in Booking \cup {None}

Init == plan = [s \in Side |-> [s_ \in 0..(Seats - 1) |-> None]] /\ first = None

------------------------------------------------------------------------------
(* Who knows what *)

(* Whether a seat is this guest's. *)
Sits(guest, side, seat) ==
    LET booking == plan[side][seat] IN booking # None /\ booking.guest = guest

------------------------------------------------------------------------------
(* Steps *)

(* A guest without a seat books a free one. *)
Book(guest, side, seat) ==
    /\ plan[side][seat] = None
    /\ \A s \in Side, n \in 0..(Seats - 1) : ~Sits(guest, s, n)
    /\ plan' = [plan EXCEPT ![side][seat] = [guest |-> guest, paid |-> FALSE]]
    /\ IF first = None THEN first' = plan'[side][seat] ELSE UNCHANGED first

(* A guest pays for a seat that is booked and not paid. *)
Pay(side, seat) ==
    LET booking == plan[side][seat]
    IN  /\ booking # None
        /\ ~booking.paid
        /\ IF booking # None
           THEN plan' = [plan EXCEPT ![side][seat] = [booking EXCEPT !.paid = TRUE]]
           ELSE UNCHANGED plan
        /\ UNCHANGED first

(* Whoever has the two seats of a row, or one of them, changes sides. *)
ChangeSides(seat) ==
    /\ plan["left"][seat] # plan["right"][seat]
    /\ plan' = [plan EXCEPT !["left"][seat] = plan["right"][seat],
                            !["right"][seat] = plan["left"][seat]]
    /\ UNCHANGED first

(* A guest gives back a seat that is not paid. *)
Cancel(side, seat) ==
    LET booking == plan[side][seat]
    IN  /\ booking # None
        /\ booking # None => ~booking.paid
        /\ plan' = [plan EXCEPT ![side][seat] = None]
        /\ UNCHANGED first

------------------------------------------------------------------------------

Next ==
    \/ \E guest \in Guest, side \in Side, seat \in 0..(Seats - 1) : Book(guest, side, seat)
    \/ \E side \in Side, seat \in 0..(Seats - 1) : Pay(side, seat)
    \/ \E seat \in 0..(Seats - 1) : ChangeSides(seat)
    \/ \E side \in Side, seat \in 0..(Seats - 1) : Cancel(side, seat)

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* Nobody has two seats. *)
OneSeatEach ==
    \A g \in Guest : Sum([s \in Side |-> Cardinality({n \in 0..(Seats - 1) : Sits(g, s, n)})]) <= 1

(* The first booking is remembered as it was made. *)
FirstIsUnpaid == first # None => first = [guest |-> first.guest, paid |-> FALSE]

(* All guests sit and have paid. *)
EverybodyPaid ==
    \A g \in Guest : \E s \in Side, n \in 0..(Seats - 1) : plan[s][n] = [guest |-> g, paid |-> TRUE]

NeverEverybodyPaid == ~EverybodyPaid

(* Whoever booked first has given the seat back. *)
FirstGuestLeft == first # None /\ \A s \in Side, n \in 0..(Seats - 1) : ~Sits(first.guest, s, n)

NeverFirstGuestLeft == ~FirstGuestLeft

==============================================================================
