----------------------- MODULE Kafka7152ByLeaderEpoch -----------------------
EXTENDS Protocol

(* Kafka 2.1: admission after KAFKA-7152 and KAFKA-7128, truncation by KIP-320.

   No promise about records is known to break; a late fetch may still bring back a follower that
   must leave at once. *)

CONSTANTS
    FetchSize,      \* all: a fetch brings all there is; one: a single record
    \* a follower also truncates in an epoch that its leader already led; not so up to Kafka 2.0
    \* (KAFKA-7164)
    SameLeaderCuts

ASSUME FetchSize \in {"all", "one"} /\ SameLeaderCuts \in BOOLEAN

Max(a, b) == IF a >= b THEN a ELSE b

SetMax(S) == CHOOSE x \in S : \A y \in S : y <= x

SetMin(S) == CHOOSE x \in S : \A y \in S : x <= y

MaxOr(S, none) == IF S = {} THEN none ELSE SetMax(S)

MinOr(S, none) == IF S = {} THEN none ELSE SetMin(S)

Range(f) == {f[x] : x \in DOMAIN f}

\* All but the first n elements.
Suffix(s, n) == SubSeq(s, n + 1, Len(s))

\* The elements after the first m, up to the n-th.
Slice(s, m, n) == SubSeq(s, m + 1, Min(n, Len(s)))

------------------------------------------------------------------------------
(* Decisions *)

(* The lag of a follower of which nothing is known. *)
Unknown == [fetchedTo |-> None, caughtUp |-> None, fetched |-> None, leoThen |-> None]

(* The more recent of two points in time, either of which may never have been. *)
Latest(one, other) == IF one = None THEN other ELSE IF other = None THEN one ELSE Min(one, other)

(* How long ago a follower had all that the leader had, judging by a fetch at an offset
   (KAFKA-4485). *)
CaughtUpSince(known, offset, logEnd) ==
    IF offset >= logEnd
    THEN 0
    ELSE IF known.leoThen # None /\ offset >= known.leoThen THEN known.fetched ELSE known.caughtUp

(* The offset after the last record that two logs have in the same place. *)
EndOfAgreement(mine, theirs) ==
    MaxOr({o + 1 :
           o \in {o \in 0..(Len(mine) - 1) : o < Len(theirs) /\ mine[o + 1] = theirs[o + 1]}},
          0)

