"""What engines say of models over a sort without members."""

from typing import Annotated

import pytest
from tests.agreement import empty_sorts

from isrcheck import Model, UpTo, action, check, invariant, prove
from isrcheck.engines.contract import Limits
from isrcheck.errors import ModelError, UsageError

Answer = dict[str, str] | str


class Careless(Model):
    """Takes from a queue that may be empty; the property does not depend on it."""

    calm: bool = True
    waiting: Annotated[tuple[bool, ...], UpTo(2)] = ()
    last: bool = False

    @action
    def put(self, what: bool) -> None:
        self.waiting += (what,)

    @action
    def drop(self) -> None:
        self.last = self.waiting[0]
        self.waiting = self.waiting[1:]

    @invariant
    def is_calm(self) -> bool:
        return self.calm


MODELS = [
    each for each in vars(empty_sorts).values() if isinstance(each, type) and each in empty_sorts.Base.__subclasses__()
]
UNREAD = {"EmptyBag", "FirstOfLog", "Union"}  # by proofs for any size
ERRORS = {"MapKey", "Beside", "MapOfMaps", "InProperty", "Sent", "Received", "RecordKey", "InBag"}


def answer_of(model: type[Model], engine: str) -> Answer:
    """The verdicts, or the sentence of the model's error."""
    try:
        outcome = check(model, engine=engine, limits=Limits(depth=4) if engine == "symbolic" else Limits())
    except ModelError as error:
        return str(error)
    return {each.name: each.verdict.value for each in outcome.properties}


@pytest.mark.parametrize("engine", ["native", "symbolic"])
@pytest.mark.parametrize("model", MODELS, ids=lambda each: each.__name__)
def test_an_empty_sort_gives_the_same_answer_by_every_engine(model: type[Model], engine: str) -> None:
    assert answer_of(model, engine) == answer_of(model, "reference")


@pytest.mark.parametrize("model", MODELS, ids=lambda each: each.__name__)
def test_a_member_of_an_empty_sort_is_an_error_in_the_model(model: type[Model]) -> None:
    answer = answer_of(model, "reference")
    assert ("Node has 0 members here, and none is Node[" in str(answer)) == (model.__name__ in ERRORS)


@pytest.mark.parametrize("model", [each for each in MODELS if each.__name__ in ERRORS], ids=lambda each: each.__name__)
def test_nothing_is_proved_of_a_model_in_error(model: type[Model]) -> None:
    """A member by its number is of one size: no proof for any size speaks of it."""
    with pytest.raises(UsageError, match="prove cannot read"):
        prove(model)


def test_an_error_in_the_model_that_a_search_reaches_ends_a_proof() -> None:
    with pytest.raises(ModelError, match=r"drop\(\) raised IndexError"):
        prove(Careless)


@pytest.mark.parametrize("model", [each for each in MODELS if each.__name__ not in ERRORS])
def test_nothing_is_proved_of_an_empty_sort_that_a_search_refutes(model: type[Model]) -> None:
    searched = answer_of(model, "reference")
    assert isinstance(searched, dict)
    if model.__name__ in UNREAD:
        with pytest.raises(UsageError, match="prove cannot read"):
            prove(model)
        return
    proved = {each.name for each in prove(model).outcome.properties if each.verdict.value == "holds"}
    assert proved <= {name for name, verdict in searched.items() if verdict == "holds"}
