------------------------------ MODULE Cashier ------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* Money comes in and goes out. *)

CONSTANTS
    Customer, \* Somebody with an account.
    Purse     \* coins that an account may hold

ASSUME Purse \in Nat /\ Purse >= 1

VARIABLE
    balance

------------------------------------------------------------------------------

vars == <<balance>>

TypeOk == balance \in [Customer -> Nat]

Init == balance = [c \in Customer |-> 0]

------------------------------------------------------------------------------
(* Steps *)

(* A customer brings money. *)
Deposit(who, amount) ==
    /\ amount > 0
    /\ balance' = [balance EXCEPT ![who] = @ + amount]

(* A customer takes money away. *)
Withdraw(who, amount) ==
    /\ 0 < amount
    /\ amount <= balance[who]
    /\ balance' = [balance EXCEPT ![who] = @ - amount]

------------------------------------------------------------------------------

Next ==
    \/ \E who \in Customer, amount \in 0..Purse : Deposit(who, amount)
    \/ \E who \in Customer, amount \in 0..Purse : Withdraw(who, amount)

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* Whoever withdraws has as much less, and nobody else has. *)
WithdrawalsAreExact ==
    [][\A who \in Customer, amount \in 0..Purse :
           Withdraw(who, amount) =>
               /\ balance'[who] + amount = balance[who]
               /\ \A c \in Customer : c # who => balance'[c] = balance[c]]_vars

(* A withdrawal leaves something. *)
NobodyGoesBroke ==
    [][\A who \in Customer, amount \in 0..Purse : Withdraw(who, amount) => balance'[who] # 0]_vars

(* Nobody brings more than one coin to an empty account. *)
DepositsAreSmall ==
    [][\A who \in Customer, amount \in 0..Purse :
           Deposit(who, amount) => ~(balance[who] = 0 /\ amount > 1)]_vars

==============================================================================
