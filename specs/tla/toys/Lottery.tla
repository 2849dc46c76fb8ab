------------------------------ MODULE Lottery ------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* Tickets are sold, then one is drawn. *)

CONSTANTS
    Player,  \* Somebody with a ticket.
    Numbers, \* numbers in the drum
    None     \* no value

ASSUME Numbers \in Nat /\ Numbers >= 1

VARIABLES
    sold,
    result

Ticket == [number: Nat, holder: Player \cup {None}]

Prize == {"book", "cake"}

Draw_ == [ticket: Ticket, prize: Prize, others: SUBSET Player]

------------------------------------------------------------------------------

vars == <<sold, result>>

TypeOk == sold \in SUBSET Ticket /\ result \in Draw_ \cup {None}

Init == sold = {} /\ result = None

------------------------------------------------------------------------------
(* Steps *)

(* Somebody buys a number that is not sold. *)
Sell(ticket) ==
    /\ result = None
    /\ ticket.holder # None
    /\ ticket.number \notin {t.number : t \in sold}
    /\ sold' = sold \cup {ticket}
    /\ UNCHANGED result

(* A number is drawn; those who hold others look on. The last draw is of a number that nobody
   bought. *)
Draw(number, holder, prize, others, last) ==
    LET drawn == [number |-> number, holder |-> holder]
    IN  /\ result = None
        /\ Cardinality(sold) > 0
        /\ others = {p \in Player : p # holder /\ \E t \in sold : t.holder = p}
        /\ IF last THEN holder = None /\ \A t \in sold : t.number # number ELSE drawn \in sold
        /\ result' = [ticket |-> drawn, prize |-> prize, others |-> others]
        /\ UNCHANGED sold

------------------------------------------------------------------------------

Next ==
    \/ \E ticket \in [number: 0..(Numbers - 1), holder: Player \cup {None}] : Sell(ticket)
    \/ \E number \in 0..(Numbers - 1),
          holder \in Player \cup {None},
          prize \in Prize,
          others \in SUBSET Player,
          last \in BOOLEAN :
           Draw(number, holder, prize, others, last)

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* Whoever won is not among the others. *)
WinnersLookOnNoMore ==
    result # None /\ result.ticket.holder # None => result.ticket.holder \notin result.others

(* No two tickets have the same number. *)
NumbersAreSoldOnce == \A one, two \in sold : one = two \/ one.number # two.number

(* A number is drawn that nobody holds. *)
NobodyWins == result # None /\ result.ticket.holder = None

NeverNobodyWins == ~NobodyWins

(* The cake is won while somebody looks on. *)
RolloverOfCake == result # None /\ result.prize = "cake" /\ Cardinality(result.others) > 0

NeverRolloverOfCake == ~RolloverOfCake

==============================================================================
