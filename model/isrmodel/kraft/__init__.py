"""One Kafka partition under KRaft, from KIP-497 (2.7) to eligible leader replicas (4.1), with its failures.

Read `state.py`; then what the actors do: `controller.py`, `leader.py`, `follower.py`, `late.py`, `faults.py`, and who
holds the partition: `assignment.py`, `reassignment.py`; then what must hold (`properties.py`), what must not wait
for ever (`stuck.py`), what must be reachable (`reachable.py`), and `releases.py`. `timed.py` adds a clock.
Each decision that a release changed
has a file of its own, named after the KIP or ticket behind it.
"""

from isrmodel.kraft.releases import RELEASES as RELEASES
from isrmodel.kraft.releases import Kraft as Kraft
from isrmodel.kraft.releases import constants_of_patch as constants_of_patch
from isrmodel.kraft.releases import find_release_model as find_release_model
from isrmodel.kraft.releases import release_number as release_number
from isrmodel.kraft.timed import KraftTimed as KraftTimed
