----------------------------- MODULE MCMessages -----------------------------
EXTENDS Messages

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

WithinBounds ==
    /\ \A m \in network : m.number <= Messages - 1
    /\ sent <= Messages
    /\ \A n \in received : n <= Messages - 1
    /\ \A n \in acknowledged : n <= Messages - 1

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
