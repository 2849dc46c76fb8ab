"""The cells of a drawn log and the strips of a drawn set, from values before and after a step."""

from isrcheck.evidence.forms.row import LogCell, Strip
from isrcheck.lang.drawing import Cells, Ribbon
from isrcheck.run.trace import Value
from isrcheck.run.wording import colour_of, label_of, members_of, record_name


def cell_of(cells: Cells, record: Value, offset: int, old: tuple[str, ...]) -> LogCell:
    """The cell of a record; it is new unless `old`, the names of the records before the step, has it at its offset."""
    same = offset < len(old) and old[offset] == record_name(cells, record, offset)
    colour = colour_of(cells, record)
    under = f"{cells.colour[0]}{colour}" if colour else ""
    return LogCell(label_of(cells, record, offset), colour, under, "kept" if same else "new")


def strip_of(ribbon: Ribbon, before: Value, after: Value, lanes: tuple[str, ...]) -> Strip:
    """The members of a set now and those that it has lost, in the order of their lanes."""
    always = [ribbon.always] if ribbon.always else []
    old, new = members_of(before) + always, members_of(after) + always
    stay = [(m, "kept" if m in old else "added") for m in new]
    dropped = [(m, "dropped") for m in old if m not in new]
    places = {lane: place for place, lane in enumerate(lanes)}
    by_lane = sorted(stay + dropped, key=lambda one: (places.get(one[0], len(places)), one))
    return Strip(ribbon.name, tuple(by_lane))
