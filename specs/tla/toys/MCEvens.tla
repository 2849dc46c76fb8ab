------------------------------ MODULE MCEvens ------------------------------
EXTENDS Evens

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

CONSTANT
    Limit  \* the largest number

WithinBounds == number <= Limit

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
