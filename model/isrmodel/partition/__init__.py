"""Admission to the ISR across changes of leader: any admission policy with any truncation rule.

Read `protocol.py`; then `admission.py` and `truncation.py`, which fill its policies; `partition.py`, the properties;
and `combinations.py`, the models.
"""

from isrmodel.partition.combinations import PARTITIONS as PARTITIONS
from isrmodel.partition.partition import Partition as Partition
