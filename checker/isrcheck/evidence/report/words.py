"""Verdicts in words."""

from dataclasses import dataclass
from typing import Any

from isrcheck.errors import quantity
from isrcheck.ir import property_kinds as kinds

LEGEND = {
    "violated": ("✗", "violated, and the steps of the shortest trace"),
    "holds": ("✓", "holds in every reachable state; or can happen, and in how many steps"),
    "within": ("◐", "holds within bounds: in every reachable state, but some steps were pruned"),
    "undetermined": ("?", "undetermined: the run was cut short"),
    "absent": ("-", "does not apply"),
    "unasked": ("·", "not asked"),
    "failed": ("!", "no verdict"),
}


@dataclass(frozen=True)
class Said:
    """`look` decides colour and sign."""

    look: str
    short: str
    detail: str
    reach: str

    @property
    def sign(self) -> str:
        return LEGEND[self.look][0]

    @property
    def brief(self) -> str:
        if self.look == "within" or self.detail == "exhaustive":
            return "" if self.short.startswith("holds") else self.short
        return self.detail.split(", ")[0].removesuffix(" steps").removesuffix(" step") or self.short


def property_of(run: dict[str, Any], name: str) -> dict[str, Any] | None:
    return next((p for p in run.get("properties", ()) if p["name"] == name), None)


def verdict_in_words(run: dict[str, Any], name: str) -> Said:
    decided = property_of(run, name)
    if decided is not None:
        return {"violated": _say_violated, "holds": _say_holds}.get(decided["verdict"], _say_undetermined)(run, decided)
    if "failed" in run:
        return Said("failed", "no verdict", "", run["failed"])
    why = run.get("not_asked", {}).get(name)
    if why is not None:
        return Said("absent", "n/a", "", f"It does not apply with these constants: {why}")
    if name == kinds.DEADLOCK.name or "asked" in run:
        return Said("unasked", "not asked", "", "This run was not asked about it.")
    # A file does not say what applies.
    unless = "." if "not_asked" in run else ", or it does not apply with these constants."
    return Said("absent", "n/a", "", f"The model has no such property{unless}")


def _say_violated(run: dict[str, Any], decided: dict[str, Any]) -> Said:
    known_by = decided["assurance"]
    if decided["length"] is None:
        return Said("violated", "never reached", known_by, f"No state meets this property: {_every_state(run)}")
    steps = quantity(decided["length"] - 1, "step")
    way = f"A random walk broke it after {steps}" if run.get("sample") else f"The shortest trace takes {steps}"
    return Said("violated", "violated", f"{steps}, {known_by}", f"{way}; the reference replayed it and saw the same.")


def _say_holds(run: dict[str, Any], decided: dict[str, Any]) -> Said:
    known_by = decided["assurance"]
    pruned = run["states"]["pruned"]
    if kinds.kind_by_name(decided["kind"]).holds_by_target:
        steps = quantity(decided["length"] - 1, "step") if decided["length"] else "some way"
        reach = f"It happens: the shortest way takes {steps}, and the reference walked it."
        return Said("holds", "reached", f"{steps}, {known_by}", reach)
    if known_by == "proved":
        return Said("holds", "holds", "proved", "It is proved, for any number of steps.")
    if constraints := run.get("constraints"):
        what = f"within {' and '.join(constraints['names'])}"
        detail = f"({quantity(constraints['outside'], 'state')} not expanded), {known_by}"
        return Said("within", f"holds {what}", detail, f"It holds {what}: {_every_state(run)}")
    if pruned:
        detail = f"({quantity(pruned, 'step')} pruned), {known_by}"
        return Said("within", "holds within bounds", detail, f"It holds within bounds: {_every_state(run)}")
    return Said("holds", "holds", known_by, f"It holds: {_every_state(run)}")


def _say_undetermined(run: dict[str, Any], decided: dict[str, Any]) -> Said:
    cut = f"the run ended {run['cut']}" if run["cut"] else "the run did not see every state"
    kind, _, number = decided["assurance"].rstrip(")").partition("(")
    looked = {
        "bounded": f"every behaviour of at most {number} steps was looked at, and longer ones were not",
        "sampled": f"{number} random walks met no violation, and they prove nothing",
    }.get(kind, decided["assurance"])
    return Said("undetermined", "undetermined", decided["assurance"], f"It is not decided: {cut}; {looked}.")


def _every_state(run: dict[str, Any]) -> str:
    distinct = run["states"]["distinct"]
    pruned = run["states"]["pruned"]
    every = "the one reachable state was looked at"
    if distinct != 1:
        whose = " (one for each symmetry class)" if run["symmetry"] else ""
        every = f"all {quantity(distinct, 'reachable state')}{whose} were looked at"
    was = "was" if pruned == 1 else "were"
    beyond = f", and {quantity(pruned, 'step')} that would have left a bound {was} not taken" if pruned else ""
    return f"{every}{beyond}."
