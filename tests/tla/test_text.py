"""Golden texts: names that mean something in TLA+, and values of every shape."""

import pytest
from tests.tla.models import ByOne, Shapes, Switched, Words

from isrcheck import Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.tla.export import to_tla


def texts(model: type[Model]) -> dict[str, str]:
    return to_tla(bind(read_model(model), {})).files


@pytest.mark.parametrize(
    "text",
    [
        "(* Names that are words of TLA+ ( * or its comments * ) or operators of its modules. *)",
        "vars == <<next, vars_, gru00f6u00dfe>>",
        "TypeOk == next \\in Nat /\\ vars_ \\in Seq_ /\\ gru00f6u00dfe \\in Nat",
        "Len_(IF_) == (IF_ + Most) - 2",
        "Append_(theNext, CHOOSE_) ==\n    /\\ theNext # CHOOSE_\n    /\\ next' = theNext\n"
        "    /\\ UNCHANGED <<vars_, gru00f6u00dfe>>\n",
        "Head_ ==\n    /\\ vars_' = \"int\"\n    /\\ gru00f6u00dfe' = Len_(gru00f6u00dfe)\n    /\\ UNCHANGED next\n",
        "Next ==\n    \\/ \\E theNext, CHOOSE_ \\in 0..Most : Append_(theNext, CHOOSE_)\n    \\/ Head_\n",
    ],
)
def test_words_of_tla_are_renamed_and_comments_end_nowhere(text: str) -> None:
    expected = text.replace("Seq_", '{"nat", "int"}')
    assert expected in texts(Words)["Words.tla"]


@pytest.mark.parametrize(
    "text",
    [
        "Note == [number: Nat, IN_: Node \\cup {None}]\n",  # a record with an optional value, named like a keyword
        "/\\ table \\in [Node -> [0..Most -> Note \\cup {None}]]\n    /\\ row \\in Seq(Nat)\n",
        "Init == seen = {} /\\ note = None /\\ table = [n \\in Node |-> [c \\in 0..Most |-> None]] /\\ row = <<1>>\n",
        "    /\\ note # None => note.number < number\n",  # TLC would try `note.number < number` of a disjunction too
        "    /\\ number + 1 \\in 0..Most\n"  # beyond the last key nothing happens
        "    /\\ table' = [table EXCEPT ![node][number + 1] = [note' EXCEPT !.IN_ = None]]\n",
        "    /\\ row' = Append(Suffix(row, 1), row[1])\n",
        "    /\\ IF node \\in seen THEN seen' = seen \\ {node} /\\ note' = None ELSE UNCHANGED <<seen, note>>\n",
        "RowIsShort == Sum([i \\in DOMAIN row |-> row[i]]) <= MaxOr({n \\in Range(row) : n > 0}, 1) * Len(row)\n",
        "Noted == \\E k \\in Node, n \\in 0..Most : n > 0 /\\ table[k][n] # None\n\nNeverNoted == ~Noted\n",
    ],
)
def test_values_of_every_shape(text: str) -> None:
    assert text in texts(Shapes)["Shapes.tla"]


def test_the_bounds_of_a_run_stand_apart() -> None:
    assert (
        texts(Shapes)["MCShapes.tla"].partition("pruned. *)\n")[2]
        == """
WithinBounds ==
    /\\ note # None => note.number <= Most
    /\\ \\A n \\in Node : \\A c \\in 0..Most : table[n][c] # None => table[n][c].number <= Most
    /\\ Len(row) <= 2
    /\\ \\A i \\in DOMAIN row : row[i] <= Most

MCNext == Next /\\ WithinBounds'

MCSpec == Init /\\ [][MCNext]_vars

==============================================================================
"""
    )


def test_the_configuration_asks_all_promises_and_names_the_claims() -> None:
    found = texts(Shapes)["MCShapes.cfg"]
    assert "CONSTANTS\n    Node = {n0, n1}\n    Most = 2\n    None = None\n" in found
    assert "INVARIANTS\n    TypeOk\n    RowIsShort\n" in found
    assert "\\* INVARIANT NeverNoted\n" in found
    assert found.endswith("CHECK_DEADLOCK FALSE\n")


def test_a_variant_extends_what_it_shares() -> None:
    found = texts(ByOne)
    assert list(found) == ["Open.tla", "ByOne.tla", "MCByOne.tla", "MCByOne.cfg"]
    assert "Reset == Clear\n" in found["Open.tla"]
    assert "Grow" not in found["Open.tla"]
    assert "EXTENDS Open\n" in found["ByOne.tla"]
    assert "By == 1\n" in found["ByOne.tla"]
    assert "Grow == n' = n + By\n" in found["ByOne.tla"]
    assert "Next ==\n    \\/ Grow\n    \\/ Reset\n" in found["ByOne.tla"]


def test_a_switch_in_a_bound_is_a_number() -> None:
    assert "counted <= (IF Counts THEN 1 ELSE 0) * 2" in texts(Switched)["MCSwitched.tla"]
