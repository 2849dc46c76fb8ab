------------------------------- MODULE Ledger -------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* Gifts are written down; now and then the book is tidied, and everybody is taxed. *)

CONSTANTS
    Friend,  \* Somebody with a purse.
    Friends, \* people in the circle
    Coins    \* coins that there are

ASSUME
    Friends \in Nat /\ Friends >= 2 /\ Coins \in Nat /\ Coins >= 1 /\ Cardinality(Friend) = Friends

VARIABLES
    purse,
    book,
    fund,
    opened

SetMax(S) == CHOOSE x \in S : \A y \in S : y <= x

SetMin(S) == CHOOSE x \in S : \A y \in S : x <= y

MaxOr(S, none) == IF S = {} THEN none ELSE SetMax(S)

MinOr(S, none) == IF S = {} THEN none ELSE SetMin(S)

Range(f) == {f[x] : x \in DOMAIN f}

Last(s) == s[Len(s)]

\* The sum of a function's values.
Sum(f) ==
    LET Over[S \in SUBSET DOMAIN f] ==
            IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN f[x] + Over[S \ {x}]
    IN  Over[DOMAIN f]

Gift == [giver: Friend, coins: Nat]

------------------------------------------------------------------------------

vars == <<purse, book, fund, opened>>

TypeOk == purse \in [Friend -> Nat] /\ book \in Seq(Gift) /\ fund \in Nat /\ opened \in BOOLEAN

Init == purse = [f \in Friend |-> 0] /\ book = <<>> /\ fund = 0 /\ opened = FALSE

------------------------------------------------------------------------------
(* Who knows what *)

(* The largest gift in a book, 0 if there is none. *)
Largest(theBook) == MaxOr({line.coins : line \in Range(theBook)}, 0)

(* Everybody with a line in the book. *)
Givers == {line.giver : line \in Range(book)}

------------------------------------------------------------------------------
(* What they do *)

(* Coins change hands. *)
Move(giver, taker, coins) ==
    LET purseNow == [purse EXCEPT ![giver] = @ - coins]
    IN  purse' = [purseNow EXCEPT ![taker] = @ + coins]

------------------------------------------------------------------------------
(* Steps *)

(* Somebody brings all the coins that there will ever be. *)
Open(rich) ==
    /\ ~opened
    /\ opened' = TRUE
    /\ purse' = [f \in Friend |-> IF f = rich THEN Coins ELSE 0]
    /\ UNCHANGED <<book, fund>>

(* A friend gives coins to another. *)
Give(giver, taker, coins) ==
    /\ giver # taker
    /\ coins > 0
    /\ purse[giver] >= coins
    /\ Move(giver, taker, coins)
    /\ book' = Append(book, [giver |-> giver, coins |-> coins])
    /\ UNCHANGED <<fund, opened>>

(* Small gifts are struck out of the book. *)
Tidy ==
    LET kept == SelectSeq(book, LAMBDA line : line.coins > 1)
    IN  /\ Len(kept) < Len(book)
        /\ book' = kept
        /\ UNCHANGED <<purse, fund, opened>>

(* Each friend with two coins or more pays one to the fund. *)
Tax ==
    LET due == Cardinality({f \in Friend : purse[f] >= 2})
    IN  /\ due > 0
        /\ fund' = fund + due
        /\ purse' = [f \in Friend |-> IF purse[f] >= 2 THEN purse[f] - 1 ELSE purse[f]]
        /\ UNCHANGED <<book, opened>>

(* All lines but the newest are forgotten. *)
Forget ==
    LET last == Last(book) IN Len(book) > 1 /\ book' = <<last>> /\ UNCHANGED <<purse, fund, opened>>

------------------------------------------------------------------------------

Next ==
    \/ \E rich \in Friend : Open(rich)
    \/ \E giver, taker \in Friend, coins \in 0..Coins : Give(giver, taker, coins)
    \/ Tidy
    \/ Tax
    \/ Forget

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* Purses and fund have all the coins that were brought. *)
NoCoinIsLost == fund + Sum([f \in Friend |-> purse[f]]) = IF opened THEN Coins ELSE 0

(* Somebody has at least as many coins as the average. *)
NobodyHasMost == Friends * SetMax({purse[f] : f \in Friend}) >= Sum([f \in Friend |-> purse[f]])

(* No gift, and no purse, is smaller than the smallest. *)
SmallestIsLeast ==
    \A f \in Friend, line \in Range(book) :
        line.giver = f =>
            /\ line.coins >= MinOr({other.coins : other \in Range(book)}, 0)
            /\ purse[f] >= SetMin({purse[g] : g \in Friend})

(* No line of the book is of all the coins. *)
GiftsAreSmall == Largest(book) < Coins

(* Whoever gave is one of the circle. *)
GiversAreFriends == Givers \subseteq Friend

(* Only a gift makes the book longer, and only by one line. *)
BookGrowsByGifts ==
    [][/\ \A giver, taker \in Friend, coins \in 0..Coins :
              Give(giver, taker, coins) => Len(book') <= Len(book) + 1
       /\ (\/ \E rich \in Friend : Open(rich)
           \/ Tidy
           \/ Tax
           \/ Forget) =>
              Len(book') <= Len(book)]_vars

(* The book has a line of each friend. *)
EverybodyGave == \A f \in Friend : \E line \in Range(book) : line.giver = f

NeverEverybodyGave == ~EverybodyGave

(* Two neighbouring lines are of the same coins, by two friends. *)
AGiftCameBack ==
    \E i \in 0..(Len(book) - 1) :
        /\ i + 1 < Len(book)
        /\ book[i + 1].coins = book[i + 2].coins
        /\ book[i + 1].giver # book[i + 2].giver

NeverAGiftCameBack == ~AGiftCameBack

(* The fund has all the coins. *)
FundIsFull == fund = Coins

NeverFundIsFull == ~FundIsFull

==============================================================================
