"""Raft whose followers pull, as Vanlightly/raft-tlaplus publishes it: PullRaft.tla, and KRaft.tla with all messages.

What was sent is kept besides what is in flight, since most messages are sent once; so states count as TLC counts them.
`words.py` and `messages.py` have the vocabulary, `election.py` and `fetching.py` are KRaft.tla's two halves.
"""

from isrmodel.raft.published.kraft import PublishedKraft
from isrmodel.raft.published.pull_raft import PullRaft

__all__ = ["PublishedKraft", "PullRaft"]
