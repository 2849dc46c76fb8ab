------------------------------ MODULE MCMutex ------------------------------
EXTENDS Mutex

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

MCNext == Next

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
