"""The searches that are timed on a GPU, with their counts, and those that are compared with the native engine."""

from collections.abc import Mapping
from dataclasses import dataclass

KIP_320 = {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}
KRAFT = {
    "replicas": 3,
    "min_isr": 2,
    "max_records": 1,
    "fences": 1,
    "kills": 1,
    "power_losses": 1,
    "max_version": 9,
    "max_epoch": 7,
    "max_session": 2,
}
KRAFT_SMALL = {**KRAFT, "replicas": 2, "min_isr": 1}

CHECKS: tuple[tuple[str, Mapping[str, int]], ...] = (
    ("truncate-to-high-watermark", {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}),
    ("kip-320", {**KIP_320, "max_records": 1}),
    ("kraft-3.7", {**KRAFT_SMALL, "kills": 0, "max_session": 1}),
    ("kraft-4.3", {**KRAFT_SMALL, "power_losses": 0}),
    ("isr-kafka-4485-v2", {}),
)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A search whose counts are known. `rate`: the prototype's, in million states a second."""

    name: str
    model: str
    constants: Mapping[str, int]
    distinct: int
    generated: int
    depth: int
    digest: str
    rate: int  # on an H100, or an H200 where it did not run on the other


# The native engine has the same counts and digests, except of kraft with two records: those are the prototype's.
ROWS = (
    Row(
        name="kip-320 (3,2,2,2)",
        model="kip-320",
        constants=KIP_320,
        distinct=737_794,
        generated=1_929_154,
        depth=26,
        digest="3ac86e9ef50b0b7bf87a94eba318fd39",
        rate=294,
    ),
    Row(
        name="kip-320 (3,2,2,3)",
        model="kip-320",
        constants={**KIP_320, "max_leader_epoch": 3},
        distinct=9_985_570,
        generated=26_629_363,
        depth=32,
        digest="5732996916f0ec632f56985c60fae434",
        rate=1_469,
    ),
    Row(
        name="kip-320 (3,3,3,3)",
        model="kip-320",
        constants={"replicas": 3, "log_size": 3, "max_records": 3, "max_leader_epoch": 3},
        distinct=64_739_578,
        generated=182_836_519,
        depth=37,
        digest="bbe45e1fec9d0261719c2ce19cd2b106",
        rate=1_877,
    ),
    Row(
        name="kip-320 (3,2,2,5)",
        model="kip-320",
        constants={**KIP_320, "max_leader_epoch": 5},
        distinct=1_150_588_699,
        generated=3_158_343_463,
        depth=43,
        digest="c068474c1fb37fea8a47bea288b45021",
        rate=1_983,
    ),
    Row(
        name="kraft-4.1 RF 3, 1 record",
        model="kraft-4.1",
        constants=KRAFT,
        distinct=25_849_387,
        generated=195_851_872,
        depth=39,
        digest="49648d13d464950d11867157799e5b5f",
        rate=327,
    ),
    Row(
        name="kraft-4.1 RF 3, 2 records",
        model="kraft-4.1",
        constants={**KRAFT, "max_records": 2},
        distinct=209_499_505,
        generated=1_573_115_167,
        depth=49,
        digest="d7606797ef8a0bafa10d1dfa7caedc3b",
        rate=350,
    ),
)
