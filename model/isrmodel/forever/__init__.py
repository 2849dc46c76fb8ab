"""Policies for ever: temporal properties of the families, in models of their own.

Read `admission.py` for the ISR and its high watermark; `policies.py` has every policy with it. `partition.py` is about
a partition under KRaft, `partitions.py` about one whose leaders change and measure lag.
"""

from isrmodel.forever.partition import KraftForever as KraftForever
from isrmodel.forever.partitions import PARTITIONS_FOREVER as PARTITIONS_FOREVER
from isrmodel.forever.policies import POLICIES as POLICIES
