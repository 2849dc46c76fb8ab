----------------------------- MODULE Kip16Text -----------------------------
EXTENDS TimedLeader

(* KIP-16 as written: out when lagBegin is set and older than T.

   Breaks `dead_evicted`: a follower that was caught up and then dies never begins to lag. The
   prose adds that it must have fetched within T, which the code shown does not ask;
   `prose_condition` adds it. `keep_up_stays` breaks as in the version that was built, one record
   later; and with the leader's log end taken after the read, a fetch that reached the end may
   count as lagging (`caught_up_fetch_counts`). *)

CONSTANTS
    FetchSize,      \* how much one fetch brings
    LeoTaken,       \* which log end of the leader a fetch is compared with
    ProseCondition  \* whether no fetch for T puts a follower out, as the text's prose says

ASSUME
    /\ FetchSize \in {"all", "one"}
    /\ LeoTaken \in {"before-read", "after-read"}
    /\ ProseCondition \in BOOLEAN

Max(a, b) == IF a >= b THEN a ELSE b

SetMin(S) == CHOOSE x \in S : \A y \in S : x <= y

MinOr(S, none) == IF S = {} THEN none ELSE SetMin(S)

------------------------------------------------------------------------------
(* Decisions *)

(* lagBegin. *)
Keeps(clock) == clock = "lag-begin"

(* Slot `on_fetch`: the caught-up age after a fetch that arrived `age` ago at this offset, by
   this LEO. *)
CaughtUpAgeAfter(follower, offset, leo, age) == caughtUpAge[follower]

