------------------------------ MODULE MCQueue ------------------------------
EXTENDS Queue

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

WithinBounds == Len(queue) <= Capacity

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
