--------------------------- MODULE OriginalDesign ---------------------------
EXTENDS Design

(* The design of 2012, whole, with its promises: most of them break, each by a line that a later
   version changed. *)

CONSTANTS
    MaxCommands, \* commands that may be under way to a broker
    Between      \* what a read from the high watermark up to the log's end returns

ASSUME MaxCommands \in Nat /\ MaxCommands >= 1 /\ Between \in {"empty", "out-of-range"}

------------------------------------------------------------------------------

Next ==
    \/ \E chosen \in Replica : ControllerElectsLeader(chosen)
    \/ \E replica \in Replica : ControllerMovesReplicaAway(replica)
    \/ \E replica \in Replica : ControllerAssignsReplica(replica)
    \/ \E replica \in Replica, place \in 0..(MaxCommands - 1) : CommandArrives(replica, place)
    \/ \E replica \in Replica, place \in 0..(MaxCommands - 1) : CommandIsRepeated(replica, place)
    \/ \E replica \in Replica, place \in 0..(MaxCommands - 1) : CommandIsLost(replica, place)
    \/ \E replica \in Replica : BrokerRestarts(replica)
    \/ \E replica \in Replica : HighWatermarkIsCheckpointed(replica)
    \/ \E theLeader \in Replica : LeaderAppends(theLeader)
    \/ \E theLeader \in Replica : LeaderCommits(theLeader)
    \/ Tick
    \/ \E follower, theLeader, slowest \in Replica, joiner \in Replica \cup {None} :
           FollowerFetches(follower, theLeader, slowest, joiner)
    \/ \E follower, theLeader, slowest \in Replica, joiner \in Replica \cup {None} :
           ResponseIsLost(follower, theLeader, slowest, joiner)

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* While a broker leads, its high watermark does not go back (the design sets it to a plain
   minimum). *)
HwNeverDecreases == [][\A r \in Replica : Leads(r) /\ Leads(r)' => hw'[r] >= hw[r]]_vars

(* The leader exposes no less than any before it (the design grants that a new leader may, at
   first). *)
ExposedNeverDecreases == \A r \in Replica : LeadsOnRecord(r) => hw[r] >= Len(exposed)

(* A leader that has exposed as much as any before it goes on doing so (P3 past the first
   moment). *)
ExposedIsNotTakenBack ==
    [][\A r \in Replica :
           LeadsOnRecord(r) /\ LeadsOnRecord(r)' /\ hw[r] >= Len(exposed) =>
               hw'[r] >= Len(exposed)]_vars

(* Every member of the ISR on the path has a log that reaches each leader's high watermark
   (KAFKA-4485, 4). *)
IsrAtLeastHw == \A b \in Replica : Leads(b) => \A r \in pathIsr : Len(log[r]) >= hw[b]

(* Every member of the ISR on the path holds all that a leader ever exposed (KIP-101). *)
CommittedSurvives == \A r \in pathIsr : Prefix(log[r], Len(exposed)) = exposed

(* A leader's high watermark may be behind that of the one before it, but its log has all of it
   (the design). *)
LeaderHasCommitted == \A r \in Replica : LeadsOnRecord(r) => Prefix(log[r], Len(exposed)) = exposed

(* A consumer that has read all there was gets an empty set from the next leader, and no error
   (the design). *)
ConsumerIsInRange ==
    \A r \in Replica :
        LeadsOnRecord(r) => Len(exposed) <= IF Between = "empty" THEN Len(log[r]) ELSE hw[r]

(* No high watermark is beyond its log's end (Kafka 0.8 takes the lesser of the two). *)
HwWithinLog == \A r \in Replica : hw[r] <= Len(log[r])

(* The leader on the path is a member of the ISR on the path (0.8 removes only followers). *)
LeaderInIsr ==
    \/ pathLeader = None
    \/ pathLeader \in pathIsr

(* A fetch that changes the ISR takes the slowest member out if that lags too much (the design's
   two loops). *)
RemovalStands ==
    [][\A follower, theLeader, slowest \in Replica, joiner \in Replica \cup {None} :
           FollowerFetches(follower, theLeader, slowest, joiner) =>
               \/ isr'[theLeader] = isr[theLeader]
               \/ slowest \notin isr[theLeader] \cap isr'[theLeader]
               \/ ~Lags(theLeader, slowest)']_vars

(* A leader takes nobody out of the ISR who is ahead of another member (the design's first loop). *)
SlowestLeaves ==
    [][\A b \in Replica :
           Leads(b) /\ Leads(b)' =>
               \A r \in isr[b] \ isr'[b], other \in isr[b] : Reach(b, r)' <= Reach(b, other)']_vars

(* Nobody joins the ISR who is MIN_BYTES_LAG or more ahead of its slowest member (the design's
   second loop). *)
NobodyJoinsAhead ==
    [][\A b \in Replica :
           Leads(b) /\ Leads(b)' =>
               \A r \in isr'[b] \ isr[b], other \in isr[b] :
                   Reach(b, r)' < Reach(b, other)' + MinLag]_vars

(* No follower stays in the ISR that lacks records and has not fetched for MAX_TIME_LAG (0.8's
   expiration). *)
SilentFollowerLeaves ==
    \A b \in Replica :
        Leads(b) => \A r \in isr[b] : r # b => Reach(b, r) = Len(log[b]) \/ ~IsTooOld(b, r)

(* No two brokers lead at the same version of the path (P11; there are no epochs yet). *)
OneLeader ==
    \A one, other \in Replica :
        one # other => ~(Leads(one) /\ Leads(other) /\ version[one] = version[other])

(* No broker acts on a command that is older than one it has acted on (fenced by epochs since
   0.8.0). *)
CommandsAreNotOutdated == [][\A r \in Replica : heeded'[r] >= heeded[r]]_vars

(* Every member of the ISR on the path has the partition, once there was a leader (StopReplica,
   INIT). *)
IsrIsPresent == \A r \in pathIsr : heeded[r] > 0 => present[r]

(* Two logs are the same as far as both go below both high watermarks (P9, KIP-101). *)
LogsMatch ==
    \A one, other \in Replica :
        \A o \in 0..(Min(hw[one], hw[other]) - 1) :
            o < Len(log[one]) /\ o < Len(log[other]) => log[one][o + 1] = log[other][o + 1]

(* A leader exposes a record. *)
SomethingIsExposed == Len(exposed) > 0

NeverSomethingIsExposed == ~SomethingIsExposed

(* A follower is taken out of the ISR. *)
FollowerLeaves == \E r \in Replica : r \notin pathIsr /\ r # pathLeader

NeverFollowerLeaves == ~FollowerLeaves

(* Two brokers take themselves for the leader. *)
TwoLeadAtOnce == \E one, other \in Replica : one # other /\ Leads(one) /\ Leads(other)

NeverTwoLeadAtOnce == ~TwoLeadAtOnce

(* A leader has exposed less than the one before it, as the design grants. *)
NewLeaderLags == \E r \in Replica : LeadsOnRecord(r) /\ hw[r] < Len(exposed)

NeverNewLeaderLags == ~NewLeaderLags

==============================================================================
