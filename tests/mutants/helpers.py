"""Surveys of toys, by hand."""

from collections.abc import Mapping
from typing import Any

from tests.mutants import models

from isrcheck.engines.contract import Limits
from isrcheck.gate.mutants.judge import JudgeOptions
from isrcheck.gate.mutants.survey import Survey, SurveyedMutant, survey
from isrcheck.ir.model import ModelIR
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.user_cache import CacheFolder


def text_of(name: str) -> ModelIR:
    """A toy's text; other processes read it by this name."""
    cls: type[Model] = getattr(models, name)
    return read_model(cls)


def surveyed(
    name: str,
    *configurations: Mapping[str, Any],
    everything: bool = False,
    deadlock: bool = False,
    limits: Limits | None = None,
    cache: CacheFolder | None = None,
    workers: int = 1,
) -> Survey:
    """All mutants of a toy; nothing is kept unless a cache is given."""
    return survey(
        name,
        text_of(name),
        configurations or ({},),
        options=JudgeOptions(limits or Limits(), everything, deadlock),
        cache=cache,
        workers=workers,
    )


def fates(made: Survey) -> dict[str, str]:
    """Each mutant's fate, with what killed it after how many steps."""
    return {result.mutant.name: _fate(result) for result in made.results}


def _fate(result: SurveyedMutant) -> str:
    finding = result.outcome
    seen = [f"{n.name} {'never' if n.length is None else n.length - 1}" for n in finding.kills]
    return " ".join([finding.fate.value, *seen])
