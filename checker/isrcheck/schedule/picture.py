"""Two variants side by side as lane drawings."""

from dataclasses import replace

from isrcheck.errors import counted
from isrcheck.evidence.forms.pair import pair_svg
from isrcheck.evidence.forms.scene import Scene, scene
from isrcheck.schedule.pair import Pair, PairSide


def picture(pair: Pair) -> str:
    """Both lane drawings as one SVG file, aligned by the steps of the schedule."""
    groups = [(pair.left.places(n), pair.right.places(n)) for n in range(len(pair.steps) + 1)]
    parting = pair.parting
    return pair_svg(_scene(pair.left), _scene(pair.right), groups, parting.step if parting else None)


def _scene(side: PairSide) -> Scene:
    """What there is to see on one side; a run that breaks nothing is not said to."""
    seen = scene(side.trace)
    if side.shows is not None:
        return replace(seen, when=f"after {_steps_of(side)}")
    whole = side.way.whole == len(side.run.steps)
    ending = "follows the schedule to its end" if whole else f"cannot take step {side.way.whole + 1}"
    refusal = f"{side.run.refusal}." if side.run.refusal and not whole else ""
    return replace(seen, shows=ending, when="", verdict=refusal, broken=False)


def _steps_of(side: PairSide) -> str:
    """How long a run is, as the schedule counts it and as the drawing does."""
    taken, whole = side.way.whole, len(side.way.path)
    return counted(whole, "step") + (f", {taken} scheduled" if whole > taken else "")
