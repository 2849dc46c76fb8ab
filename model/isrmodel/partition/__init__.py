"""Admission to the ISR across changes of leader: any admission policy with any truncation rule."""

from isrmodel.partition.combinations import PARTITIONS as PARTITIONS
from isrmodel.partition.partition import Partition as Partition
