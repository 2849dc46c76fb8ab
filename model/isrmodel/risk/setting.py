"""A partition's settings as people write them, and the model that has them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from isrcheck.catalogue import known_models
from isrcheck.errors import UsageError
from isrcheck.ir.frozen import replace
from isrcheck.lang.declare import Model

_RELEASE = "kraft-"


@dataclass(frozen=True)
class Setting:
    """What decides how safe a partition's records are. `elr` is None where the release decides."""

    kafka: str = "4.1"
    replication_factor: int = 3
    min_isr: int = 2
    acks: str = "all"
    unclean_election: bool = False
    elr: bool | None = None
    flush_every_record: bool = False

    def model(self) -> type[Model]:
        """The model of the release, or of the last before it that differs. Raises UsageError if there is none."""
        if self.elr and _number(self.modelled_release()) < (4, 0):
            raise UsageError(f"Kafka {self.kafka} has no eligible leader replicas: leave --elr out, or ask for 4.0.")
        return known_models()[_RELEASE + self.modelled_release()]

    def modelled_release(self) -> str:
        """The number of the release that is modelled, such as 3.7 for Kafka 3.9."""
        if not re.fullmatch(r"\d+\.\d+(\.\d+)?", self.kafka):
            raise UsageError(f"--kafka {self.kafka} is not a valid release: write it as 4.1 or 3.9.1.")
        releases = sorted(_number(name) for name in known_models() if name.startswith(_RELEASE))
        earlier = [release for release in releases if release <= _number(self.kafka)]
        if not earlier:
            first = ".".join(map(str, releases[0]))
            raise UsageError(f"Kafka {self.kafka} is not modelled: the ISR changes by request since {first}.")
        return ".".join(map(str, earlier[-1]))

    def acknowledges(self) -> bool:
        """Whether a producer is ever told that a record is safe."""
        effective = _number(self.modelled_release()) >= (3, 7)  # KAFKA-15583: at most the replication factor
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

    def described(self) -> str:
        """One line for people."""
        words = [
            f"Kafka {self.kafka}",
            f"replication factor {self.replication_factor}",
            f"min.insync.replicas={self.min_isr}",
            f"acks={self.acks}",
        ]
        if self.unclean_election:
            words.append("unclean.leader.election.enable=true")
        if self.elr is not None:
            words.append("with ELR" if self.elr else "without ELR")
        if self.flush_every_record:
            words.append("flush.messages=1")
        return ", ".join(words)

    def changes(self) -> Mapping[str, "Setting"]:
        """Settings that differ in one place and may survive more, the cheapest first."""
        found: dict[str, Setting] = {}
        if self.unclean_election:
            found["unclean.leader.election.enable=false"] = replace(self, unclean_election=False)
        if self.acks != "all":
            found["acks=all"] = replace(self, acks="all")
        if self.min_isr < self.replication_factor:
            found[f"min.insync.replicas={self.min_isr + 1}"] = replace(self, min_isr=self.min_isr + 1)
        if self.elr is not True and _number(self.modelled_release()) == (4, 0):
            found["eligible leader replicas"] = replace(self, elr=True)
        if not self.flush_every_record:
            found["flush.messages=1"] = replace(self, flush_every_record=True)
        found[f"replication factor {self.replication_factor + 1}"] = replace(
            self, replication_factor=self.replication_factor + 1
        )
        return found


def _number(release: str) -> tuple[int, ...]:
    """(major, minor) of a release or of a model's name; what has no number comes after all."""
    digits = re.findall(r"\d+", release)
    return (int(digits[0]), int(digits[1])) if len(digits) > 1 else (999, 0)
