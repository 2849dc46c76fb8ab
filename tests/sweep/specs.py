"""Specs as texts, expanded."""

from isrcheck.catalogue import find_model, known_models
from isrcheck.grid.cells import Expansion, chosen_models, expand
from isrcheck.grid.models import read_grid_model
from isrcheck.grid.spec import parse_spec


def expanded(text: str) -> Expansion:
    spec = parse_spec(text, "s.toml")
    variants = {
        g.place: {n: read_grid_model(n, find_model) for n in chosen_models(g, known_models())} for g in spec.grids
    }
    return expand(spec, variants)


def grid(**keys: str) -> str:
    """A spec of one grid: a key a line, from line 2."""
    return "[[grid]]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())
