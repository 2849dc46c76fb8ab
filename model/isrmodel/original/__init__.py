"""The replication design of 2012 as a system: several brokers, commands that go astray, and no epochs.

Read `design.py`, the pseudo-code in the order of its page; then `original_design.py`, its properties.
"""

from isrmodel.original.original_design import OriginalDesign as OriginalDesign
