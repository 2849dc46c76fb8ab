-------------------------- MODULE MCOriginalDesign --------------------------
EXTENDS OriginalDesign

(* The bounds of a run. A step that would leave them does not happen; isrcheck counts it as
   pruned. *)

CONSTANTS
    MaxRecords, \* records that producers may write
    MaxVersion, \* writes of the LeaderAndISR path, elections included
    MaxChanges  \* elections, moves and restarts that may happen

WithinBounds ==
    /\ \A r \in Replica :
           Len(log[r]) <= MaxRecords /\ \A i \in DOMAIN log[r] : log[r][i] <= MaxRecords - 1
    /\ \A r \in Replica : checkpoint[r] <= MaxRecords
    /\ \A r \in Replica : hw[r] <= MaxRecords
    /\ \A r \in Replica : version[r] <= MaxVersion
    /\ \A r \in Replica : \A r_ \in Replica : knownLeo[r][r_] <= MaxRecords
    /\ \A r \in Replica : \A r_ \in Replica : updated[r][r_] <= LagTimeMax + 1
    /\ pathVersion <= MaxVersion
    /\ \A r \in Replica :
           /\ Len(commands[r]) <= MaxCommands
           /\ \A i \in DOMAIN commands[r] : commands[r][i].version <= MaxVersion
    /\ written <= MaxRecords
    /\ changes <= MaxChanges
    /\ Len(exposed) <= MaxRecords
    /\ \A i \in DOMAIN exposed : exposed[i] <= MaxRecords - 1
    /\ \A r \in Replica : heeded[r] <= MaxVersion

MCNext == Next /\ WithinBounds'

MCSpec == Init /\ [][MCNext]_vars

==============================================================================
