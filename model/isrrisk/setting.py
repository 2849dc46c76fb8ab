"""A partition's settings as people write them, and the model that has them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from isrcheck import Model, UsageError
from isrmodel.kraft import RELEASES as MODELS
from isrmodel.kraft import find_release_model, release_number

_RELEASE = "kraft-"
# Kafka's releases since the first that is modelled; 4.4 is the newest that was read.
RELEASES = ("2.7", "2.8", *(f"3.{minor}" for minor in range(10)), *(f"4.{minor}" for minor in range(5)))
MOST_REPLICAS = 7  # a search of one fault lasts minutes beyond, and compiling it, too


@dataclass(frozen=True)
class Setting:
    """Settings that decide how safe a partition's records are. `elr` is None where the release decides."""

    kafka: str = "4.1"
    replication_factor: int = 3
    min_isr: int = 2
    acks: str = "all"
    unclean_election: bool = False
    elr: bool | None = None
    flush_every_record: bool = False

    def model(self) -> type[Model]:
        """The model of the release, or of the last before it that differs. Raises UsageError if there is none."""
        if self.replication_factor > MOST_REPLICAS:
            sentence = f"--replication-factor {self.replication_factor} is more than a search can decide"
            raise UsageError(f"{sentence}: give at most {MOST_REPLICAS}.")
        if self.elr and release_number(self.model_release()) < (4, 0):
            raise UsageError(f"Kafka {self.kafka} has no eligible leader replicas: leave --elr out, or ask for 4.0.")
        return MODELS[_RELEASE + self.model_release()]

    def model_release(self) -> str:
        """The number of the release that is modelled, such as 4.1 for Kafka 4.2."""
        if not re.fullmatch(r"\d+\.\d+(\.\d+)?", self.kafka):
            raise UsageError(f"--kafka {self.kafka} is not a valid release: write it as 4.1 or 3.9.1.")
        model = find_release_model(self.kafka)
        if model is not None and ".".join(self.kafka.split(".")[:2]) not in RELEASES:
            raise UsageError(f"Kafka {self.kafka} is not a release that was read. Known: {', '.join(RELEASES)}.")
        if model is None:
            raise UsageError(f"Kafka {self.kafka} is not modelled: the ISR changes by request since {RELEASES[0]}.")
        return model.removeprefix(_RELEASE)

    def has_elr(self) -> bool:
        """Whether eligible leader replicas are on: as asked, or as a new cluster of the release has them."""
        return release_number(self.model_release()) >= (4, 1) if self.elr is None else self.elr

    def remarks(self) -> list[str]:
        """Sentences on what a reader would not expect of these settings."""
        release = self.model_release()
        remarks = []
        if release_number(self.kafka) != release_number(release):
            remarks.append(f"Kafka {self.kafka} behaves as {release} here: the model has no change between them.")
        if self.elr is None and self.has_elr():
            remarks.append(
                "Eligible leader replicas are on, as in new clusters since 4.1. In an upgraded cluster they are off "
                "until `kafka-features.sh` switches them on: --cluster upgraded."
            )
        elif self.elr is None and release_number(release) >= (4, 0):
            remarks.append("Eligible leader replicas are off, as by default in 4.0: --elr switches them on.")
        if self.unclean_election and release_number(release) < (3, 9):
            remarks.append(
                f"Kafka {self.kafka} under KRaft does not heed unclean.leader.election.enable; 3.9 does (KAFKA-12670)."
            )
        if self.min_isr > self.replication_factor:
            remarks.append(self._above_the_factor(release_number(release) >= (3, 7)))
        return remarks

    def _effect_above_the_factor(self) -> str:
        if self.min_isr <= self.replication_factor:
            return ""
        is_effective = release_number(self.model_release()) >= (3, 7)
        return f" (Kafka takes it for {self.replication_factor})" if is_effective else " (no write is accepted)"

    def _above_the_factor(self, is_effective: bool) -> str:
        more = f"min.insync.replicas={self.min_isr} is more than the replication factor"
        if is_effective:
            return f"{more}: Kafka takes it for {self.replication_factor}."
        return f"{more}: no write with acks=all is ever accepted."

    def acknowledges(self) -> bool:
        """Whether a producer is ever told that a record is safe."""
        effective = release_number(self.model_release()) >= (3, 7)  # KAFKA-15583: at most the replication factor
        return self.acks == "1" or (self.acks == "all" and (effective or self.min_isr <= self.replication_factor))

    def constants(self) -> dict[str, Any]:
        """The constants of the model that stand for these settings."""
        eligible = {} if self.elr is None else {"elr": self.elr, "last_known": self.elr}
        return {
            "replicas": self.replication_factor,
            "min_isr": self.min_isr,
            "acks": self.acks,
            "unclean": self.unclean_election,
            "flushed": self.flush_every_record,
            **eligible,
        }

    def description(self) -> str:
        """One line for people."""
        words = [
            f"Kafka {self.kafka}",
            f"replication factor {self.replication_factor}",
            f"min.insync.replicas={self.min_isr}{self._effect_above_the_factor()}",
            f"acks={self.acks}",
        ]
        if self.unclean_election:
            words.append("unclean.leader.election.enable=true")
        if self.elr is not None:
            words.append("with ELR" if self.elr else "without ELR")
        if self.flush_every_record:
            words.append("flush.messages=1")
        return ", ".join(words)

    def changes(self) -> "Iterator[Change]":
        """Settings that differ in one place and may survive more, the cheapest first."""
        factor, min_isr = self.replication_factor, self.min_isr
        if self.unclean_election:
            price = "the partition waits for a replica that was in sync, and may stay without a leader"
            yield Change("unclean.leader.election.enable=false", price, replace(self, unclean_election=False))
        if self.acks != "all":
            price = "each write waits until the in-sync replicas have it"
            yield Change("acks=all", price, replace(self, acks="all"))
        if min_isr < factor:
            down = factor - min_isr
            price = f"writes stop once {'a broker is' if down == 1 else f'{down} brokers are'} out of the ISR"
            yield Change(f"min.insync.replicas={min_isr + 1}", price, replace(self, min_isr=min_isr + 1))
        if not self.has_elr() and release_number(self.model_release()) >= (4, 0):
            price = "eligible.leader.replicas.version=1 is of the whole cluster"
            yield Change("eligible leader replicas", price, replace(self, elr=True))
        if not self.flush_every_record:
            price = "every record is written to disk before it is acknowledged, which costs much of the throughput"
            yield Change("flush.messages=1", price, replace(self, flush_every_record=True))
        if factor < MOST_REPLICAS:
            price = "one more copy of everything"
            yield Change(f"replication factor {factor + 1}", price, replace(self, replication_factor=factor + 1))


def is_alike(one: Setting, other: Setting) -> bool:
    """Whether two settings are one question for the model."""
    return one.model_release() == other.model_release() and one.constants() == other.constants()


@dataclass(frozen=True)
class Change:
    """A change of one setting: its name, its price in words, and the setting after it."""

    name: str
    price: str
    setting: Setting
