------------------------------ MODULE Messages ------------------------------
EXTENDS Integers, Sequences, FiniteSets

(* A sender, a receiver, and what is between them. *)

CONSTANT
    Messages  \* messages that are sent

ASSUME Messages \in Nat /\ Messages >= 1

VARIABLES
    network,
    sent,
    received,
    acknowledged

Kind == {"data", "ack"}

Message == [kind: Kind, number: Nat]

------------------------------------------------------------------------------

vars == <<network, sent, received, acknowledged>>

TypeOk ==
    /\ network \in SUBSET Message
    /\ sent \in Nat
    /\ received \in SUBSET Nat
    /\ acknowledged \in SUBSET Nat

Init == network = {} /\ sent = 0 /\ received = {} /\ acknowledged = {}

------------------------------------------------------------------------------
(* Who knows what *)

Nothing == {}

------------------------------------------------------------------------------
(* Steps *)

(* The sender sends its next message. *)
Send ==
    /\ network' = network \cup {[kind |-> "data", number |-> sent]}
    /\ sent' = sent + 1
    /\ UNCHANGED <<received, acknowledged>>

(* A message arrives, and may arrive again. *)
Deliver(message) ==
    /\ message \in network
    /\ IF message.kind = "data"
       THEN /\ received' = received \cup {message.number}
            /\ network' = network \cup {[message EXCEPT !.kind = "ack"]}
            /\ UNCHANGED acknowledged
       ELSE /\ acknowledged' = acknowledged \cup {message.number}
            /\ UNCHANGED <<network, received>>
    /\ UNCHANGED sent

(* A message gets lost. *)
Lose(message) ==
    /\ message \in network
    /\ network' = network \ {message}
    /\ UNCHANGED <<sent, received, acknowledged>>

------------------------------------------------------------------------------

Next ==
    \/ Send
    \/ \E message \in [kind: Kind, number: 0..(Messages - 1)] : Deliver(message)
    \/ \E message \in [kind: Kind, number: 0..(Messages - 1)] : Lose(message)

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Promises *)

(* Whatever is acknowledged was received. *)
AcknowledgedIsReceived == acknowledged \subseteq received

(* An acknowledgement on its way speaks of something that was received. *)
AcksAreTrue == {m.number : m \in {m \in network : m.kind = "ack"}} \ received = {}

(* What was received stays received. *)
NothingIsForgotten == [][received \subseteq received']_vars

(* Everything is received and nobody will ever know. *)
Silence ==
    /\ Cardinality(received) = Messages
    /\ Cardinality(network \cup Nothing) = 0
    /\ 0 = Cardinality(acknowledged)

NeverSilence == ~Silence

==============================================================================
