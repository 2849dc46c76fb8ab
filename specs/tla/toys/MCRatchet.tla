----------------------------- MODULE MCRatchet -----------------------------
EXTENDS Ratchet

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

WithinBounds == tooth <= Top

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
