"""Ten times the text takes at most twelve times the work of reading, lowering and writing the program."""

import pytest
from tools.bench.lowering import SHAPES, compare

MOST = 12


@pytest.mark.parametrize("shape", SHAPES)
def test_ten_times_the_text(shape: str) -> None:
    small, large = compare(shape)
    assert 5 < large.calls / small.calls < MOST
    assert 5 < large.nodes / small.nodes < MOST
