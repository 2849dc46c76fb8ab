"""The models by families as `isrcheck list` shows them."""

import inspect
import sys
from typing import NamedTuple

from isrcheck.catalogue import family_of, models_by_name, package_of
from isrcheck.wrap import first_paragraph


class Family(NamedTuple):
    """Models of one package: what it is about, and each model's sentence by its name."""

    sentence: str
    models: dict[str, str]


def families() -> dict[str, Family]:
    """Return the families of models by their names, in the order in which they are offered.

    Raises UsageError if a package cannot be imported.
    """
    listed: dict[str, Family] = {}
    for name, cls in models_by_name().items():
        about = first_paragraph(sys.modules[package_of(cls)].__doc__ or "")
        family = listed.setdefault(family_of(cls), Family(about, {}))
        family.models[name] = first_paragraph(inspect.getdoc(cls) or "")
    return listed
