"""The sizes that a proof is for: the constants that bound the state, `any` or what each was fixed to."""

from collections.abc import Mapping
from typing import Any

from isrcheck.ir.domains import SortDomain, bound_names, inner_domains
from isrcheck.ir.model import ModelIR
from isrcheck.passes.constants import literal


def sizes(ir: ModelIR, given: Mapping[str, Any]) -> dict[str, str]:
    """The sizes that a proof is for, by noun: `any`, or what the constant was fixed to."""
    bounds: list[Any] = [sort.size for sort in ir.sorts]
    for variable in ir.variables:
        for of in inner_domains(variable.domain):
            bounds += [getattr(of, "high", None)] if not isinstance(of, SortDomain) else [of.size]
    names = dict.fromkeys(n for bound in bounds if isinstance(bound, str) for n in sorted(bound_names(bound)))
    return {_noun(n): literal(given[n]) if n in given else "any" for n in names}


def _noun(constant: str) -> str:
    """Return the noun of what a constant bounds: "epochs" of max_leader_epoch."""
    if not constant.startswith("max_"):
        return constant
    last = constant.rpartition("_")[2]
    return last if last.endswith("s") else f"{last}s"
