--------------------------- MODULE MCThermometer ---------------------------
EXTENDS Thermometer

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

WithinBounds ==
    /\ degree <= Boiling
    /\ seen.lowest <= Boiling
    /\ seen.highest <= Boiling
    /\ \A d \in unseen : d <= Boiling

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
