------------------------------ MODULE MCShelf ------------------------------
EXTENDS Shelf

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

WithinBounds ==
    /\ \A p \in 0..(Places - 1) : box[p] # None => box[p] <= 2
    /\ \A k \in BOOLEAN : \A p \in 0..(Places - 1) : marked[k][p] <= 1
    /\ following <= Places

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
