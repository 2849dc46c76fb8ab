----------------------- MODULE MCKip16ByHighWatermark -----------------------
EXTENDS Kip16ByHighWatermark

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

CONSTANTS
    MaxRecords, \* records that a log may hold
    MaxVersion  \* writes of the partition's record, elections included

WithinBounds ==
    /\ \A r \in Replica :
           Len(log[r]) <= MaxRecords /\ \A i \in DOMAIN log[r] : log[r][i] <= LeaderEpochs
    /\ \A r \in Replica : hw[r] <= MaxRecords
    /\ \A r \in Replica : leaderEpoch[r] <= LeaderEpochs
    /\ \A r \in Replica : version[r] <= MaxVersion
    /\ \A r \in Replica :
           \A r_ \in Replica :
               /\ lag[r][r_].fetchedTo # None => lag[r][r_].fetchedTo <= MaxRecords
               /\ lag[r][r_].caughtUp # None => lag[r][r_].caughtUp <= LagTimeMax + 1
               /\ lag[r][r_].fetched # None => lag[r][r_].fetched <= LagTimeMax + 1
               /\ lag[r][r_].leoThen # None => lag[r][r_].leoThen <= MaxRecords
    /\ quorumEpoch <= LeaderEpochs
    /\ quorumVersion <= MaxVersion
    /\ \A e \in 0..LeaderEpochs : requests[e] # None => requests[e].version <= MaxVersion
    /\ Len(committed) <= MaxRecords
    /\ \A i \in DOMAIN committed : committed[i] <= LeaderEpochs

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
