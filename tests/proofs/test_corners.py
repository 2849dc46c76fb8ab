"""The corners of the language in tests/lang/corners.txt, as the relational system reads them."""

from pathlib import Path

import pytest
from tests.lang.engines import same
from tests.lang.test_corners import CORNERS, Corner
from tests.lang.written import load_model

from isrcheck.engines.contract import Request
from isrcheck.engines.explore import Explorer
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import ModelError, UsageError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.proofs.stepper import RelationalStepper

REFUSED = set(
    """map_range_more whole_then_above whole_then_above_req nested_whole_above tuple_of_sort map_len iterate_map
    iterate_bool_map_keys frozenset_of_map range_two_args empty_sort_guard sum_empty padding_meets_none
    padding_before_none none_for_a_bool_is_false none_decides_a_conjunction none_kept_as_a_bool
    step_taken_diff""".split()
)


@pytest.mark.parametrize("corner", CORNERS, ids=lambda corner: corner.name)
def test_a_corner(corner: Corner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cls = load_model(corner.text(), tmp_path, monkeypatch)
    model = bind(read_model(cls), corner.constants, slots=False)
    kinds = {p.name: p.kind for p in model.properties}
    asked = Request(properties=tuple(kinds), deadlock=True)
    if corner.name in REFUSED:
        with pytest.raises(UsageError, match=r"model.py:\d+:\d+: prove cannot read"):
            Explorer(RelationalStepper(model), kinds, asked).run()
        return
    if corner.outcome == "error":
        with pytest.raises(ModelError):
            Explorer(RelationalStepper(model), kinds, asked).run()
        return
    seen = Explorer(RelationalStepper(model), kinds, asked).run()
    assert same(Explorer(ReferenceStepper(model), kinds, asked).run(), seen)
