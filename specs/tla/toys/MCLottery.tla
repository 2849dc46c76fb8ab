----------------------------- MODULE MCLottery -----------------------------
EXTENDS Lottery

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

WithinBounds ==
    /\ \A t \in sold : t.number <= Numbers - 1
    /\ result # None => result.ticket.number <= Numbers - 1

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
