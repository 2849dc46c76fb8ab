"""Verdicts in words: what a cell says, and how far it reaches."""

from dataclasses import dataclass
from typing import Any

from isrcheck.ir import property_kinds as kinds


@dataclass(frozen=True)
class Said:
    """A verdict for people. `look` is violated, holds, within, undetermined, absent, unasked or failed.

    The look decides colour, border and sign together, so that no verdict depends on colour alone.
    """

    look: str
    sign: str
    short: str
    detail: str
    reach: str  # a sentence

    @property
    def brief(self) -> str:
        """What a cell of a matrix says beside the sign; the legend says what the sign means."""
        if self.look == "within" or self.detail == "exhaustive":
            return "" if self.short.startswith("holds") else self.short
        return self.detail.split(", ")[0].removesuffix(" steps").removesuffix(" step") or self.short


LEGEND = {
    "violated": ("✗", "violated, and the steps of the shortest trace"),
    "holds": ("✓", "holds in every reachable state; or can happen, and in how many steps"),
    "within": ("◐", "holds within bounds: in every reachable state, but some steps were pruned"),
    "undetermined": ("?", "undetermined: the run was cut short"),
    "absent": ("-", "does not apply"),
    "unasked": ("·", "not asked"),
    "failed": ("!", "no verdict"),
}


def said(run: dict[str, Any], name: str) -> Said:
    """What a run says of a property, by name; also of one that it does not have."""
    found = next((p for p in run.get("properties", ()) if p["name"] == name), None)
    if found is not None:
        return _verdict(run, found)
    if "failed" in run:
        return Said("failed", "!", "no verdict", "", run["failed"])
    why = run.get("not_asked", {}).get(name)
    if why is not None:
        return Said("absent", "-", "n/a", "", f"It does not apply with these constants: {why}")
    if name == kinds.DEADLOCK.name or "asked" in run:
        return Said("unasked", "·", "not asked", "", "This run was not asked about it.")
    reach = "The model has no such property."
    if "not_asked" not in run:  # a run that was read from a file does not know
        reach = "The model has no such property, or it does not apply with these constants."
    return Said("absent", "-", "n/a", "", reach)


def _verdict(run: dict[str, Any], found: dict[str, Any]) -> Said:
    if found["verdict"] == "violated":
        return _violated(run, found)
    if found["verdict"] == "holds":
        return _holds(run, found)
    return _undetermined(run, found)


def _violated(run: dict[str, Any], found: dict[str, Any]) -> Said:
    if found["length"] is None:
        reach = f"No state meets this property: {_every_state(run)}"
        return Said("violated", "✗", "never reached", found["assurance"], reach)
    steps = _steps(found)
    reach = f"The shortest trace takes {steps}; the reference replayed it and saw the same."
    if run.get("sample"):
        reach = f"A random walk broke it after {steps}; the reference replayed it and saw the same."
    return Said("violated", "✗", "violated", f"{steps}, {found['assurance']}", reach)


def _holds(run: dict[str, Any], found: dict[str, Any]) -> Said:
    if kinds.named(found["kind"]).holds_by_target:
        steps = _steps(found) if found["length"] else "some way"
        reach = f"It happens: the shortest way takes {steps}, and the reference walked it."
        return Said("holds", "✓", "reached", f"{steps}, {found['assurance']}", reach)
    pruned = run["states"]["pruned"]
    if found["assurance"] == "proved":
        return Said("holds", "✓", "holds", "proved", "It is proved, for any number of steps.")
    if pruned:
        detail = f"({_counted(pruned, 'step')} pruned), {found['assurance']}"
        return Said("within", "◐", "holds within bounds", detail, f"It holds within bounds: {_every_state(run)}")
    return Said("holds", "✓", "holds", found["assurance"], f"It holds: {_every_state(run)}")


def _undetermined(run: dict[str, Any], found: dict[str, Any]) -> Said:
    cut = f"the run ended {run['cut']}" if run["cut"] else "the run did not see every state"
    kind, _, number = found["assurance"].rstrip(")").partition("(")
    looked = {
        "bounded": f"every behaviour of at most {number} steps was looked at, and longer ones were not",
        "sampled": f"{number} random walks met no violation, and they prove nothing",
    }.get(kind, found["assurance"])
    return Said("undetermined", "?", "undetermined", found["assurance"], f"It is not decided: {cut}; {looked}.")


def _every_state(run: dict[str, Any]) -> str:
    states = run["states"]
    whose = " (one for each symmetry class)" if run["symmetry"] else ""
    every = f"all {_counted(states['distinct'], 'reachable state')}{whose} were looked at"
    if states["distinct"] == 1:
        every = "the one reachable state was looked at"
    if not states["pruned"]:
        return f"{every}."
    return f"{every}, and {_counted(states['pruned'], 'step')} that would have left a bound {_was(states)} not taken."


def _was(states: dict[str, Any]) -> str:
    return "was" if states["pruned"] == 1 else "were"


def _steps(found: dict[str, Any]) -> str:
    return _counted(found["length"] - 1, "step")


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
