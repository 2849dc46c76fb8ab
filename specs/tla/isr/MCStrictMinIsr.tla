--------------------------- MODULE MCStrictMinIsr ---------------------------
EXTENDS StrictMinIsr

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

CONSTANT
    MaxRecords  \* records that producers may append

WithinBounds ==
    /\ logEnd <= MaxRecords
    /\ \A f \in Follower : followerEnd[f] <= MaxRecords
    /\ Len(appendAge) <= MaxRecords
    /\ \A i \in DOMAIN appendAge : appendAge[i] <= LagTimeMax + 1
    /\ \A f \in Follower : readToEndAge[f] <= LagTimeMax + 1
    /\ hw <= MaxRecords
    /\ timer <= ExpirationPeriod - 1
    /\ \A f \in Follower : known[f] <= MaxRecords
    /\ \A f \in Follower : fetchAge[f] <= LagTimeMax + 1
    /\ \A f \in Follower : caughtUpAge[f] <= LagTimeMax + 1
    /\ \A f \in Follower : lagBeginAge[f] # None => lagBeginAge[f] <= LagTimeMax + 1
    /\ \A f \in Follower : fetchLeo[f] <= MaxRecords
    /\ \A f \in Follower : reading[f] # None => reading[f].age <= LagTimeMax + 1

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
