"""Kafka's releases: what each changed. Any other equals the last before it (3.4 is 3.3, 4.2 is 4.1, 4.4 is 4.3)."""

import re

from isrcheck import constant
from isrmodel.kraft.drawing import DRAWING
from isrmodel.kraft.kafka_16541 import EpochFile
from isrmodel.kraft.reachable import Reachable


class Kraft(Reachable):
    """Today's protocol, every decision of it a constant; by default as in 4.3 and 4.4."""

    drawing = DRAWING


class Kraft27(Kraft):
    """2.7: the ISR changes by request (KIP-497), and the controller grants what is based on the latest record."""

    kip_841: bool = constant(False, "KIP-841: an ISR with a broker that is fenced or shutting down is refused")
    kip_903: bool = constant(False, "KIP-903: whoever is added must still have the broker epoch with which it fetched")
    all_who_stay: bool = constant(False, "KAFKA-15665: a reassignment waits until all who stay are in the ISR")
    kafka_19975: bool = constant(False, "KAFKA-19975: only a smaller assignment waits for all who stay in it")
    report_keeps_elr: bool = constant(False, "apache/kafka PR 20716 (4.3): the report of a directory keeps the ELR")
    bump_on_shrink: bool = constant(True, "before KAFKA-15021 (3.6): a smaller ISR begins a leader epoch")
    response_epoch_checked: bool = constant(False, "KAFKA-18991: an answer of an older leader epoch is dropped")
    strict: bool = constant(False, "KAFKA-15583: nothing is exposed while the ISR is below min.insync.replicas")
    elr: bool = constant(False, "KIP-966: who leaves an ISR below min.insync.replicas stays eligible as a leader")
    last_known: bool = constant(False, "KIP-966 in 4.0: with ISR and ELR empty, the last leader is elected")
    heeds_unclean: bool = constant(False, "KAFKA-12670: the controller heeds unclean.leader.election.enable")
    epoch_file: EpochFile = constant(EpochFile.FLUSHED, "when the file of a leader-epoch cache has a truncation")


class Kraft33(Kraft27):
    """3.3: who is fenced or shutting down does not enter the ISR (KIP-841)."""

    kip_841: bool = constant(True, "KIP-841: an ISR with a broker that is fenced or shutting down is refused")


class Kraft35(Kraft33):
    """3.5: who restarted since its fetch does not enter the ISR by it (KIP-903)."""

    kip_903: bool = constant(True, "KIP-903: whoever is added must still have the broker epoch with which it fetched")


class Kraft36(Kraft35):
    """3.6: a smaller ISR begins no leader epoch (KAFKA-15021)."""

    bump_on_shrink: bool = constant(False, "before KAFKA-15021 (3.6): a smaller ISR begins a leader epoch")


class Kraft37(Kraft36):
    """3.7: below min.insync.replicas nothing is exposed (KAFKA-15583)."""

    strict: bool = constant(True, "KAFKA-15583: nothing is exposed while the ISR is below min.insync.replicas")
    epoch_file: EpochFile = constant(EpochFile.WRITTEN, "when the file of a leader-epoch cache has a truncation")


class Kraft38(Kraft37):
    """3.8: a reassignment waits until all who stay are in the ISR (KAFKA-15665)."""

    all_who_stay: bool = constant(True, "KAFKA-15665: a reassignment waits until all who stay are in the ISR")
    epoch_file: EpochFile = constant(EpochFile.LATER, "when the file of a leader-epoch cache has a truncation")


class Kraft39(Kraft38):
    """3.9: the controller heeds unclean.leader.election.enable (KAFKA-12670); before, under KRaft, only by hand."""

    heeds_unclean: bool = constant(True, "KAFKA-12670: the controller heeds unclean.leader.election.enable")


class Kraft40(Kraft39):
    """4.0: eligible leader replicas (KIP-966) are there, and off unless `eligible.leader.replicas.version` is 1."""

    fenced_last: bool = constant(True, "before KAFKA-19522 (4.1): the last leader is elected even if it is not live")


class Kraft41(Kraft40):
    """4.1: eligible leader replicas are on, and with ISR and ELR empty the last leader is elected (KIP-966).

    An answer of an older leader epoch is dropped (KAFKA-18991), as in 3.9.1 and 4.0.1.
    """

    response_epoch_checked: bool = constant(True, "KAFKA-18991: an answer of an older leader epoch is dropped")
    elr: bool = constant(True, "KIP-966: who leaves an ISR below min.insync.replicas stays eligible as a leader")
    last_known: bool = constant(True, "KIP-966 in 4.0: with ISR and ELR empty, the last leader is elected")
    fenced_last: bool = constant(False, "before KAFKA-19522 (4.1): the last leader is elected even if it is not live")


class Kraft43(Kraft41):
    """4.3: a swap no longer waits for all who stay (KAFKA-19975), and the report of a directory keeps the ELR."""

    kafka_19975: bool = constant(True, "KAFKA-19975: only a smaller assignment waits for all who stay in it")
    report_keeps_elr: bool = constant(True, "apache/kafka PR 20716 (4.3): the report of a directory keeps the ELR")


RELEASES: dict[str, type[Kraft]] = {
    "kraft-2.7": Kraft27,
    "kraft-3.3": Kraft33,
    "kraft-3.5": Kraft35,
    "kraft-3.6": Kraft36,
    "kraft-3.7": Kraft37,
    "kraft-3.8": Kraft38,
    "kraft-3.9": Kraft39,
    "kraft-4.0": Kraft40,
    "kraft-4.1": Kraft41,
    "kraft-4.3": Kraft43,
    "kraft": Kraft,
}


def find_release_model(release: str) -> str | None:
    """The name of the model of a release, such as 3.9.1: its own, or the last before it; None before the first."""
    models = {release_number(name): name for name in RELEASES if name != "kraft"}
    earlier = [number for number in models if number <= release_number(release)]
    return models[max(earlier)] if earlier else None


def constants_of_patch(release: str) -> dict[str, bool]:
    """Return the constants by which a patch release, such as 3.9.1, differs from the first of its minor release."""
    patch = tuple(map(int, re.findall(r"\d+", release)[:3]))
    mends = ((3, 9), (4, 0))  # KAFKA-18991 came with the second release of each
    return {"response_epoch_checked": True} if patch[:2] in mends and patch[2:] >= (1,) else {}


def release_number(release: str) -> tuple[int, ...]:
    """Major and minor number of a release, as a broker or a model names it: (4, 4) for 4.4.0-SNAPSHOT."""
    return tuple(map(int, re.findall(r"\d+", release)[:2]))
