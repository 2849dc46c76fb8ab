"""Random models that refine a variant of themselves, or do not: the evaluator says what the abstract methods do."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, assume, given, note, settings
from tests.models.compare import results
from tests.models.generate import models
from tests.models.loading import load

from isrcheck.engines.contract import Limits, Request
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import Explorer
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import ModelError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower

MOST_STATES = 300
OTHER = '''class Other(Base):
    """Decides otherwise."""

    def decide(self) -> bool:
        return {answer}


'''
REFINES = '''

    @refines(Other)
    def like_another(self, abstract: Other) -> None:
        """Each variable by its name."""
'''


def beside(text: str, answer: bool) -> str:
    """The model, refining one that always answers this."""
    other = OTHER.format(answer=answer)
    lines = text.replace("constant, each", "constant, refines, each").replace("class Chosen(", f"{other}class Chosen(")
    return f"{lines.rstrip()}{REFINES}"


def test_random_refinements_agree() -> None:
    verdicts: list[bool] = []

    @settings(max_examples=40, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(models())
    def agree(text: str) -> None:
        note(text)
        assume("def decide(self) -> bool" in text)
        with tempfile.TemporaryDirectory() as folder:
            try:
                read = read_model(load(beside(text, len(verdicts) % 2 == 0), Path(folder)))
                check_domains(read)
                model = bind(read, {})
                steppers = ReferenceStepper(model), ScalarStepper(lower(model))
                kinds = {p.name: p.kind for p in model.properties}
                request = Request(properties=("like_another",), limits=Limits(states=MOST_STATES))
                one = Explorer(steppers[0], kinds, request).run()
            except ModelError:
                assume(False)
            assert results(one) == results(Explorer(steppers[1], kinds, request).run())
            verdicts.append("like_another" in one.paths)

    agree()
    assert sum(verdicts) >= 3
    assert verdicts.count(False) >= 3
