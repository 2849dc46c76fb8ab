------------------------------ MODULE MCClock ------------------------------
EXTENDS Clock

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

WithinBounds == hour <= Hours - 1 /\ minute <= Minutes - 1

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
