"""The searches that are timed on a GPU, with what the native engine counts."""

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


@dataclass(frozen=True)
class Row:
    """A search. `rate`: the prototype's on an H100, in million states a second; `native`: whether the digest is its."""

    name: str
    model: str
    constants: dict[str, int]
    distinct: int
    generated: int
    depth: int
    digest: str
    rate: int
    native: bool = True


ROWS = (
    Row(
        "kip-320 (3,2,2,2)", "kip-320", KIP_320, 737_794, 1_929_154, 26, "3ac86e9ef50b0b7bf87a94eba318fd39", 294
    ),
    Row(
        "kip-320 (3,2,2,3)",
        "kip-320",
        {**KIP_320, "max_leader_epoch": 3},
        9_985_570,
        26_629_363,
        32,
        "5732996916f0ec632f56985c60fae434",
        1_469,
    ),
    Row(
        "kip-320 (3,3,3,3)",
        "kip-320",
        {"replicas": 3, "log_size": 3, "max_records": 3, "max_leader_epoch": 3},
        64_739_578,
        182_836_519,
        37,
        "bbe45e1fec9d0261719c2ce19cd2b106",
        1_877,
    ),
    Row(
        "kip-320 (3,2,2,5)",
        "kip-320",
        {**KIP_320, "max_leader_epoch": 5},
        1_150_588_699,
        3_158_343_463,
        43,
        "c068474c1fb37fea8a47bea288b45021",
        1_983,
    ),
    Row("kraft-4.1 RF 3, 1 record", "kraft-4.1", KRAFT, 25_849_387, 195_851_872, 39,
        "49648d13d464950d11867157799e5b5f", 327),
    Row("kraft-4.1 RF 3, 2 records", "kraft-4.1", {**KRAFT, "max_records": 2}, 209_499_505, 1_573_115_167, 49,
        "d7606797ef8a0bafa10d1dfa7caedc3b", 350, native=False),
)  # fmt: skip
