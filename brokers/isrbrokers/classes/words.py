"""The words for what the controller is asked and answers, as people read them."""

from collections.abc import Iterable

from isrbrokers.classes.steps import Answer, OnRecord, Question
from isrcheck.plugin import quantity, show

_EVENTS = {
    "clean": "register({who}) after a clean stop",
    "dirty": "register({who}) after an unclean stop",
    "grant": "the leader asks for ISR {what}",
    "old": "the leader asks for ISR {what}, based on the partition epoch before",
    "zombie": "{who} asks for ISR {what} in the leader epoch before",
    "other": "{who}, which does not lead, asks for ISR {what}",
    "late": "{who}, which does not lead, asks for ISR {what}, based on the partition epoch before",
    "stale": "{who} asks for ISR {what}, based on the leader epoch and the partition epoch before",
    "report": "report_dir({who})",
    "reassign": "reassign(added={who}, removed={what})",
}


def describe(question: Question) -> str:
    """A sentence of what happens."""
    who, what = question.call
    form = _EVENTS.get(question.event, question.event + "({who})")
    stale = f", where {show(who)} has registered again" if question.event == "grant" and who is not None else ""
    return form.format(who=show(who), what=show(what)) + stale


def describe_record(at: OnRecord) -> str:
    """The partition on record, brokers by name."""
    now = at.image
    facts = {"leader": now.leader, "ISR": now.isr, "ELR": now.elr, "last known": now.last_known}
    more = {"fenced": at.fenced, "shutting down": at.leaving, "being added": at.adding, "being removed": at.removing}
    rest = [f"{name} {show(value)}" for name, value in more.items() if value]
    return ", ".join(
        [*(f"{name} {show(value)}" for name, value in facts.items()), f"replicas {show(at.assigned)}", *rest]
    )


def describe_answers(answers: Iterable[Answer]) -> str:
    """Several outcomes by what they are."""
    return "; or ".join(sorted(map(_answer, answers)))


def _answer(answer: Answer) -> str:
    """An outcome by what it is, brokers by name."""
    if isinstance(answer, str):
        return answer
    facts = [
        f"leader {_name(answer.leader)}" + (", a new leader epoch" if answer.epochs else ""),
        f"ISR {_members(answer.isr)}, ELR {_members(answer.elr)}, last known {_members(answer.last_known)}",
        f"replicas {_members(answer.assigned)}",
        *([f"being added {_members(answer.adding)}"] if answer.adding else []),
        *([f"being removed {_members(answer.removing)}"] if answer.removing else []),
        "nothing written" if not answer.records else quantity(answer.records, "record"),
    ]
    return ", ".join(facts)


def _name(number: int) -> str:
    return "None" if number < 0 else f"r{number}"


def _members(mask: int) -> str:
    return "{" + ", ".join(f"r{n}" for n in range(mask.bit_length()) if mask >> n & 1) + "}"
