"""Apache Fluss: Kafka's replication of before KIP-101, with changes of its own, over ZooKeeper.

Read `state.py`; then what the actors do: `coordinator.py`, `leader.py`, `follower.py`, `faults.py`; the decisions
that are open, each in a file: `truncation.py`, `memory.py`, `epochs.py`; then what must hold (`properties.py`), what
must be reachable (`reachable.py`), and `releases.py`.
"""

from isrmodel.fluss.releases import BUCKETS as BUCKETS