(* Lagging for longer than T; with the prose's condition, without a fetch for T as well. *)
IsOut(follower) ==
    LET begun == lagBeginAge[follower]
        lagging == begun # None /\ begun > LagTimeMax
    IN  \/ lagging
        \/ ProseCondition /\ fetchAge[follower] > LagTimeMax

(* It has reached the high watermark, as before. *)
MayJoin(follower) == known[follower] >= hw

(* Slot `hwset`: whether the high watermark waits for this follower. *)
HoldsBack(follower) == follower \in isr

(* Slot `hwguard`: whether the high watermark may move at all. *)
MayAdvance == TRUE

(* Slot `hwtrig`: whether the leader recomputes the high watermark after this. *)
MovesHighWatermark(event) == TRUE

(* Slot `period`: who changes the ISR; the task's period is the constant `expiration_period`. *)
IsrChange == "task"

(* Whether the leader stays in office; if it does not, the story of this epoch is over. *)
Leads == TRUE

------------------------------------------------------------------------------
(* Who knows what *)

(* The offset that the leader's log and every follower that is waited for have reached. *)
Reached == Min(logEnd, MinOr({known[f] : f \in {f \in Follower : HoldsBack(f)}}, logEnd))

(* Whether lastFetchLeaderLogEndOffset is in use; fetches of two steps are judged by it in every
   version. *)
RemembersLeo ==
    \/ Keeps("fetch-leo")
    \/ FetchSteps = "two"

(* Whether a follower can make a fetch of one step now. *)
MayFetch(follower) == FetchSteps = "one" /\ Leads /\ (Pace = "free" \/ follower \notin fetched)

(* A follower's lag as this version measures it by lastCaughtUpTimeMs; above T where it has no
   such clock. *)
Lag(follower) == IF Keeps("caught-up") THEN caughtUpAge[follower] ELSE LagTimeMax + 1

(* How long ago the leader's log went beyond an offset; 0 if it does not. *)
TrueLag(offset) == IF offset >= logEnd THEN 0 ELSE appendAge[offset + 1]

(* How long ago the fetch arrived that is being read for a follower; above T if there is none. *)
ReadingAge(follower) ==
    LET theReading == reading[follower]
    IN  IF theReading = None THEN LagTimeMax + 1 ELSE theReading.age

(* How long nothing was heard of a follower. *)
SilentAge(follower) == Min(fetchAge[follower], ReadingAge(follower))

(* Whether a follower's fetch is being read. *)
ReadsFor(follower) == reading[follower] # None

(* Whether a follower has neither fetched nor been caught up for longer than T. *)
IsGone(follower) == fetchAge[follower] > LagTimeMax /\ Lag(follower) > LagTimeMax

(* Whether the leader takes a follower to be caught up at this moment. *)
CountsAsCaughtUp(follower) ==
    IF Keeps("caught-up") THEN caughtUpAge[follower] = 0 ELSE lagBeginAge[follower] = None

(* Whether a fetch is being read that asked for no less than the leader had at the follower's
   fetch before. *)
ReadsForOneCaughtUp(follower) ==
    LET theReading == reading[follower] IN theReading # None /\ theReading.wasCaughtUp

(* KAFKA-4485's measure: caught up now, or as of the fetch before if that fetch's log end was
   reached. *)
CaughtUpByFetches(follower, offset, leo, age) ==
    IF offset >= leo
    THEN age
    ELSE IF offset >= fetchLeo[follower] THEN fetchAge[follower] ELSE caughtUpAge[follower]

------------------------------------------------------------------------------
(* What they do *)

(* A tick on every clock that is kept and running. *)
GrowOlder ==
    /\ appendAge' = [i \in DOMAIN appendAge |-> Older(appendAge[i])]
    /\ readToEndAge' = [f \in Follower |-> Older(readToEndAge[f])]
    /\ fetchAge' = [f \in Follower |-> Older(fetchAge[f])]
    /\ reading' = [f \in Follower |-> ReadLonger(reading[f])]
    /\ lagBeginAge' = [f \in Follower |-> LaggingLonger(lagBeginAge[f])]

(* The leader's account of a fetch that arrived `age` ago and was read from a log that ended at
   `end`. *)
NoteFetch(follower, end, leo, age) ==
    LET offset == followerEnd[follower]
    IN  /\ lagBeginAge' = [lagBeginAge EXCEPT ![follower] = LagBeginAfter(@, offset, leo, age)]
        /\ IF offset >= end
           THEN readToEndAge' = [readToEndAge EXCEPT ![follower] = age]
           ELSE UNCHANGED readToEndAge
        /\ known' = [known EXCEPT ![follower] = offset]
        /\ fetchAge' = [fetchAge EXCEPT ![follower] = age]
        /\ IF RemembersLeo
           THEN fetchLeo' = [fetchLeo EXCEPT ![follower] = Max(@, leo)]
           ELSE UNCHANGED fetchLeo
        /\ followerEnd' = [followerEnd EXCEPT ![follower] =
                              IF FetchSize = "all" THEN end ELSE Min(offset + 1, end)]
        /\ IF Pace = "every-tick" THEN fetched' = fetched \cup {follower} ELSE UNCHANGED fetched

(* Account, join, high watermark: in this order, so that who joins is measured by the old high
   watermark. *)
Serve(follower, end, leo, age) ==
    /\ NoteFetch(follower, end, leo, age)
    /\ IF IsrChange = "task" /\ follower \notin isr /\ known'[follower] >= hw
       THEN isr' = isr \cup {follower}
       ELSE UNCHANGED isr
    /\ hw' = Max(hw, Min(logEnd, MinOr({known'[f] : f \in {f \in Follower : f \in isr'}}, logEnd)))

------------------------------------------------------------------------------
(* Steps *)

(* The leader takes a producer's record. *)
LeaderAppends ==
    /\ Leads
    /\ Appends = "free"
    /\ Append_
    /\ hw' = Max(hw,
                 Min(logEnd', MinOr({known[f] : f \in {f \in Follower : HoldsBack(f)}}, logEnd')))
    /\ UNCHANGED <<followerEnd, readToEndAge, isrHasShrunk, isr, timer, known, fetchAge,
                   caughtUpAge, lagBeginAge, fetchLeo, reading, fetched>>

(* One tick. If the expiration task is due it runs at once, and takes out all who are out by now. *)
TimePasses ==
    /\ Leads
    /\ \A f \in Follower : IsInTime(f)
    /\ fetched' = {}
    /\ GrowOlder
    /\ IF timer + 1 = ExpirationPeriod
       THEN LET remaining == {f \in isr :
                                 ~(LET begun == lagBeginAge'[f]
                                       lagging == begun # None /\ begun > LagTimeMax
                                   IN  \/ lagging
                                       \/ ProseCondition /\ fetchAge'[f] > LagTimeMax)}
                somebodyLeft == remaining # isr
            IN  /\ timer' = 0
                /\ isr' = remaining
                /\ IF somebodyLeft
                   THEN /\ isrHasShrunk' = TRUE
                        /\ hw' = Max(hw,
                                     Min(logEnd,
                                         MinOr({known[f] : f \in {f \in Follower : f \in isr'}},
                                               logEnd)))
                   ELSE UNCHANGED <<isrHasShrunk, hw>>
       ELSE /\ timer' = timer + 1
            /\ UNCHANGED <<isrHasShrunk, isr, hw>>
    /\ UNCHANGED <<logEnd, followerEnd, known, caughtUpAge, fetchLeo>>

(* The leader receives a fetch and begins to read for it, which may take long (KIP-501). *)
FetchArrives(follower) ==
    /\ FetchSteps = "two"
    /\ Leads
    /\ reading[follower] = None
    /\ reading' = [reading EXCEPT ![follower] =
                      [age |-> 0, wasCaughtUp |-> followerEnd[follower] >= fetchLeo[follower]]]
    /\ UNCHANGED <<logEnd, followerEnd, appendAge, readToEndAge, isrHasShrunk, isr, hw, timer,
                   known, fetchAge, caughtUpAge, lagBeginAge, fetchLeo, fetched>>

(* A fetch, from request to response. It tells the leader how far the follower was before. *)
FollowerFetches(follower) ==
    /\ MayFetch(follower)
    /\ Serve(follower, logEnd, logEnd, 0)
    /\ UNCHANGED <<logEnd, appendAge, isrHasShrunk, timer, caughtUpAge, reading>>

(* A fetch with one append between the read and the leader's account of it (KIP-16's race). *)
FollowerFetchesDuringAppend(follower) ==
    LET leo == IF LeoTaken = "before-read" THEN logEnd ELSE logEnd'
    IN  /\ Appends = "in-read-window"
        /\ MayFetch(follower)
        /\ Append_
        /\ NoteFetch(follower, logEnd, leo, 0)
        /\ IF IsrChange = "task" /\ follower \notin isr /\ known'[follower] >= hw
           THEN isr' = isr \cup {follower}
           ELSE UNCHANGED isr
        /\ hw' = Max(hw,
                     Min(logEnd',
                         MinOr({known'[f] : f \in {f \in Follower : f \in isr'}}, logEnd')))
        /\ UNCHANGED <<isrHasShrunk, timer, caughtUpAge, reading>>

(* The leader has read; it accounts for the fetch as of its arrival. *)
FetchIsServed(follower) ==
    LET age == ArrivalAge(follower)
    IN  /\ Leads
        /\ reading[follower] # None
        /\ reading' = [reading EXCEPT ![follower] = None]
        /\ Serve(follower, logEnd, logEnd, age)
        /\ UNCHANGED <<logEnd, appendAge, isrHasShrunk, timer, caughtUpAge>>

------------------------------------------------------------------------------

Next ==
    \/ LeaderAppends
    \/ TimePasses
    \/ \E follower \in Follower : FetchArrives(follower)
    \/ \E follower \in Follower : FollowerFetches(follower)
    \/ \E follower \in Follower : FollowerFetchesDuringAppend(follower)
    \/ \E follower \in Follower : FetchIsServed(follower)

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* The high watermark of a partition never decreases (KAFKA-4485, guarantee 3). *)
HwNeverDecreases == [][hw' >= hw]_vars

(* Every replica in the ISR has all that is below the high watermark (KAFKA-4485, guarantee 4). *)
IsrAtLeastHw == \A f \in isr : known[f] >= hw

(* What the whole ISR has is committed, even if nobody outside it fetches any more (compare
   KAFKA-15021). *)
HwNotStalled ==
    LET reachedByIsr == Min(logEnd, MinOr({known[f] : f \in isr}, logEnd))
        outsidersAreGone == \A f \in Follower : f \notin isr => IsGone(f)
    IN  ~(hw < reachedByIsr /\ outsidersAreGone /\ MayAdvance)

(* A follower that fetches in time and receives everything is in the ISR (KAFKA-4485, problem 2). *)
KeepUpStays == \A f \in Follower : f \in isr

(* Nobody is taken out who has read to the end of the log within T, whatever the batches (KIP-16
   scenario 1). *)
ReadingToEndStays == [][\A f \in isr : f \notin isr' => readToEndAge'[f] > LagTimeMax]_vars

(* A follower that makes no fetch for T and misses a record is out once the task has run (KIP-16
   scenario 2). *)
DeadEvicted == \A f \in isr : SilentAge(f) > LagTimeMax /\ timer = 0 => TrueLag(followerEnd[f]) < 1

(* A follower that lags behind the leader for more than T is not in the ISR (KAFKA-4485,
   guarantee 2). *)
LaggingLeaves == \A f \in isr : TrueLag(known[f]) <= LagTimeMax

(* A follower that lags by T or less and reaches the high watermark is in the ISR (KAFKA-4485,
   guarantee 1). *)
KeepingUpBelongs ==
    \A f \in Follower : TrueLag(known[f]) <= LagTimeMax /\ known[f] >= hw => f \in isr

(* A follower whose own log lags by T or less is in the ISR; the leader knows it a fetch later
   (KAFKA-4485). *)
KeepingUpInFactBelongs ==
    \A f \in Follower : TrueLag(followerEnd[f]) <= LagTimeMax /\ followerEnd[f] >= hw => f \in isr

(* Nobody joins the ISR whom the test for leaving would take out again (KAFKA-4485, problem 1;
   KAFKA-19996). *)
NoBadExpand == [][\A f \in isr' : f \notin isr => ~IsOut(f)']_vars

(* Nobody is let into the ISR before it has reached the high watermark (KIP-16 scenario 3, as
   built). *)
JoinsAtHighWatermark == [][\A f \in isr' : f \notin isr => known'[f] >= hw]_vars

(* A follower stays outside the ISR until it has all that the leader has (KIP-16 scenario 3, to
   the letter). *)
JoinsAtLogEnd == [][\A f \in isr' : f \notin isr => known'[f] = logEnd']_vars

(* A follower that fetches at the leader's log end returns to the ISR (the rule as primers on
   Kafka tell it). *)
CaughtUpRejoins ==
    [][\A follower \in Follower :
           FollowerFetches(follower) =>
               ~(followerEnd[follower] = logEnd /\ follower \notin isr')]_vars

(* A follower never lags more than the leader measures (the meaning of lastCaughtUpTimeMs,
   KAFKA-4485). *)
MeasuredLagIsSafe == \A f \in Follower : Lag(f) >= TrueLag(known[f])

(* A fetch that begins at the log end leaves the follower caught up, whatever is appended
   meanwhile (KIP-16). *)
CaughtUpFetchCounts ==
    [][/\ \A follower \in Follower :
              FollowerFetches(follower) =>
                  ~(followerEnd[follower] = logEnd /\ ~CountsAsCaughtUp(follower)')
       /\ \A follower \in Follower :
              FollowerFetchesDuringAppend(follower) =>
                  ~(followerEnd[follower] = logEnd /\ ~CountsAsCaughtUp(follower)')]_vars

(* Nobody who was caught up is taken out because the leader is slow to read for it (KIP-501). *)
NoEvictionWhileReading ==
    [][\A f \in isr : f \notin isr' /\ ReadsForOneCaughtUp(f)' => ~ReadsForOneCaughtUp(f)]_vars

(* While followers fetch in time, one is in the ISR that could lead next (KIP-501: no offline
   partition). *)
CandidateRemains == Cardinality(isr) > 0

(* While all followers fetch in time, slow reads do not take the ISR below min.insync.replicas
   (KIP-501). *)
AcksAllAccepted == Cardinality(isr) + 1 >= MinIsr

(* No follower stays in the ISR by a fetch that has been read for longer than T (a risk of
   KIP-501). *)
ReadDoesNotPin ==
    timer <= 0 => \A f \in isr : ReadsFor(f) /\ ReadingAge(f) > LagTimeMax => TrueLag(known[f]) < 1

(* The high watermark moves. *)
SomethingCommits == hw > 0

NeverSomethingCommits == ~SomethingCommits

(* A follower is taken out of the ISR. *)
SomebodyLeaves == isrHasShrunk

NeverSomebodyLeaves == ~SomebodyLeaves

(* After somebody was taken out, all are in the ISR again. *)
SomebodyReturns == isrHasShrunk /\ \A f \in Follower : f \in isr

NeverSomebodyReturns == ~SomebodyReturns

==============================================================================
