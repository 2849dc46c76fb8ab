------------------------------ MODULE MCLedger ------------------------------
EXTENDS Ledger

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

CONSTANT
    Lines  \* lines in the book

WithinBounds ==
    /\ \A f \in Friend : purse[f] <= Coins
    /\ Len(book) <= Lines
    /\ \A i \in DOMAIN book : book[i].coins <= Coins
    /\ fund <= Coins

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
