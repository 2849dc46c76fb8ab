"""Small models to mutate, as texts of one file: the toys, Kafka's at their smallest, and random ones."""

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tools.mutants.rich import RICH
from tools.random_models.author import Author
from tools.random_models.names import Pen

from isrmodel.async_isr import async_isr
from isrmodel.published import kip_101, kip_320, lemmas, replication, truncate_to_high_watermark, unfenced
from isrtoys import KNOWN, TOYS

_SMALLEST = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
_HIGH_WATERMARK = (replication, unfenced, truncate_to_high_watermark)


@dataclass(frozen=True)
class Base:
    """A text, its last model class with these constants."""

    name: str
    source: str
    constants: dict[str, Any] = field(default_factory=dict)


def _file_of(cls: type) -> str:
    """The file of a class without the other toys, up to the class: the last one of the text is the one that is run."""
    source = Path(inspect.getfile(cls)).read_text(encoding="utf-8")
    others = {toy.__name__ for toy in TOYS.values() if toy not in cls.__mro__}
    nodes = [n for n in ast.parse(source).body if not (isinstance(n, ast.ClassDef) and n.name in others)]
    end = next(i for i, n in enumerate(nodes, 1) if isinstance(n, ast.ClassDef) and n.name == cls.__name__)
    rest = [n for n in nodes[end:] if isinstance(n, ast.FunctionDef)]
    return "\n".join([*map(ast.unparse, [*nodes[:end], *rest]), ""])


def _join(*modules: Any) -> str:
    """Several modules as one, without what they import from each other and their drawings."""
    body = [node for module in modules for node in ast.parse(inspect.getsource(module)).body]
    kept = [n for n in body if not (isinstance(n, ast.ImportFrom) and (n.module or "").startswith("isrmodel"))]
    for node in kept:
        if isinstance(node, ast.ClassDef):
            node.body = [n for n in node.body if "DRAWING" not in ast.unparse(n)] or [ast.Pass()]
    return ast.unparse(ast.Module(kept, []))


@cache
def usual_bases() -> tuple[Base, ...]:
    """The bases that are the same in every run."""
    toys = [Base(name, _file_of(toy), KNOWN[name].constants) for name, toy in TOYS.items()]
    kafka = [
        Base("truncate-to-high-watermark", _join(*_HIGH_WATERMARK), _SMALLEST),
        Base("kip-101", _join(replication, unfenced, kip_101), _SMALLEST),
        Base("kip-320", _join(replication, lemmas, kip_320), _SMALLEST),
        Base("async-isr", _join(async_isr), {"replicas": 2, "max_offset": 1, "max_version": 1}),
    ]
    rich = [Base(f"rich-{number}", source) for number, source in enumerate(RICH)]
    return (*toys, *rich, *rich, *kafka)


def bases(rng: Random) -> Iterator[Base]:
    """Bases without end, one in eleven of them a random model; each is mutated several times."""
    number = 0
    while True:
        for base in rng.sample(usual_bases(), len(usual_bases())):
            yield base
            if rng.random() < 0.1:
                number += 1
                yield Base(f"random-{number}", Author(Pen(rng.randrange)).write())
