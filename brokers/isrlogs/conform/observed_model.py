"""The model that is asked, with the steps that events tell of."""

import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path

from isrcheck import Model
from isrcheck.plugin import ModelIR, load_file, read_model

_SOURCE = '''from {steps.__module__} import {steps.__name__} as Steps
from isrcheck import Drawing
from isrcheck.plugin import find_model

Asked = find_model({name!r})


class Observed(Steps, Asked):
    """{name}, with the steps of which brokers tell."""

    drawing = Drawing(*dict.fromkeys((*Asked.drawing.words, *Steps.drawing.words)))
'''


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="isrcheck-conform-")


def read_observed(name: str, steps: type[Model]) -> ModelIR:
    """A model by its name, read with the actions of `steps`: the reader takes classes that stand in a file."""
    source = _SOURCE.format(name=name, steps=steps)
    file = Path(_folder().name) / f"observed_{sha256(source.encode()).hexdigest()[:16]}.py"
    if not file.exists():
        file.write_text(source, encoding="utf-8")
    return read_model(load_file(file).Observed)
