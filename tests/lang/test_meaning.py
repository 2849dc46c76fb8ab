"""What every construct means, on models of a few states: both engines agree on the whole graph, with known counts."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.lang.models import below, channels, choices, networks, policies, statements, sums, values
from tests.lang.written import explore_both, load_model

from isrcheck import Model, check
from isrcheck.cli import commands
from isrcheck.errors import ModelError
from isrcheck.lang.names import DEEPEST
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower

# distinct, generated, depth, pruned, and the lengths at which properties are decided
KNOWN: list[tuple[type[Model], dict[str, Any], tuple[int, int, int, int], dict[str, int]]] = [
    (statements.Swap, {}, (2, 3, 2, 0), {}),
    (statements.InOrder, {}, (4, 4, 4, 1), {}),
    (statements.InOrder, {"most": 0}, (1, 1, 1, 1), {}),
    (statements.TargetsInOrder, {}, (3, 3, 3, 0), {"deadlock": 3}),
    (statements.Branches, {}, (5, 15, 3, 1), {"top": 3}),
    (statements.GuardAfter, {}, (5, 6, 4, 0), {"deadlock": 4}),
    (statements.Helpers, {}, (13, 30, 5, 10), {}),
    (statements.Before, {}, (9, 25, 5, 6), {"twice_grows": 3, "first_never_taken": 3}),
    (statements.Remembered, {}, (4, 4, 3, 3), {}),
    (values.Sequences, {}, (135, 613, 8, 378), {"rising": 2, "zeros": 4}),
    (values.Sequences, {"longest": 0}, (1, 1, 1, 4), {}),
    (values.Indices, {}, (59, 296, 6, 69), {"all_alike": 4}),
    (values.Indices, {"longest": 2}, (25, 125, 5, 33), {}),
    (values.Sets, {}, (512, 4673, 8, 1024), {"only_red": 5}),
    (values.Maps, {}, (900, 5932, 10, 540), {}),
    (values.Options, {}, (958, 4289, 11, 0), {"all_known": 4, "written": 4}),
    (values.Numbers, {}, (7168, 33409, 11, 18816), {"apart": 4, "agree": 5}),
    (values.Choices, {}, (32, 1025, 3, 0), {"blue": 3}),
    (values.OnlyInText, {}, (2, 3, 2, 0), {}),
    (below.Below, {}, (3753, 15155, 23, 111), {"lowest": 2}),
    (below.Below, {"most": 1}, (16, 39, 5, 0), {"lowest": 2}),
    (channels.Ordered, {}, (277, 607, 13, 412), {"full": 3, "heard_twice": 5}),
    (channels.Ordered, {"capacity": 1}, (126, 203, 13, 216), {"full": 2, "heard_twice": 5}),
    (channels.Lossy, {}, (1350, 11095, 11, 9876), {"one_between_zeros": 5}),
    (channels.Permits, {}, (10, 29, 3, 24), {"both_red": 3}),
    (choices.ChangRoberts, {}, (137, 227, 10, 0), {"last_wins": 7, "deadlock": 4}),
    (choices.ChangRoberts, {"n": 2}, (25, 31, 6, 0), {"last_wins": 5, "deadlock": 3}),
    (choices.Several, {}, (8, 10, 2, 0), {"low": 2, "deadlock": 1}),
    (choices.Seating, {}, (28, 57, 6, 0), {"second_hosts_alone": 3}),
    (choices.Quorums, {}, (18, 48, 5, 0), {"all_subsets": 3}),
    (networks.Asking, {}, (120, 230, 11, 235), {"over_twice": 3}),
    (networks.Asking, {"in_flight": 3}, (382, 1063, 12, 889), {"over_twice": 3}),
    (networks.Many, {}, (293, 1027, 13, 763), {"two_acked": 6}),
    (networks.Putting, {}, (129, 331, 9, 16), {"never_back": 5, "both_lost": 5, "deadlock": 9}),
    (sums.InSets, {}, (704, 2863, 7, 0), {"both": 3}),
    (sums.InContainers, {"nodes": 1}, (3317, 8305, 13, 14281), {"a_node": 6}),
    (sums.Matching, {}, (990, 41815, 6, 0), {"high": 5}),
    (policies.One, {}, (16, 25, 7, 8), {}),  # (most + 1) to the power of nodes
    (policies.One, {"fair": True}, (10, 13, 7, 2), {}),
    (policies.One, {"pace": "every-tick"}, (4, 5, 3, 4), {}),
    (policies.OneAndReset, {"most": 2}, (27, 39, 15, 19), {"reset_twice": 11}),
    (policies.OneToTwo, {}, (27, 39, 15, 19), {"reset_twice": 11}),
]


@pytest.mark.parametrize(
    ("model", "constants", "counts", "found"), KNOWN, ids=lambda value: getattr(value, "__name__", "")
)
def test_known(
    model: type[Model], constants: dict[str, Any], counts: tuple[int, int, int, int], found: dict[str, int]
) -> None:
    seen = explore_both(model, **constants)
    assert (seen.distinct, seen.generated, seen.depth, seen.pruned) == counts
    assert {name: len(path) + 1 for name, path in seen.paths.items()} == found


def test_every_model_is_run() -> None:
    """None of the models written for this test is forgotten; Open alone leaves policies open."""
    written = [
        v
        for module in (below, channels, choices, networks, statements, sums, values, policies)
        for v in vars(module).values()
        if isinstance(v, type) and issubclass(v, Model) and v.__module__ == module.__name__
    ]
    assert len(written) > 15
    assert {v.__name__ for v in written} - {model.__name__ for model, *_ in KNOWN} == {"Open"}


def test_what_a_variant_changes() -> None:
    assert read_model(policies.One).filled == ("amount", "may_add")
    assert read_model(policies.OneAndReset).filled == ()
    assert [a.name for a in read_model(policies.OneAndReset).actions] == ["add", "reset"]
    assert [v.name for v in read_model(policies.OneAndReset).variables] == ["held", "resets"]


def test_declarations_keep_their_order_and_their_words() -> None:
    ir = read_model(policies.One)
    assert [c.name for c in ir.constants] == ["nodes", "most", "pace", "fair"]
    assert [c.sentence for c in ir.constants][:2] == ["how many there are", "the largest number"]
    assert ir.doc == "Adds one; where it is fair, to whoever has least."
    assert [(m.name, m.owner) for m in ir.helpers.values() if m.role == "policy"] == [
        ("amount", "One"),
        ("may_add", "One"),
    ]


def test_a_variant_gives_a_constant_another_default_and_nothing_else() -> None:
    before, after = (read_model(model).constants for model in (policies.OneAndReset, policies.OneToTwo))
    assert [c.name for c in after] == [c.name for c in before]
    changed = [(b, a) for b, a in zip(before, after, strict=True) if a != b]
    assert [(b.default, a.default, a.sentence) for b, a in changed] == [(3, 2, "the largest number")]


def test_an_action_that_is_not_expected_is_no_surprise() -> None:
    outcome = check(policies.OneToTwo, engine="evaluator")
    assert [a.generated for a in outcome.actions if a.name == "fill"] == [0]
    assert outcome.dead_actions == ()
    fair = check(policies.OneToTwo, engine="evaluator", fair=True)
    assert [a.generated > 0 for a in fair.actions if a.name == "fill"] == [True]


HEAD = '''
from typing import Annotated

from isrcheck import Model, UpTo, action, constant, invariant, require

N = Annotated[int, UpTo(3)]


class Deep(Model):
    """One number."""

    n: N = 0

    @action
    def go(self) -> None:
        """A step."""
        require(self.n < 3)
        self.n += 1
'''
FORMS = {
    "not": ("not not ", "self.n <= 2", "", 2),
    "minus": ("- -", "self.n <= 2", "", 2),
    "plus": ("self.n + ", "self.n <= 2000", "", 1),
    "choice": ("True if self.n == 7 else ", "self.n <= 2", "", 1),
    "comparison": ("self.n <= ", "2", "", 1),
    "union": ("frozenset({self.n}) | ", "frozenset() != frozenset()", "", 1),
    "tuple": ("(", "self.n", ",)", 1),
    "parentheses": ("max(1, ", "self.n", ")", 1),
}


def nested(form: str, levels: int) -> str:
    before, inside, after, each = FORMS[form]
    text = before * (levels // each) + inside + after * (levels // each)
    return {"tuple": f"{text} != ()", "parentheses": f"{text} <= 2"}.get(form, text)


def model(expression: str, more: str = "") -> str:
    claim = f'\n    @invariant\n    def claim(self) -> bool:\n        """It holds."""\n        return {expression}\n'
    return f"{HEAD}{claim}{more}"


@pytest.mark.parametrize("form", FORMS)
def test_what_is_nested_less_is_read(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = explore_both(load_model(model(nested(form, DEEPEST - 10)), tmp_path, monkeypatch))
    assert seen.distinct == 4


@pytest.mark.parametrize("form", [f for f in FORMS if f not in ("tuple", "parentheses")])
def test_what_is_nested_deeper_is_refused(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cls = load_model(model(nested(form, 300)), tmp_path, monkeypatch)
    with pytest.raises(ModelError, match=r"this expression is nested deeper than 100 levels\.") as refused:
        read_model(cls)
    assert refused.value.place.line == 23
    assert refused.value.remedy == "Give parts of it names, or say it with all(), any() or sum()."
    assert max(map(len, str(refused.value).split("\n"))) < 250


@pytest.mark.parametrize("form", FORMS)
def test_ten_thousand(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own parser gives up on most of these; its errors are sentences too."""
    (tmp_path / "m.py").write_text(model(nested(form, 10_000)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(commands, ["check", "m.py:Deep"])
    assert isinstance(done.exception, ModelError)
    assert done.exception.exit_code == 75
    assert "nested" in str(done.exception) or "too many" in str(done.exception)


@pytest.mark.parametrize("word", ["and", "or"])
@pytest.mark.parametrize("length", [31, 32, 33, 64, 65, 1000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_long_chains_are_not_deep(word: str, length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [f"self.n != {number % 3}" for number in range(length)]
    parts[length // 2] = "max(i for i in range(self.n)) > 0"  # an error where n is 0, unless it is decided before
    cls = load_model(model(f" {word} ".join(parts)), tmp_path, monkeypatch)
    bound = bind(read_model(cls), {})
    assert len(lower(bound).properties) == 1
    if length < 100:
        assert explore_both(cls).distinct == 4


def test_helpers_that_call_helpers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = range(400)
    more = "".join(f"\n    def f{i}(self, x: N) -> int:\n        return self.f{i + 1}(x)\n" for i in names)
    more += "\n    def f400(self, x: N) -> int:\n        return x\n"
    cls = load_model(model("self.f0(self.n) <= 3", more), tmp_path, monkeypatch)
    ir = read_model(cls)
    check_domains(ir)
    with pytest.raises(ModelError, match=r"nested too deeply, together with the helpers that it calls\.") as refused:
        lower(bind(ir, {}))
    assert refused.value.place.line == 21


def test_many_terms_are_checked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each level once: twice a level would be 2 to the power of 90."""
    check_domains(read_model(load_model(model(nested("plus", 90)), tmp_path, monkeypatch)))
