----------------------------- MODULE MCJuggler -----------------------------
EXTENDS Juggler

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

WithinBounds ==
    /\ left <= Ceiling
    /\ right <= Ceiling
    /\ Len(throws) <= 3
    /\ \A i \in DOMAIN throws : throws[i] <= Ceiling
    /\ \A h \in busy : h <= 1

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
