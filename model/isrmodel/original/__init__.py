"""The replication design of 2012 as a system: several brokers, commands that go astray, and no epochs."""

from isrmodel.original.original_design import OriginalDesign as OriginalDesign
