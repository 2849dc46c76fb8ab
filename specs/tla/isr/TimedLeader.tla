---------------------------- MODULE TimedLeader ----------------------------
EXTENDS Integers, Sequences, FiniteSets

(* Appends, the passing of time and the expiration task; fetches are added by `Admission` and
   `DesignV3`. *)

CONSTANTS
    \* A replica other than the leader. The leader is always in the ISR, so the sets here hold
    \* followers only.
    Follower,
    Replicas,         \* brokers that hold the partition, the leader included
    LagTimeMax,       \* T, in ticks
    ExpirationPeriod, \* ticks between two runs of the isr-expiration task
    MinIsr,           \* replicas in the ISR, the leader included, that acks=all asks for
    Pace,             \* how often followers fetch
    Appends,          \* when records are appended
    FetchSteps,       \* whether time may pass while the leader reads for a fetch
    None              \* no value

ASSUME
    /\ Replicas \in Nat
    /\ Replicas >= 2
    /\ LagTimeMax \in Nat
    /\ ExpirationPeriod \in Nat
    /\ ExpirationPeriod >= 1
    /\ MinIsr \in Nat
    /\ MinIsr >= 1
    /\ Pace \in {"free", "every-tick", "always-fetching"}
    /\ Appends \in {"free", "in-read-window"}
    /\ FetchSteps \in {"one", "two"}
    /\ Cardinality(Follower) = Replicas - 1

(* A lag time of 0 ticks puts every follower out at the first tick: no follower could fetch often
   enough. *)
ASSUME LagTimeMax > 0

(* The isr-expiration task runs at least once in replica.lag.time.max.ms: in Kafka once or twice. *)
ASSUME ExpirationPeriod <= LagTimeMax

(* A min.insync.replicas above the number of replicas could never be met. *)
ASSUME MinIsr <= Replicas

(* The window between a read and its account lies within one step; with fetches of two steps
   append freely. *)
ASSUME
    \/ FetchSteps = "one"
    \/ Appends = "free"

(* No follower can keep the pace always-fetching where a fetch is answered at once
   (fetch_steps=one). *)
ASSUME
    \/ Pace # "always-fetching"
    \/ FetchSteps = "two"

VARIABLES
    logEnd,       \* the leader's
    followerEnd,
    appendAge,    \* of each record in the leader's log
    readToEndAge, \* since it last fetched at the leader's log end
    isrHasShrunk,
    isr,
    hw,
    timer,        \* ticks since the expiration task ran
    known,        \* the offset of its last fetch
    fetchAge,     \* since its last fetch
    caughtUpAge,
    lagBeginAge,  \* None: not lagging
    fetchLeo,
    reading,
    fetched       \* since the last tick; empty unless the pace asks for it

Min(a, b) == IF a <= b THEN a ELSE b

Reading == [age: Nat, wasCaughtUp: BOOLEAN]

------------------------------------------------------------------------------

vars ==
    <<logEnd, followerEnd, appendAge, readToEndAge, isrHasShrunk, isr, hw, timer, known, fetchAge,
      caughtUpAge, lagBeginAge, fetchLeo, reading, fetched>>

TypeOk ==
    /\ logEnd \in Nat
    /\ followerEnd \in [Follower -> Nat]
    /\ appendAge \in Seq(Nat)
    /\ readToEndAge \in [Follower -> Nat]
    /\ isrHasShrunk \in BOOLEAN
    /\ isr \in SUBSET Follower
    /\ hw \in Nat
    /\ timer \in Nat
    /\ known \in [Follower -> Nat]
    /\ fetchAge \in [Follower -> Nat]
    /\ caughtUpAge \in [Follower -> Nat]
    /\ lagBeginAge \in [Follower -> Nat \cup {None}]
    /\ fetchLeo \in [Follower -> Nat]
    /\ reading \in [Follower -> Reading \cup {None}]
    /\ fetched \in SUBSET Follower

Init ==
    /\ logEnd = 0
    /\ followerEnd = [f \in Follower |-> 0]
    /\ appendAge = <<>>
    /\ readToEndAge = [f \in Follower |-> 0]
    /\ isrHasShrunk = FALSE
    /\ isr = Follower
    /\ hw = 0
    /\ timer = 0
    /\ known = [f \in Follower |-> 0]
    /\ fetchAge = [f \in Follower |-> 0]
    /\ caughtUpAge = [f \in Follower |-> 0]
    /\ lagBeginAge = [f \in Follower |-> None]
    /\ fetchLeo = [f \in Follower |-> 0]
    /\ reading = [f \in Follower |-> None]
    /\ fetched = {}

------------------------------------------------------------------------------
(* Who knows what *)

(* Whether time may pass without this follower falling behind the pace. *)
IsInTime(follower) ==
    LET fetching == reading[follower] # None
    IN  \/ Pace = "free"
        \/ fetching
        \/ Pace = "every-tick" /\ follower \in fetched

(* How long ago the fetch arrived that is being read for a follower. *)
ArrivalAge(follower) ==
    LET theReading == reading[follower] IN IF theReading = None THEN 0 ELSE theReading.age

(* An age a tick later. *)
Older(age) == Min(age + 1, LagTimeMax + 1)

(* A fetch that is being read, a tick later. *)
ReadLonger(theReading) ==
    IF theReading = None
    THEN None
    ELSE [age |-> Older(theReading.age), wasCaughtUp |-> theReading.wasCaughtUp]

(* KIP-16's lagBegin, a tick later. *)
LaggingLonger(age) == IF age = None THEN None ELSE Older(age)

(* KIP-16's lagBegin after a fetch: one that falls short of the log end starts it, any other
   stops it. *)
LagBeginAfter(before, offset, leo, age) ==
    IF offset >= leo THEN None ELSE IF before = None THEN age ELSE before

------------------------------------------------------------------------------
(* What they do *)

(* A record reaches the leader's log. *)
Append_ ==
    /\ logEnd' = logEnd + 1
    /\ appendAge' = Append(appendAge, 0)

==============================================================================