(* A member of the ISR counts as caught up now; a new leader's unknown read leaves that as it is. *)
LagAtEpoch(known, inIsr, logEnd, isNew) ==
    LET caughtUp == IF inIsr THEN 0 ELSE None
    IN  IF isNew
        THEN [fetchedTo |-> None, caughtUp |-> caughtUp, fetched |-> None, leoThen |-> None]
        ELSE [fetchedTo |-> known.fetchedTo,
              caughtUp |-> caughtUp,
              fetched |-> 0,
              leoThen |-> logEnd]

(* Nothing. *)
LagAtResignation(known) == Unknown

(* It has all, or it has all that there was when it fetched last; the clock never goes back. *)
LagAfterFetch(known, offset, logEnd) ==
    [fetchedTo |-> offset,
     caughtUp |-> Latest(known.caughtUp, CaughtUpSince(known, offset, logEnd)),
     fetched |-> 0,
     leoThen |-> logEnd]

(* It lacks records, and has not caught up for too long. *)
MustLeave(theLeader, follower) ==
    LET lacksSome == ~HasFetchedTo(theLeader, follower, Len(log[theLeader]))
    IN  lacksSome /\ IsTooOld(lag[theLeader][follower].caughtUp)

(* The offset at which a leader's epoch began: below it are the records of earlier leaders. *)
EpochStart(theLeader) ==
    Len(SelectSeq(log[theLeader], LAMBDA record : record < leaderEpoch[theLeader]))

(* It has reached the high watermark and the start of the leader's epoch. *)
MayJoin(theLeader, follower) ==
    HasFetchedTo(theLeader, follower, Max(hw[theLeader], EpochStart(theLeader)))

(* While it is in the ISR, and while it has caught up of late. *)
HoldsBack(theLeader, follower) ==
    follower \notin isr[theLeader] => ~IsTooOld(lag[theLeader][follower].caughtUp)

(* Always. *)
MayCommit(theLeader) == TRUE

(* No: a fetch, a write or a change of the ISR must ask for it. *)
TimeCommits == FALSE

(* Only once the leader has taken office in that very epoch: until then its log may still change. *)
MayFollow(follower, theLeader, epoch) ==
    PresumesLeadership(theLeader) /\ leaderEpoch[theLeader] = epoch

(* The end of what the two logs have in common (KIP-279). *)
TruncationPoint(follower, theLeader) == EndOfAgreement(log[follower], log[theLeader])

(* The follower is in the leader's epoch (FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH otherwise). *)
Answers(theLeader, follower) == leaderEpoch[follower] = leaderEpoch[theLeader]

------------------------------------------------------------------------------
(* Who knows what *)

(* Whether a follower's fetch reaches its leader, within the leader's log. *)
IsServed(follower, theLeader) ==
    /\ follower # theLeader
    /\ PresumesLeadership(theLeader)
    /\ leader[follower] = theLeader
    /\ Answers(theLeader, follower)
    /\ Len(log[follower]) <= Len(log[theLeader])

(* Whether the high watermark waits for a replica other than the leader. *)
Counts(theLeader, follower) == follower # theLeader /\ HoldsBack(theLeader, follower)

(* The offset that the leader's log and every follower that counts have reached. *)
HighWatermark(theLeader) ==
    LET logEnd == Len(log[theLeader])
        waiting == MinOr({Reached(theLeader, f) : f \in {f \in Replica : Counts(theLeader, f)}},
                         logEnd)
    IN  Max(hw[theLeader], Min(logEnd, waiting))

------------------------------------------------------------------------------
(* What they do *)

(* A leader's high watermark moves as far as it may. *)
MoveHighWatermark(theLeader) ==
    /\ hw' = [hw EXCEPT ![theLeader] = IF MayCommit(theLeader) THEN HighWatermark(theLeader) ELSE @]
    /\ committed' = IF hw'[theLeader] > Len(committed)
                    THEN Prefix(log[theLeader], hw'[theLeader])
                    ELSE committed

(* A leader notes how far a follower is, admits it to the ISR if it may, and moves its high
   watermark. *)
Serve(theLeader, follower) ==
    LET offset == Len(log[follower])
        logEnd == Len(log[theLeader])
    IN  /\ lag' = [lag EXCEPT ![theLeader][follower] = LagAfterFetch(@, offset, logEnd)]
        /\ IF /\ follower \notin isr[theLeader]
              /\ LET offset_ == Max(hw[theLeader], EpochStart(theLeader))
                 IN  /\ lag'[theLeader][follower].fetchedTo # None
                     /\ (LET offset__ == lag'[theLeader][follower].fetchedTo
                         IN  IF offset__ = None THEN 0 ELSE offset__) >=
                            offset_
              /\ IsUpToDate(theLeader)
           THEN WriteIsr(theLeader, isr[theLeader] \cup {follower})
           ELSE UNCHANGED <<isr, version, quorumIsr, quorumVersion>>
        /\ hw' = [hw EXCEPT ![theLeader] =
                     IF MayCommit(theLeader)
                     THEN LET logEnd_ == Len(log[theLeader])
                              waiting ==
                                  MinOr({LET offset_ == lag'[theLeader][f].fetchedTo
                                         IN  IF offset_ = None THEN 0 ELSE offset_ :
                                         f \in {f \in Replica :
                                                   /\ f # theLeader
                                                   /\ f \notin isr'[theLeader] =>
                                                          ~IsTooOld(lag'[theLeader][f].caughtUp)}},
                                        logEnd_)
                          IN  Max(@, Min(logEnd_, waiting))
                     ELSE @]
        /\ committed' = IF hw'[theLeader] > Len(committed)
                        THEN Prefix(log[theLeader], hw'[theLeader])
                        ELSE committed

------------------------------------------------------------------------------
(* Steps *)

(* A replica learns that it leads. Its high watermark is as old as its last fetch. *)
ReplicaBecomesLeader(theLeader, epoch) ==
    LET isNew == ~PresumesLeadership(theLeader)
    IN  /\ IsTold(epoch, theLeader)
        /\ leaderEpoch[theLeader] < epoch
        /\ leaderEpoch' = [leaderEpoch EXCEPT ![theLeader] = epoch]
        /\ leader' = [leader EXCEPT ![theLeader] = theLeader]
        /\ isr' = [isr EXCEPT ![theLeader] = IsrAtStart(epoch)]
        /\ version' = [version EXCEPT ![theLeader] = VersionAtStart(epoch)]
        /\ lag' = [lag EXCEPT ![theLeader] =
                      [f \in Replica |->
                          IF f # theLeader
                          THEN LagAtEpoch(@[f], f \in isr'[theLeader], Len(log[theLeader]), isNew)
                          ELSE Unknown]]
        /\ hw' = [hw EXCEPT ![theLeader] =
                     IF MayCommit(theLeader)
                     THEN LET logEnd == Len(log[theLeader])
                              waiting ==
                                  MinOr({LET offset == lag'[theLeader][f].fetchedTo
                                         IN  IF offset = None THEN 0 ELSE offset :
                                         f \in {f \in Replica :
                                                   /\ f # theLeader
                                                   /\ f \notin isr'[theLeader] =>
                                                          ~IsTooOld(lag'[theLeader][f].caughtUp)}},
                                        logEnd)
                          IN  Max(@, Min(logEnd, waiting))
                     ELSE @]
        /\ committed' = IF hw'[theLeader] > Len(committed)
                        THEN Prefix(log[theLeader], hw'[theLeader])
                        ELSE committed
        /\ UNCHANGED <<log, quorumEpoch, quorumLeader, quorumIsr, quorumVersion, requests>>

(* Whoever presumes to lead takes a producer's record; a zombie's writes are left to replication
   to reject. *)
LeaderWrites(theLeader) ==
    /\ PresumesLeadership(theLeader)
    /\ log' = [log EXCEPT ![theLeader] = Append(@, leaderEpoch[theLeader])]
    /\ hw' = [hw EXCEPT ![theLeader] =
                 IF MayCommit(theLeader)
                 THEN LET logEnd == Len(log'[theLeader])
                          waiting == MinOr({Reached(theLeader, f) :
                                            f \in {f \in Replica : Counts(theLeader, f)}},
                                           logEnd)
                      IN  Max(@, Min(logEnd, waiting))
                 ELSE @]
    /\ committed' = IF hw'[theLeader] > Len(committed)
                    THEN Prefix(log'[theLeader], hw'[theLeader])
                    ELSE committed
    /\ UNCHANGED <<leaderEpoch, leader, isr, version, lag, quorumEpoch, quorumLeader, quorumIsr,
                   quorumVersion, requests>>

(* The expiration task removes all that must leave, in one write; how often it runs is left open. *)
LeaderShrinksIsr(theLeader) ==
    LET leaving == {f \in isr[theLeader] : f # theLeader /\ MustLeave(theLeader, f)}
    IN  /\ PresumesLeadership(theLeader)
        /\ leaving # {}
        /\ IsUpToDate(theLeader)
        /\ WriteIsr(theLeader, isr[theLeader] \ leaving)
        /\ hw' = [hw EXCEPT ![theLeader] =
                     IF MayCommit(theLeader)
                     THEN LET logEnd == Len(log[theLeader])
                              waiting ==
                                  MinOr({Reached(theLeader, f) :
                                         f \in {f \in Replica :
                                                   /\ f # theLeader
                                                   /\ f \notin isr'[theLeader] =>
                                                          ~IsTooOld(lag[theLeader][f].caughtUp)}},
                                        logEnd)
                          IN  Max(@, Min(logEnd, waiting))
                     ELSE @]
        /\ committed' = IF hw'[theLeader] > Len(committed)
                        THEN Prefix(log[theLeader], hw'[theLeader])
                        ELSE committed
        /\ UNCHANGED <<log, leaderEpoch, leader, lag, quorumEpoch, quorumLeader, requests>>

(* A leader computes its high watermark anew, though no fetch, write or change of the ISR asks
   for it. *)
LeaderCommitsWithTime(theLeader) ==
    /\ PresumesLeadership(theLeader)
    /\ TimeCommits
    /\ MoveHighWatermark(theLeader)
    /\ UNCHANGED <<log, leaderEpoch, leader, isr, version, lag, quorumEpoch, quorumLeader,
                   quorumIsr, quorumVersion, requests>>

(* A replica learns of a newer leader and cuts its log to fit. *)
ReplicaBecomesFollower(follower, theLeader, epoch) ==
    /\ follower # theLeader
    /\ IsTold(epoch, theLeader)
    /\ leaderEpoch[follower] < epoch
    /\ MayFollow(follower, theLeader, epoch)
    /\ IF \/ SameLeaderCuts
          \/ leader[follower] # theLeader
       THEN Truncate(follower, TruncationPoint(follower, theLeader))
       ELSE UNCHANGED <<log, hw>>
    /\ leaderEpoch' = [leaderEpoch EXCEPT ![follower] = epoch]
    /\ leader' = [leader EXCEPT ![follower] = theLeader]
    /\ isr' = [isr EXCEPT ![follower] = {}]
    /\ version' = [version EXCEPT ![follower] = 0]
    /\ lag' = [lag EXCEPT ![follower] =
                  [f \in Replica |-> IF f # follower THEN LagAtResignation(@[f]) ELSE Unknown]]
    /\ UNCHANGED <<quorumEpoch, quorumLeader, quorumIsr, quorumVersion, requests, committed>>

(* A fetch, request and response: what the leader has after the follower's log end, and its high
   watermark. *)
FollowerFetches(follower, theLeader) ==
    LET offset == Len(log[follower])
        offset2 == Len(log[follower])
        logEnd == Len(log[theLeader])
        hwNow == [hw EXCEPT ![theLeader] =
                     IF MayCommit(theLeader)
                     THEN LET logEnd_ == Len(log[theLeader])
                              waiting ==
                                  MinOr({LET offset_ == lag'[theLeader][f].fetchedTo
                                         IN  IF offset_ = None THEN 0 ELSE offset_ :
                                         f \in {f \in Replica :
                                                   /\ f # theLeader
                                                   /\ f \notin isr'[theLeader] =>
                                                          ~IsTooOld(lag'[theLeader][f].caughtUp)}},
                                        logEnd_)
                          IN  Max(@, Min(logEnd_, waiting))
                     ELSE @]
    IN  /\ IsServed(follower, theLeader)
        /\ lag' = [lag EXCEPT ![theLeader][follower] = LagAfterFetch(@, offset2, logEnd)]
        /\ IF /\ follower \notin isr[theLeader]
              /\ LET offset_ == Max(hw[theLeader], EpochStart(theLeader))
                 IN  /\ lag'[theLeader][follower].fetchedTo # None
                     /\ (LET offset__ == lag'[theLeader][follower].fetchedTo
                         IN  IF offset__ = None THEN 0 ELSE offset__) >=
                            offset_
              /\ IsUpToDate(theLeader)
           THEN WriteIsr(theLeader, isr[theLeader] \cup {follower})
           ELSE UNCHANGED <<isr, version, quorumIsr, quorumVersion>>
        /\ committed' = IF hwNow[theLeader] > Len(committed)
                        THEN Prefix(log[theLeader], hwNow[theLeader])
                        ELSE committed
        /\ log' = [log EXCEPT ![follower] =
                      @ \o IF FetchSize = "all"
                           THEN Suffix(log[theLeader], offset)
                           ELSE Slice(log[theLeader], offset, offset + 1)]
        /\ hw' = [hwNow EXCEPT ![follower] = Min(hwNow[theLeader], Len(log'[follower]))]
        /\ UNCHANGED <<leaderEpoch, leader, quorumEpoch, quorumLeader, requests>>

(* A fetch that the leader has served, and of which the follower never hears. *)
ResponseIsLost(follower, theLeader) ==
    /\ IsServed(follower, theLeader)
    /\ Serve(theLeader, follower)
    /\ UNCHANGED <<log, leaderEpoch, leader, quorumEpoch, quorumLeader, requests>>

------------------------------------------------------------------------------

Next ==
    \/ \E chosen \in Replica : ControllerElectsLeader(chosen)
    \/ \E chosen \in Replica : ControllerTakesLeaderForDead(chosen)
    \/ \E follower, theLeader \in Replica : ControllerTakesFollowerForDead(follower, theLeader)
    \/ Tick
    \/ \E theLeader \in Replica, epoch \in 0..LeaderEpochs : ReplicaBecomesLeader(theLeader, epoch)
    \/ \E theLeader \in Replica : LeaderWrites(theLeader)
    \/ \E theLeader \in Replica : LeaderShrinksIsr(theLeader)
    \/ \E theLeader \in Replica : LeaderCommitsWithTime(theLeader)
    \/ \E follower, theLeader \in Replica, epoch \in 0..LeaderEpochs :
           ReplicaBecomesFollower(follower, theLeader, epoch)
    \/ \E follower, theLeader \in Replica : FollowerFetches(follower, theLeader)
    \/ \E follower, theLeader \in Replica : ResponseIsLost(follower, theLeader)

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* While a replica leads in one epoch, its high watermark does not go back (KAFKA-4485, guarantee
   3). *)
HwNeverDecreases ==
    [][\A r \in Replica :
           PresumesLeadership(r) /\ PresumesLeadership(r)' /\ leaderEpoch[r] = leaderEpoch'[r] =>
               hw'[r] >= hw[r]]_vars

(* Once the leader's high watermark has reached its epoch, it is not below any that was exposed
   (KIP-207). *)
ExposedNeverDecreases ==
    \A theLeader \in Replica :
        IsTrueLeader(theLeader) /\ HighWatermarkReachedEpoch(theLeader) =>
            hw[theLeader] >= Len(committed)

(* Every member of the ISR on record has a log that reaches each leader's high watermark
   (KAFKA-4485, 4). *)
IsrAtLeastHw ==
    \A theLeader \in Replica :
        PresumesLeadership(theLeader) => \A r \in quorumIsr : Len(log[r]) >= hw[theLeader]

(* Every member of the ISR on record holds all that was ever committed (KIP-101, KIP-320). *)
CommittedSurvives == \A r \in quorumIsr : Prefix(log[r], Len(committed)) = committed

(* No follower is admitted to the ISR that the expiration task would remove at once (KAFKA-4485,
   problem 1). *)
NoBadExpand ==
    [][\A theLeader \in Replica :
           PresumesLeadership(theLeader) /\ leaderEpoch[theLeader] = leaderEpoch'[theLeader] =>
               \A f \in isr'[theLeader] :
                   f # theLeader /\ f \notin isr[theLeader] => ~MustLeave(theLeader, f)']_vars

(* No follower in the ISR must leave at the moment its leader takes office (KAFKA-4485's reset,
   KAFKA-4441). *)
NewLeaderSparesIsr ==
    [][\A theLeader \in Replica, epoch \in 0..LeaderEpochs :
           ReplicaBecomesLeader(theLeader, epoch) =>
               \A f \in isr'[theLeader] : f # theLeader => ~MustLeave(theLeader, f)']_vars

(* The leader on record is a member of the ISR on record (KIP-497). *)
LeaderInIsr ==
    \/ quorumLeader = None
    \/ quorumLeader \in quorumIsr

(* A record of each epoch is committed. *)
MarksMoveInEveryEpoch == \A e \in 1..LeaderEpochs : \E record \in Range(committed) : record = e

NeverMarksMoveInEveryEpoch == ~MarksMoveInEveryEpoch

(* A follower is removed from the ISR. *)
SomeoneLeaves == \E r \in Replica : r \notin quorumIsr

NeverSomeoneLeaves == ~SomeoneLeaves

(* The ISR is complete again after a follower was removed from it. *)
SomeoneJoins == quorumVersion > quorumEpoch /\ \A r \in Replica : r \in quorumIsr

NeverSomeoneJoins == ~SomeoneJoins

(* A leader would remove a follower, and the record has changed since it last read it. *)
AWriteComesTooLate ==
    \E theLeader \in Replica :
        /\ PresumesLeadership(theLeader)
        /\ \E f \in isr[theLeader] :
               f # theLeader /\ ~IsUpToDate(theLeader) /\ MustLeave(theLeader, f)

NeverAWriteComesTooLate == ~AWriteComesTooLate

==============================================================================
