------------------------------- MODULE MCYard -------------------------------
EXTENDS Yard

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

WithinBounds ==
    (\A t \in Track : Len(track[t]) <= Wagons) /\ (train # None => Len(train.wagons) <= Wagons)

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
