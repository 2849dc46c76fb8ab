"""What states can be grouped by, and what is said to whoever asks for something else."""

import pytest
from tests.evidence.graph.desk import LateDesk, stepper

from isrcheck.errors import ModelError, UsageError
from isrcheck.evidence.graph.explored import explore
from isrcheck.evidence.graph.views import expression, quotient
from isrcheck.run.trace import show_encoded


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("term.leader", ["None", "к0", "к1"]),
        ("term.epoch", ["0", "1", "2"]),
        ("last.leader", ["None", "к0", "к1"]),
        ("is_late", ["False", "True"]),
        ("done", ["0", "1", "2"]),
    ],
)
def test_groups_by_fields_policies_and_helpers(text: str, groups: list[str]) -> None:
    made = stepper(LateDesk)
    view = quotient(explore(made, []), [expression(made, text)], "desk")
    assert [show_encoded(node.values[text]) for node in view.nodes] == groups


def test_groups_by_an_entry_of_a_map_and_by_a_property() -> None:
    made = stepper("toy-mutex")
    view = quotient(explore(made, []), [expression(made, "place[p0]"), expression(made, "someone_waits")], "mutex")
    found = [(node.values["place[p0]"], node.values["someone_waits"], node.states) for node in view.nodes]
    assert sum(states for _, _, states in found) == 24
    assert {place for place, waits, _ in found if waits} == {"waiting", "inside"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("termm", "LateDesk has no variable or method termm to group by. Did you mean term?"),
        ("term.leder", "--by term.leder: Term has no field leder. Did you mean leader?"),
        ("work.leader", "--by work.leader: leader is not a field of dict[Клерк, Level]."),
        ("term[0]", "--by term[0]: [0] is not an entry of Term."),
        ("work[r7]", "--by work[r7]: there is no key r7. Known: "),
        ("may_work", "--by may_work cannot be asked of a state: may_work of LateDesk takes parameters, or changes the"),
        ("elect", "LateDesk has no variable or method elect to group by."),
        ("term.epoch + 1", "--by term.epoch + 1 cannot group states: write a variable, a field"),
        ("", "--by  cannot group states"),
        ("__class__.x", "LateDesk has no variable or method __class__ to group by."),
        ("\x1b[31m", "--by \ufffd[31m cannot group states"),
    ],
)
def test_what_is_no_expression_is_refused_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        expression(stepper(LateDesk), text)
    assert str(caught.value).startswith(said)


def test_a_method_that_has_no_answer_is_an_error_in_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    made = stepper(LateDesk)
    asked = expression(made, "done")
    monkeypatch.setattr(LateDesk, "done", lambda self: 1 // 0)
    with pytest.raises(ModelError, match=r"done raised ZeroDivisionError"):
        asked.value(made.initial)
