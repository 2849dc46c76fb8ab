"""Facts in words, the same in every form."""

from typing import Any

from isrcheck.errors import counted

HEADINGS = {
    "killed": "killed by a property",
    "error": "stopped by an error in the model's text, on the way",
    "invalid": "invalid: not a model any more",
    "dead-action": "with an action that never happens any more (--strict)",
    "survived": "survived: another graph, and no property is violated",
    "undecided": "undecided: cut off",
    "lost": "undecided: the process died",
    "equivalent": "equivalent: the same graph within these bounds",
    "trivially-equivalent": "trivially equivalent: the same text for these constants",
}
DETECTED = ("killed", "error", "invalid", "dead-action")


def constants_of(configuration: dict[str, Any]) -> str:
    """The constants that a configuration was given."""
    return " ".join(f"{n}={v}" for n, v in configuration["constants"].items()) or "defaults"


def change_of(mutant: dict[str, Any]) -> str:
    """A change as before → after."""
    return f"{mutant['before']} → {mutant['after'] or '(gone)'}"


def told(mutant: dict[str, Any]) -> str:
    """What became of a mutant."""
    fate = mutant["fate"]
    if fate == "killed":
        return ", ".join(map(kill, mutant["killed_by"]))
    if fate == "dead-action":
        return f"never happens: {', '.join(mutant['dead_actions'])}"
    if fate == "survived":
        return f"survived; {mutant['distinct']:,} states"
    return f"{fate}: {mutant['why']}" if mutant["why"] else HEADINGS[fate]


def kill(found: dict[str, Any]) -> str:
    """A property and the number of steps after which it kills."""
    length = found["length"]
    return f"{found['name']} {cell(found)}" if length is None else f"{found['name']} in {counted(length - 1, 'step')}"


def cell(found: dict[str, Any]) -> str:
    """The steps of the shortest violation, or that something is not reached any more."""
    length = found["length"]
    return "never reached" if length is None else f"{length - 1}"


def remarks(facts: dict[str, Any]) -> list[str]:
    """What a reader should know of the properties."""
    asked = [p for p in facts["properties"] if p["asked"]]
    silent = [p for p in facts["properties"] if p["can_kill"] and not p["kills"] and facts["everything"]]
    failing = [p for p in asked if not p["can_kill"]]
    history = [p for p in facts["properties"] if p["only_history"]]
    sentences = (
        ("Properties that kill no mutant", silent),
        ("Properties that cannot kill, since they are violated (or never reached) already", failing),
        ("Properties that read history variables only, so that they trust the bookkeeping", history),
    )
    return [f"{sentence}: {', '.join(p['name'] for p in found)}." for sentence, found in sentences if found]


def tally(facts: dict[str, Any]) -> str:
    """How many mutants met which fate."""
    parts = [f"{count} {HEADINGS[fate]}" for fate, count in facts["fates"].items() if count]
    return f"{len(facts['mutants'])} mutants: " + "; ".join(parts) + "."


def reason_of(guard: dict[str, Any], facts: dict[str, Any]) -> str:
    """Why a guard is not needed, as its list says; empty where no list was asked."""
    if guard["because"]:
        return f"{guard['because']}: {guard['reason']}"
    return "no reason is written" if facts["reasons_given"] else ""
