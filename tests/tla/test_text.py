"""Golden texts: names that mean something in TLA+, and values of every shape."""

from pathlib import Path

import pytest
from tests.cli.test_command_line import refused
from tests.fixtures.command_line import in_process as in_process
from tests.tla.models import Beside, ByOne, Cases, Shapes, Switched, Words

from isrcheck import Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.tla.export import to_tla
from isrcheck.tla.layout import WIDTH, definition, on_one_line
from isrcheck.tla.terms import Bind, Binder, Definition, If, Infix, Junction, Lexeme, Prefix, Prime, Term


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


def test_a_name_has_the_value_that_every_branch_gives() -> None:
    moved = '    LET less == IF which = "nat" THEN 1 ELSE n IN n\' = 2 - less /\\ which\' = "int"\n'
    assert moved in texts(Cases)["Cases.tla"]


@pytest.mark.parametrize(
    "text",
    [
        "Move ==\n    LET before2 == m' + 2\n        after ==\n            LET before == m' + 1 IN before * before\n"
        "    IN  /\\ m' = m + 1\n        /\\ n' = ((before2 * after) + before2) - after\n",
        "    /\\ n' =\n           LET before == m' + 1\n               after ==\n"
        "                   LET before_ == m' + 1 IN before_ * before_\n"
        "           IN  ((before * after) + before) - after\n",
    ],
    ids=["of an action", "of a value"],
)
def test_a_name_means_nothing_else_inside_the_value_beside_it(text: str) -> None:
    """SANY refuses a name that is defined where it means something."""
    assert text in texts(Beside)["Beside.tla"]


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


A, B, C = Lexeme("a"), Lexeme("b"), Lexeme("c")


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (Infix("-", A, Infix("-", B, C)), "a - (b - c)"),
        (Infix("-", Infix("-", A, B), C), "a - b - c"),
        (Prefix("-", Prefix("-", A)), "-(-a)"),  # -- is an operator of its own
        (Infix("-", A, Prefix("-", B)), "a - (-b)"),
        (Infix("%", Infix("+", A, B), C), "(a + b) % c"),
        (Infix("=", Infix("=", A, B), C), "(a = b) = c"),
        (Junction("/\\", (A, Junction("\\/", (B, C)))), "a /\\ (b \\/ c)"),
        (Infix("=>", Infix("=>", A, B), C), "(a => b) => c"),
        (Prefix("~", Infix("=", A, B)), "~(a = b)"),
        (Infix("\\cup", Prefix("SUBSET", A), B), "(SUBSET a) \\cup b"),
        (Infix("\\in", A, Prefix("SUBSET", B)), "a \\in SUBSET b"),
        (Infix("=", Prefix("<>", Prefix("~", A)), B), "(<>~a) = b"),
        (Prime(Infix("+", A, B)), "(a + b)'"),
        (Infix("+", If(A, B, C), C), "(IF a THEN b ELSE c) + c"),
        (Junction("/\\", (Binder("\\A", (Bind(("x",), A),), B), C)), "(\\A x \\in a : b) /\\ c"),
        (Infix("\\in", A, Infix("..", Lexeme("0"), Infix("-", B, C))), "a \\in 0..(b - c)"),
    ],
)
def test_parentheses_stand_where_they_are_needed(term: Term, text: str) -> None:
    assert on_one_line(term) == text


def test_what_does_not_fit_is_a_list() -> None:
    long = tuple(Infix("=", Lexeme("v" * 20 + str(n)), Lexeme("w" * 20)) for n in range(4))
    lines = definition(Definition("Init", (), Junction("/\\", long)))
    assert lines[0] == "Init =="
    assert all(line.startswith("    /\\ ") for line in lines[1:])
    assert max(map(len, lines)) <= WIDTH


def test_a_quantifier_before_an_implication_ends_before_it() -> None:
    """Else it would take in the implication, and the property would be another one."""
    for_all = Binder("\\A", (Bind(("x",), A),), Infix("<=", Lexeme("v" * 30), B))
    said = Infix("=>", Junction("/\\", (C, for_all)), Lexeme("w" * 60))
    assert on_one_line(said) == f"c /\\ (\\A x \\in a : {'v' * 30} <= b) => {'w' * 60}"
    assert definition(Definition("Said", (), said)) == [
        "Said ==",
        f"    c /\\ (\\A x \\in a : {'v' * 30} <= b) =>",
        f"        {'w' * 60}",
    ]


def test_an_implication_below_another_has_parentheses() -> None:
    """TLA+ has no order between two of them: SANY refuses it."""
    said = Infix("=>", Lexeme("g" * 50), Infix("=>", Lexeme("h" * 30), Lexeme("i" * 30)))
    assert definition(Definition("Said", (), said)) == [
        "Said ==",
        f"    {'g' * 50} =>",
        f"        ({'h' * 30} => {'i' * 30})",
    ]


SMALL = ["-c", "replicas=2", "-c", "log_size=1", "-c", "max_records=1", "-c", "max_leader_epoch=1"]


def test_a_model_is_written_to_a_folder(tmp_path: Path) -> None:
    made = in_process("export", "toy-counter", "--to", "tla", "-o", str(tmp_path / "out"))
    assert made.returncode == 0, made.stderr
    assert [Path(line).name for line in made.stdout.split()] == ["Counter.tla", "MCCounter.tla", "MCCounter.cfg"]


def test_an_environment_is_chosen(tmp_path: Path) -> None:
    words = ["export", "forever-kafka-7152", "-o", str(tmp_path), "--fairness"]
    made = in_process(*words, "followers_alive", "--to", "tla")
    assert made.returncode == 0, made.stderr
    assert "/\\ Fairness /\\ FollowersAlive" in (tmp_path / "MCKafka7152Forever.tla").read_text(encoding="utf-8")
    assert "has no fairness followers_alife" in in_process(*words, "followers_alife", "--to", "tla").stderr
    assert "write it with --to tla" in in_process(*words, "followers_alive", "--to", "dot").stderr


def test_tlc_s_trace_is_rendered_like_ours() -> None:
    file = Path(__file__).parent / "tlc-trace.json"
    shown = in_process("render", str(file), "--model", "truncate-to-high-watermark", *SMALL, "--to", "txt")
    assert shown.returncode == 0, shown.stderr
    assert "8  r1 learns that it follows r0 in epoch 1" in shown.stdout


def test_wrong_usage_is_one_sentence(tmp_path: Path) -> None:
    said = refused("export", "toy-counter", "--to", "tla")
    assert said == "isrcheck: --to tla writes several files: give a folder with -o DIR.\n"
    (tmp_path / "f").write_text("", encoding="utf-8")
    said = refused("export", "toy-counter", "--to", "tla", "-o", str(tmp_path / "f"))
    assert said == f"isrcheck: {tmp_path / 'f'} is a file, and --to tla writes several: give a folder.\n"
    said = refused("export", "toy-counter", "--to", "tla", "--by", "n", "-o", str(tmp_path))
    assert said == ("isrcheck: --to tla exports a model's text, not its states: leave --by and --property out.\n")
    said = refused("render", str(tmp_path / "f"), "--to", "txt", "-c", "replicas=2")
    assert said == (
        "isrcheck: a trace of isrcheck has its constants: leave -c out, or name the model of TLC's with --model.\n"
    )
