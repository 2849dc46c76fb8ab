----------------------------- MODULE MCCashier -----------------------------
EXTENDS Cashier

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

WithinBounds == \A c \in Customer : balance[c] <= Purse

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
