"""KRaft's own Raft: how controllers elect a leader and replicate the metadata log.

Read `state.py`; then what a controller does: `election.py`, `replication.py`, `flush.py`; each later decision in a file
of its own, named after its KIP or ticket; `faults.py`; then what must hold (`properties.py`), what must be reachable
(`reachable.py`), and `releases.py`. `published/` has three modules of Vanlightly/raft-tlaplus, with all messages.
"""

from isrcheck import Model
from isrmodel.raft.published import PublishedKraft, PullRaft, PullRaftVariant2
from isrmodel.raft.releases import RELEASES

RAFTS: dict[str, type[Model]] = {
    **RELEASES,
    "raft-published-pull": PullRaft,
    "raft-published-pull-2": PullRaftVariant2,
    "raft-published-kraft": PublishedKraft,
}

__all__ = ["RAFTS"]
