"""Runs of pytest in this process give back the modules that they loaded: what isrcheck uses is to be there before."""

import pytest

import isrcheck
import isrcheck.evidence.forms.table
import isrcheck.gate.judge
import isrcheck.gate.worker
from isrcheck.catalogue import models_by_name


@pytest.fixture(scope="session", autouse=True)
def loaded() -> None:
    """The models of the list, and the engine with the libraries that it loads when it is first used."""
    models_by_name()
    assert isrcheck.check("toy-mutex").exit == 0
