"""Raft whose followers pull, as Vanlightly/raft-tlaplus publishes it: PullRaft.tla, its second variant, and KRaft.tla.

What was sent is kept besides what is in flight, since most messages are sent once; so states count as TLC counts them.
`words.py` and `messages.py` have the vocabulary; `pulling.py` is what the two PullRafts share, `election.py` and
`fetching.py` are KRaft.tla's two halves.
"""

from isrmodel.raft.published.kraft import PublishedKraft
from isrmodel.raft.published.pull_raft import PullRaft
from isrmodel.raft.published.pull_raft_variant_2 import PullRaftVariant2

__all__ = ["PublishedKraft", "PullRaft", "PullRaftVariant2"]
