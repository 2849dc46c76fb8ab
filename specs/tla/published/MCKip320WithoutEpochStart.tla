--------------------- MODULE MCKip320WithoutEpochStart ---------------------
EXTENDS Kip320WithoutEpochStart

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

CONSTANTS
    LogSize,    \* records that a log may hold
    MaxRecords  \* records that producers may write, over all leaders

WithinBounds ==
    /\ \A r \in Replica :
           /\ Len(log[r]) <= LogSize
           /\ \A i \in DOMAIN log[r] :
                  log[r][i].id <= MaxRecords - 1 /\ log[r][i].epoch <= MaxLeaderEpoch
    /\ \A r \in Replica : hw[r] <= LogSize
    /\ \A r \in Replica : leaderEpoch[r] # None => leaderEpoch[r] <= MaxLeaderEpoch
    /\ quorumEpoch # None => quorumEpoch <= MaxLeaderEpoch
    /\ nextLeaderEpoch <= MaxLeaderEpoch + 1
    /\ nextRecordId <= MaxRecords

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
