"""Source text of random small models in the whole language.

Every expression is written for a type, so that most models are valid; what a step stores is mostly kept within bounds,
so that it leads somewhere. `models()` is a Hypothesis strategy: a failing model shrinks.
"""

from functools import cache

from hypothesis import strategies as st
from tests.models.author import Author
from tests.models.names import Pen


@cache
def _below(n: int) -> st.SearchStrategy[int]:
    return st.integers(0, n - 1)


@st.composite
def models(draw: st.DrawFn) -> str:
    """The source text of a model."""
    return Author(Pen(lambda n: draw(_below(n)))).write()
