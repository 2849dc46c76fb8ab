"""Facts in words, the same in every form."""

from typing import Any

from isrcheck.errors import counted

HEADINGS = {
    "noticed": "a property notices",
    "error": "an error in the model's text, on the way",
    "ill-formed": "refused: no model any more",
    "asleep": "an action never happens any more (--strict)",
    "survived": "nobody notices: another graph",
    "undecided": "undecided: cut off",
    "lost": "undecided: its process died",
    "equal": "nobody can: the same graph within these bounds",
    "same": "nobody can: the same text for these constants",
}
SEEN = ("noticed", "error", "ill-formed", "asleep")


def constants_of(configuration: dict[str, Any]) -> str:
    """The constants that a configuration was given."""
    return " ".join(f"{n}={v}" for n, v in configuration["constants"].items()) or "defaults"


def change_of(mutant: dict[str, Any]) -> str:
    """A change as before → after."""
    return f"{mutant['before']} → {mutant['after'] or '(gone)'}"


def told(mutant: dict[str, Any]) -> str:
    """What became of a mutant."""
    fate = mutant["fate"]
    if fate == "noticed":
        return ", ".join(map(notice, mutant["noticed_by"]))
    if fate == "asleep":
        return f"never happens: {', '.join(mutant['asleep'])}"
    if fate == "survived":
        return f"nobody; {mutant['distinct']:,} states"
    return f"{fate}: {mutant['why']}" if mutant["why"] else HEADINGS[fate]


def notice(found: dict[str, Any]) -> str:
    """A property and the number of steps after which it notices."""
    length = found["length"]
    return f"{found['name']} {cell(found)}" if length is None else f"{found['name']} in {counted(length - 1, 'step')}"


def cell(found: dict[str, Any]) -> str:
    """The steps of the shortest violation, or that something is not reached any more."""
    length = found["length"]
    return "never reached" if length is None else f"{length - 1}"


def remarks(facts: dict[str, Any]) -> list[str]:
    """What a reader should know of the properties."""
    properties = facts["properties"]
    found = []
    silent = [p["name"] for p in properties if p["can_notice"] and not p["notices"]]
    if silent and facts["everything"]:
        found.append(f"Properties that notice no mutant: {', '.join(silent)}.")
    idle = [p["name"] for p in properties if p["asked"] and not p["can_notice"]]
    if idle:
        found.append(f"Properties that cannot notice, violated (or never reached) already: {', '.join(idle)}.")
    ghosts = [p["name"] for p in properties if p["only_history"]]
    if ghosts:
        found.append(
            f"Properties that read history variables only, so that they trust the bookkeeping: {', '.join(ghosts)}."
        )
    return found


def tally(facts: dict[str, Any]) -> str:
    """How many mutants met which fate."""
    parts = [f"{count} {HEADINGS[fate]}" for fate, count in facts["fates"].items() if count]
    return f"{len(facts['mutants'])} mutants: " + "; ".join(parts) + "."


def reason_of(guard: dict[str, Any], facts: dict[str, Any]) -> str:
    """Why a guard is not needed, as its list says; empty where no list was asked."""
    if guard["because"]:
        return f"{guard['because']}: {guard['reason']}"
    return "no reason is written" if facts["reasons_given"] else ""
