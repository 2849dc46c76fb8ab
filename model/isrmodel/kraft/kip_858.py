"""KIP-858 (3.7): a broker reports in which log directory a replica is (AssignReplicasToDirs).

Until 4.2 the controller put a report on record as if ELR were off, and so emptied the ELR (apache/kafka PR 20716, 4.3;
`ReplicationControlManager.handleAssignReplicasToDirs`). A report is due where the directory has another id than the one
on record, as after a disk was replaced; with several directories also when a replica moves between them.
"""

from typing import Annotated

from isrcheck import UpTo, constant, each
from isrmodel.kraft.state import State
from isrmodel.vocabulary import Replica


class Kip858(State):
    """The brokers whose directory is not the one on record."""

    disks: int = constant(0, "disks that are replaced: the broker comes back with a new directory and without its log")
    dir_reports: int = constant(0, "replicas that move between directories of their broker, which reports it")
    report_keeps_elr: bool = constant(True, "apache/kafka PR 20716 (4.3): the report of a directory keeps the ELR")

    reported_so_far: Annotated[int, UpTo("dir_reports")] = 0
    unreported: dict[Replica, Annotated[int, UpTo("min(disks, 1)")]] = each(Replica, 0)  # 1 where a report is due

    def may_report(self, broker: Replica) -> bool:
        """Whether a broker is up and has yet to report its directory."""
        return self.unreported[broker] > 0 and broker not in self.down and self.is_assigned(broker, self.version)
