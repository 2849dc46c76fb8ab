"""Questions to a model: every property for every number of faults, as a model that can be read and kept."""

from collections.abc import Sequence

from isrcheck import Model
from isrrisk.budget import FAULTS, FaultBudget, Vector, in_words

# What may be lost, by the model's property, and the helper that says whether it is.
LOSSES = {
    "acked_in_leader": "leader_has_acked",
    "acked_somewhere": "someone_has_acked",
    "exposed_in_leader": "leader_has_exposed",
    "leaderless": "has_a_leader",
}
# The property in words: what is asked of every state.
SENTENCES = {
    "acked_in_leader": "Whoever leads has every record that a producer was told is safe",
    "acked_somewhere": "Some log has every record that a producer was told is safe",
    "exposed_in_leader": "Whoever leads has all that a consumer may have read",
    "leaderless": "The partition is not without a leader once all brokers are up",
}
CLASS = "Frontier"


def sentence_of(loss: str, vector: Vector) -> str:
    """The question for one loss within one number of faults, as a sentence."""
    has_faults = any(number for _, number in vector)
    return f"{SENTENCES[loss]}, {f'with at most {in_words(vector)}' if has_faults else 'without any fault'}."


def name_of(loss: str, vector: Vector) -> str:
    """The name of the invariant that asks for one loss within one number of faults."""
    return "_".join([loss, "within", *(str(n) for _, n in vector)])


def question_text(model: type[Model], budget: FaultBudget, losses: Sequence[str] = tuple(LOSSES)) -> str:
    """A Python file with a variant of the model: an invariant for each loss and each number of faults.

    The counters of faults are part of the state, so one search decides all of them.
    """
    asked = [_budget_in_all(budget), *(_invariant(loss, vector) for loss in losses for vector in budget.vectors())]
    head = (
        f'"""Made by `isrcheck risk`: what {model.__name__} loses, by what went wrong before."""\n\n'
        f"from isrcheck import invariant, require\nfrom {model.__module__} import {model.__name__}\n\n\n"
        f"class {CLASS}({model.__name__}):\n"
        '    """Each property, asked for every number of faults within the budget."""\n\n'
    )
    return head + "\n".join(filter(None, asked))


def _budget_in_all(budget: FaultBudget) -> str:
    """The policy of the model by which no step goes beyond so many faults in all; empty without such a bound."""
    kinds = [FAULTS[name].counter for name in FAULTS if budget.most.get(name)]
    if budget.in_all is None or not kinds:
        return ""
    faults = " + ".join(f"self.{counter}" for counter in kinds)
    return (
        "    def limit_faults(self) -> None:\n"
        '        """No more went wrong in all than is asked about."""\n'
        f"        require({faults} <= {budget.in_all})\n"
    )


def _invariant(loss: str, vector: Vector) -> str:
    beyond = [f"self.{FAULTS[name].counter} > {n}" for name, n in vector]
    holds = " or ".join([*beyond, f"self.{LOSSES[loss]}()"])
    return (
        f"    @invariant\n    def {name_of(loss, vector)}(self) -> bool:\n"
        f'        """{sentence_of(loss, vector)}"""\n        return (\n            {holds}\n        )\n'
    )
