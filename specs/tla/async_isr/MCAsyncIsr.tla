----------------------------- MODULE MCAsyncIsr -----------------------------
EXTENDS AsyncIsr

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

CONSTANTS
    MaxOffset,  \* records that the leader may write
    MaxVersion  \* changes of the ISR that the controller may make

WithinBounds ==
    /\ controller.version <= MaxVersion
    /\ \A i \in requests : i.version <= MaxVersion
    /\ \A i \in updates : i.version <= MaxVersion
    /\ leader.version <= MaxVersion
    /\ pendingVersion # None => pendingVersion <= MaxVersion
    /\ logEnd <= MaxOffset
    /\ \A f \in Follower : fetched[f] <= MaxOffset

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
