"""Specs: what they expand to, and the sentences for those that are wrong."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sweep.models import expanded, grid

from isrcheck.catalogue import match_models
from isrcheck.errors import UsageError
from isrcheck.grid.spec import parse, parse_spec, read_spec
from isrcheck.grid.toml_table import TablePlace

ADMISSION = grid(
    models='["isr-*", "kip-101", "!isr-original-design"]',
    constants='{ max_records = "1..2", lag_time_max = [1, 2], expiration_period = "= lag_time_max", '
    'pace = ["free", "every-tick"] }',
    properties='["keep_up_stays", "strong_isr"]',
    skip="\"lag_time_max == 2 and pace == 'every-tick'\"",
)


def test_each_model_takes_the_constants_that_it_has() -> None:
    found = expanded(ADMISSION)
    # 11 admission policies with 2 sizes at T=1, every-tick; with a free pace keep_up_stays is not asked. kip-101: 2.
    assert (len(found.cells), found.skipped, found.without_properties) == (24, 22, 44)
    assert {c.constants["expiration_period"] for c in found.cells if "expiration_period" in c.constants} == {"1"}
    assert [c.constants["max_records"] for c in found.cells if c.model == "kip-101"] == ["1", "2"]
    assert {c.properties for c in found.cells} == {("keep_up_stays",), ("strong_isr", "keep_up_stays")}


def test_sizes_are_the_numbers_that_vary_or_are_computed() -> None:
    dimensions = expanded(ADMISSION).dimensions
    assert dimensions["isr-kip-501"] == ("max_records", "lag_time_max", "expiration_period")
    assert dimensions["kip-101"] == ("max_records",)
    named = expanded(ADMISSION + 'frontier = ["lag_time_max"]\n').dimensions
    assert (named["isr-kip-501"], named["kip-101"]) == (("lag_time_max",), ())


def test_the_same_cell_of_two_grids_is_one() -> None:
    once = grid(models='["toy-mutex"]')
    assert len(expanded(once + once).cells) == len(expanded(once).cells) == 1


def test_without_constants_a_model_has_its_defaults() -> None:
    (cell,) = expanded(grid(models='["kip-101"]')).cells
    assert cell.constants["replicas"] == "3"
    assert cell.limits.seconds == 300
    assert cell.limits.memory == 4 << 30
    assert cell.bits == 52
    assert "something_commits" in cell.properties


def test_constants_that_contradict_an_assumption_are_a_cell() -> None:
    found = expanded(grid(models='["isr-kip-501"]', constants="{ min_isr = [1, 9] }"))
    fine, refused = found.cells
    assert fine.refusal is None
    assert refused.refusal is not None
    assert refused.refusal[0] == 10
    assert "does not hold for" in refused.refusal[1]


def test_a_setting_of_the_system_is_a_constant_too() -> None:
    found = expanded(grid(models='["isr-kip-501"]', constants='{ "replica.lag.time.max.ms" = [10000, 30000] }'))
    assert [c.constants["lag_time_max"] for c in found.cells] == ["2"]  # the same run in other units


def test_a_condition_on_a_constant_that_a_model_lacks_skips_nothing_there() -> None:
    found = expanded(grid(models='["kip-101", "toy-mutex"]', skip='"max_records == 1"'))
    assert [c.model for c in found.cells] == ["toy-mutex"]


def test_a_model_that_cannot_be_read_is_one_cell(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("this is no Python\n", encoding="utf-8")
    (cell,) = expanded(grid(models=f'["{file}:X"]', constants="{ anything = [1, 2] }")).cells
    assert cell.refusal is not None
    assert cell.refusal[0] == 75
    assert "does not import" in cell.refusal[1]


def test_patterns() -> None:
    (one,) = parse_spec(grid(models='["kip-*", "!kip-320-*", "x.py:Y"]'), "s").grids
    assert match_models(one.models, one.places["models"]) == ("kip-101", "kip-279", "kip-320", "x.py:Y")


def test_an_engine_makes_another_cell() -> None:
    native = grid(models='["toy-mutex"]')
    assert [cell.engine for cell in expanded(native + grid(models='["toy-mutex"]', engine='"gpu"')).cells] == [
        "native",
        "gpu",
    ]


WRONG = [
    ("= 1", "s.toml is not TOML: Invalid statement (at line 1, column 1)."),
    ("x = 1", "s.toml: there is no key x at the top of a spec. Known: grid."),
    ("", "s.toml has no [[grid]] table: write one, with models = [...] in it."),
    (grid(name='"a"'), 's.toml:1: the grid names no models: write models = ["kip-*"] or models = ["FILE.py:Class"].'),
    (grid(models='["kip-101"]', limit="1"), "s.toml:3: there is no key limit in a grid. Did you mean limits?"),
    (grid(models='"kip-101"'), "s.toml:2: models is a list of texts, such as models = [\"...\"], not 'kip-101'."),
    (grid(models='["kip-101"]', engine='"spark"'), "s.toml:3: engine is one of native, gpu, not 'spark'."),
    (grid(models='["kip-1o1"]'), "s.toml:2: there is no model kip-1o1. Did you mean kip-101?"),
    (grid(models='["kip-101", "!kip-101"]'), "s.toml:2: the patterns leave no model: write those with ! last."),
    (
        grid(models='["kip-101"]', constants="{ max_record = 1 }"),
        "s.toml:3: no model here has a constant max_record. Did you mean max_records?",
    ),
    (
        grid(models='["kip-101"]', properties='["strong_irs"]'),
        "s.toml:3: no model here has a property strong_irs. Did you mean strong_isr?",
    ),
    (
        grid(models='["kip-101"]', constants='{ replicas = "3..x" }'),
        's.toml:3: "3..x" is not a range of numbers: write "1..4".',
    ),
    (grid(models='["kip-101"]', constants='{ replicas = "3..1" }'), 's.toml:3: the range "3..1" of replicas is empty.'),
    (grid(models='["kip-101"]', constants="{ replicas = [] }"), "s.toml:3: replicas has no values to try."),
    (
        grid(models='["kip-101"]', constants="{ replicas = 1.5 }"),
        's.toml:3: replicas has the value 1.5: give a number, true, false, a word, a range "1..4", a list of these, '
        'or an expression "= replicas + 1".',
    ),
    (
        grid(models='["kip-101"]', constants='{ replicas = "= log_sise + 1" }'),
        "s.toml:3: no model here has a constant log_sise. Did you mean log_size?",
    ),
    (
        grid(models='["kip-101", "async-isr"]', constants='{ replicas = "= log_size" }'),
        "s.toml:3: replicas of async-isr is computed from log_size, which the model does not have: "
        "give it a grid of its own.",
    ),
    (
        grid(models='["kip-101"]', constants='{ replicas = "= open(1)" }'),
        "s.toml:3: `open(1)` is not known in an expression: use constants, numbers, + - * // %, comparisons, and, or, "
        "not, in, if/else, min and max.",
    ),
    (
        grid(models='["isr-kip-501"]', constants='{ pace = "fast" }'),
        "s.toml:3: the constant pace is one of free, every-tick, always-fetching, not 'fast'.",
    ),
    (grid(models='["kip-101"]', skip='"replicas"'), "s.toml:3: `replicas` is 3, and a condition is true or false."),
    (grid(models='["kip-101"]', skip='"replicas >"'),
     "s.toml:3: `replicas >` is not an expression: write one such as replicas + 1."),
    (grid(models='["kip-101"]', skip="3"), 's.toml:3: skip is an expression in quotes, such as "replicas > 3", not 3.'),
    (grid(models='["kip-101"]', limits="{ sconds = 1 }"),
     "s.toml:3: there is no key sconds in limits. Did you mean seconds?"),
    (grid(models='["kip-101"]', limits="{ states = -1 }"), "s.toml:3: states is a whole number above 0, not -1."),
    (grid(models='["kip-101"]', limits="{ seconds = 0 }"), "s.toml:3: seconds is a number above 0, not 0."),
    (
        grid(models='["kip-101"]', limits='{ memory = "much" }'),
        's.toml:3: memory is bytes or a size such as "2G", not \'much\'.',
    ),
    (
        grid(models='["kip-101"]', constants='{ max_records = "1..9999", replicas = "1..999" }'),
        "s.toml:1: the spec has more than 100,000 cells: divide it.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), WRONG)
def test_wrong_specs(text: str, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if "more than" in sentence:
        monkeypatch.setattr("isrcheck.grid.cells.MOST_CELLS", 5)
        sentence = sentence.replace("100,000", "5")
    with pytest.raises(UsageError) as caught:
        expanded(text)
    assert str(caught.value) == sentence


def test_a_spec_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no file .*no\.toml: give a TOML file with \[\[grid\]\] tables\.$"):
        read_spec(tmp_path / "no.toml")


def test_lines_of_keys() -> None:
    first = '# [[grid]]\n[[grid]]\nmodels = ["a"]\n\n'
    text = first + '[[grid]] # second\nmodels = []\n[grid.constants]\n"x.y" = 1\nz = "x = 2"\n'
    assert TablePlace(text, "s", "grid", 0).line() == 2
    assert TablePlace(text, "s", "grid", 1).line("models") == 6
    assert TablePlace(text, "s", "grid", 1).line("constants") == 7
    assert TablePlace(text, "s", "grid", 1).line("constants", "x.y") == 8
    assert TablePlace(text, "s", "grid", 1).line("skip") == 5


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a + 2 * b - 1", 10),
        ("a // 2 + -a % 2", 2),
        ("min(a, b, 9) if a < b <= 4 else max(a, b)", 3),
        ("a == 3 and not (b == 3 or w != 'x')", True),
        ("w in ['x', 'y'] and a not in (1, 2)", True),
        ("t and a > 0", True),
    ],
)
def test_expressions(text: str, value: object) -> None:
    assert parse(text, "here").value({"a": 3, "b": 4, "w": "x", "t": True}) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a // (b - 4)", "it divides by 0"),
        ("w + 1", "`w` is 'x' and not a number"),
        ("a and t", "`a` is 3 and not true or false"),
        ("a == w", "`a` is 3 and `w` is 'x', of another kind"),
        ("a in b", "after in, `b` is not a list: write in [1, 2]"),
        ("a * 4611686018427387904", "a number on the way is above 2^62"),
        ("[a, b]", "`[a, b]` stands only after in"),
    ],
)
def test_expressions_without_value(text: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text, "here").value({"a": 3, "b": 4, "w": "x", "t": True})
    assert str(caught.value) == f"here: `{text}` has no value for a=3, b=4, w=x, t=True: {why}."


_numbers = st.recursive(
    st.sampled_from(["a", "b", "1", "7"]),
    lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
    max_leaves=8,
)


@given(_numbers, _numbers, st.sampled_from(["<", "<=", "==", "!=", ">", ">="]))
def test_expressions_mean_what_python_means(one: str, two: str, op: str) -> None:
    values = {"a": 3, "b": -4}
    text = f"{one} {op} {two}"
    assert parse(text, "here").value(values) == eval(text, {}, values)
