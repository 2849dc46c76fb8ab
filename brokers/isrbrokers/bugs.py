"""Faults that the agent puts into brokers, to be found: each takes one of Kafka's rules away (Bugs.java)."""

BUGS = {
    "hw-not-on-shrink": "only appends and fetches move the high watermark, as before KAFKA-13091",
    "old-partition-epoch": "the controller grants what is based on an old partition epoch (KIP-497)",
    "no-truncation": "a follower keeps what its leader lacks (KIP-101, KIP-320)",
    "any-epoch": "a leader serves and counts followers of any leader epoch (KIP-320)",
    "joins-at-once": "a follower joins the ISR wherever it is (KAFKA-7128)",
    "never-leaves": "nobody is ever too slow for the ISR (KIP-16)",
    "hw-of-isr-ignored": "the high watermark waits for nobody",
}

OF_THE_CONTROLLER = ("old-partition-epoch",)
