"""Which mutants a text has, what they are called and how they read."""

from pathlib import Path

from tests.mutants.models import text_of

from isrcheck.catalogue import find_model
from isrcheck.gate.mutants.make import Mutation, mutants_of, where
from isrcheck.ir.check import check_domains
from isrcheck.ir.nodes import Require, Return, walk
from isrcheck.ir.unparse import expression_text, statement_text
from isrcheck.lang.read import read_model


def listed(name: str) -> list[tuple[str, str, str]]:
    return [(m.name, m.before, m.after) for m in mutants_of(text_of(name))]


def test_all_of_a_tank() -> None:
    assert listed("Tank") == [
        ("open_tap/guard-1", "require(not self.is_open)", ""),
        ("open_tap/effect-1", "self.is_open = True", ""),
        ("close_tap/guard-1", "require(self.is_open)", ""),
        ("close_tap/effect-1", "self.is_open = False", ""),
        ("fill/guard-1", "require(self.is_open)", ""),
        ("fill/guard-2", "require(self.level < self.size)", ""),
        ("fill/comparison-1", "require(self.level < self.size)", "require(self.level <= self.size)"),
        ("fill/shift-1", "require(self.level < self.size)", "require(self.level + 1 < self.size)"),
        ("fill/effect-1", "self.level += 1", ""),
    ]


def test_policies_helpers_conjuncts_and_histories() -> None:
    assert listed("Twice")[3:] == [
        ("climb/guard-2", "require(self.count != self.limit and self.is_allowed())", ""),
        ("climb/conjunct-1", "require(self.count != self.limit and self.is_allowed())", "require(self.is_allowed())"),
        (
            "climb/conjunct-2",
            "require(self.count != self.limit and self.is_allowed())",
            "require(self.count != self.limit)",
        ),
        ("climb/guard-3", "require(not self.strict)", ""),
        ("climb/effect-1", "self.count += 1", ""),
        ("climb/effect-2", "self.note()", ""),
        ("note/history-1", "self.steps += 1", ""),
        ("is_allowed/comparison-1", "return self.count < self.top()", "return self.count <= self.top()"),
        ("is_allowed/shift-1", "return self.count < self.top()", "return self.count + 1 < self.top()"),
    ]


def test_a_guard_has_a_name_without_a_place() -> None:
    guards = {m.name: m.guard for m in mutants_of(text_of("Twice")) if m.guard}
    assert guards == {
        "climb/guard-1": "climb: require(self.count < self.limit)",
        "climb/guard-2": "climb: require(self.count != self.limit and self.is_allowed())",
        "climb/guard-3": "climb: require(not self.strict)",
    }


def test_a_place_is_that_of_the_change() -> None:
    by_name = {m.name: m for m in mutants_of(text_of("Tank"))}
    assert where(by_name["fill/guard-2"].at).startswith("mutants/models.py:")
    assert by_name["fill/comparison-1"].at.column == by_name["fill/guard-2"].at.column + len("require(")


def test_an_effect_reaches_every_action_that_performs_it() -> None:
    mutants = {m.name: m for m in mutants_of(read_model(find_model("kip-320")))}
    assert mutants["truncate/effect-1"].actions == {"replica_becomes_follower"}
    assert mutants["controller_begins_epoch/effect-1"].actions == {"controller_elects_leader", "controller_shrinks_isr"}
    assert mutants["shares_epoch/comparison-1"].actions == {
        "leader_expands_isr",
        "leader_shrinks_isr",
        "leader_advances_high_watermark",
        "follower_replicates",
    }


def test_what_only_properties_call_is_left_alone() -> None:
    methods = {m.method for m in mutants_of(read_model(find_model("original-design")))}
    assert "leads_on_record" not in methods  # promises alone ask it
    assert "leads" in methods


def test_every_guard_of_every_kafka_model_is_removed_once() -> None:
    for name, count in {
        "kip-320": 24,
        "kip-320-first-try": 27,
        "async-isr": 9,
        "isr-kip-501": 12,
        "partition": 20,
    }.items():
        ir = read_model(find_model(name))
        reached = (*ir.actions, *(h for h in ir.helpers.values() if h.returns is None))
        written = [part.at for method in reached for part in walk(method.body) if isinstance(part, Require)]
        removed = [m for m in mutants_of(ir) if m.change is Mutation.GUARD]
        assert sorted(m.at for m in removed) == sorted(written)
        assert len({m.guard for m in removed}) == len(removed) == count


def test_a_mutant_differs_from_its_original_in_one_method() -> None:
    ir = text_of("Twice")
    for mutant in mutants_of(ir):
        pairs = [*zip(ir.actions, mutant.ir.actions, strict=True)]
        pairs += [(ir.helpers[name], changed) for name, changed in mutant.ir.helpers.items()]
        assert [old.name for old, new in pairs if old != new] == [mutant.method]
        assert mutant.ir.properties == ir.properties
        check_domains(mutant.ir)


def test_no_shift_is_made_of_sets() -> None:
    ir = read_model(find_model("isr-kafka-7152"))
    of_sets = [m for m in mutants_of(ir) if "<= in_sync" in m.before and m.change is Mutation.SHIFT]
    assert of_sets == []


def test_names_are_unique_and_the_same_again() -> None:
    for name in ("kip-320", "isr-kip-501", "original-design", "partition"):
        names = [m.name for m in mutants_of(read_model(find_model(name)))]
        assert len(set(names)) == len(names)
        assert names == [m.name for m in mutants_of(read_model(find_model(name)))]


def test_the_text_is_the_author_s() -> None:
    """What is written on one line in a method is written so by the printer."""
    ir = read_model(find_model("kip-320"))
    known = frozenset(ir.helpers)
    lines = {
        statement_text(part, known)
        for method in (*ir.actions, *ir.helpers.values())
        for part in walk(method.body)
        if isinstance(part, Require)
    }
    source = Path(ir.actions[0].at.file).read_text(encoding="utf-8")
    written = {line.strip() for line in source.splitlines() if line.strip().startswith("require(")}
    assert lines == written


def test_brackets_are_where_they_are_needed() -> None:
    ir = read_model(find_model("original-design"))
    known = frozenset(ir.helpers)
    joining = ir.helpers["new_isr"].body[-1]
    texts = [expression_text(part.value, known) for part in walk(joining) if isinstance(part, Return)]
    assert texts == ["shrunk", "(self.isr[leader] if self.joining_undoes_removal else shrunk) | {joiner}"]
