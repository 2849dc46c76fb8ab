-------------------------------- MODULE Yard --------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* Wagons are loaded on two tracks and coupled to one train. *)

CONSTANTS
    Wagons, \* wagons on a track, and in a train
    None    \* no value

ASSUME Wagons \in Nat /\ Wagons >= 1

VARIABLES
    track,
    train

Min(a, b) == IF a <= b THEN a ELSE b

\* The elements after the first m, up to the n-th.
Slice(s, m, n) == SubSeq(s, m + 1, Min(n, Len(s)))

Track == {"upper", "lower"}

Cargo == {"coal", "salt"}

Train == [wagons: Seq(Cargo), home: Track]

------------------------------------------------------------------------------

vars == <<track, train>>

TypeOk == track \in [Track -> Seq(Cargo)] /\ train \in Train \cup {None}

Init == track = [t \in Track |-> <<>>] /\ train = None

------------------------------------------------------------------------------
(* Who knows what *)

(* How many wagons of the train carry this. *)
LoadOf(cargo) == IF train = None THEN 0 ELSE Len(SelectSeq(train.wagons, LAMBDA c : c = cargo))

------------------------------------------------------------------------------
(* Steps *)

(* A wagon is loaded at the end of a track. *)
Load(theTrack, cargo) ==
    /\ track' = [track EXCEPT ![theTrack] = Append(@, cargo)]
    /\ UNCHANGED train

(* What waits on a track becomes a train. *)
Begin(theTrack) ==
    /\ train = None
    /\ Len(track[theTrack]) > 0
    /\ train' = [wagons |-> track[theTrack], home |-> theTrack]
    /\ track' = [track EXCEPT ![theTrack] = <<>>]

(* What waits on the other track is coupled to the train. *)
Couple(theTrack) ==
    /\ train # None
    /\ train.home # theTrack
    /\ Len(track[theTrack]) > 0
    /\ IF train # None
       THEN /\ train' = [train EXCEPT !.wagons = train.wagons \o track[theTrack]]
            /\ track' = [track EXCEPT ![theTrack] = <<>>]
       ELSE UNCHANGED vars

(* The train leaves. *)
Depart ==
    /\ train # None
    /\ train' = None
    /\ UNCHANGED track

------------------------------------------------------------------------------

Next ==
    \/ \E theTrack \in Track, cargo \in Cargo : Load(theTrack, cargo)
    \/ \E theTrack \in Track : Begin(theTrack)
    \/ \E theTrack \in Track : Couple(theTrack)
    \/ Depart

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* A train has wagons. *)
NoEmptyTrain == train # None => Len(train.wagons) > 0

(* Salt is not pulled behind coal. *)
NoSaltBehindCoal ==
    train # None => \A i \in 0..(Wagons - 1) : Slice(train.wagons, i, i + 2) # <<"coal", "salt">>

(* A train that stays keeps its first wagon. *)
TrainsKeepTheirHead ==
    [][~(train = None \/ train' = None) => train.wagons[1] = train'.wagons[1]]_vars

(* A train as long as may be carries only salt. *)
AllSalt == train # None /\ LoadOf("salt") = Wagons

NeverAllSalt == ~AllSalt

==============================================================================
