----------------------------- MODULE MCCounter -----------------------------
EXTENDS Counter

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

WithinBounds == count <= Limit

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
