"""One Kafka partition under KRaft, from KIP-497 (2.7) to eligible leader replicas (4.1), with its failures.

Read `state.py`; then what the actors do: `controller.py`, `leader.py`, `follower.py`, `faults.py`; then `properties.py`
and `releases.py`. Each decision that a release changed has a file of its own, named after the KIP or ticket behind it.
"""

from isrmodel.kraft.properties import Kraft as Kraft
from isrmodel.kraft.releases import RELEASES as RELEASES
