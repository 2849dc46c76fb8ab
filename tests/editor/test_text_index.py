"""Which methods fill which policies, without running a file."""

from enum import Enum
from itertools import product
from pathlib import Path
from textwrap import dedent
from types import FunctionType
from typing import NamedTuple

import pytest

from isrcheck import Model
from isrcheck.catalogue import models_by_name
from isrcheck.editor.reading.fillings import TextIndex
from isrcheck.editor.reading.hover import count_values
from isrcheck.editor.reading.load import packages_of_models
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import (
    BOOL,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from isrcheck.lang.declare import mark_of

VARIANT = "{}\nclass {}({}):\n    def limit(self): ...\n"

BASE = """
    from isrcheck import Model, policy
    import isrcheck

    class Base(Model):
        @policy
        def limit(self) -> int:
            raise NotImplementedError

        @isrcheck.policy
        def start(self) -> int:
            raise NotImplementedError

        def helper(self) -> int:
            return 0
"""


def fillings(folder: Path, files: dict[str, str]) -> set[tuple[str, str, str, int]]:
    """Policy, the class that declares it, the variant, and the line."""
    for name, text in files.items():
        file = folder / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text))
    found = TextIndex([folder], {}).fillings()
    return {(each.policy, each.model, each.variant, each.at.name_span.line) for each in found}


def test_by_every_way_to_name_a_base(tmp_path: Path) -> None:
    one = """
        from base import Base as B

        class One(B):
            def limit(self) -> int:
                return 1

            def helper(self) -> int:
                return 1

        class Two(One):
            def limit(self) -> int:
                return 2
        """
    other = """
        import base
        from one import One

        class Other(Missing, base.Base):
            def start(self) -> int:
                return 3

        class Both(One, Other):
            def start(self) -> int:
                return 4
        """
    assert fillings(tmp_path, {"base": BASE, "one": one, "other": other, "wrong": "class Wrong(Base:\n"}) == {
        ("limit", "Base", "One", 5),
        ("limit", "Base", "Two", 12),
        ("start", "Base", "Other", 6),
        ("start", "Base", "Both", 10),
    }


def test_through_packages_that_import_from_each_other(tmp_path: Path) -> None:
    files = {
        "family/__init__": "from family.variants.near import Near\nfrom .protocol import Base as Base\n",
        "family/protocol": BASE,
        "family/variants/__init__": "",
        "family/variants/near": VARIANT.format("from ..protocol import Base", "Near", "Base"),
        "family/variants/far": VARIANT.format("import family", "Far", "family.Near"),
    }
    assert fillings(tmp_path, files) == {("limit", "Base", "Near", 3), ("limit", "Base", "Far", 3)}


def test_environments_and_hidden_folders_are_passed_over(tmp_path: Path) -> None:
    variant = VARIANT.format("from base import Base", "Variant", "Base")
    (tmp_path / "env").mkdir()
    (tmp_path / "env" / "pyvenv.cfg").touch()
    assert fillings(tmp_path, {"base": BASE, "env/lib": variant, "node_modules/x": variant, ".git/x": variant}) == set()


def test_a_neighbour_goes_before_a_file_of_the_same_name(tmp_path: Path) -> None:
    """And a folder without __init__.py is a package from the workspace on."""
    files = {
        "base": "class Base: ...\n",
        "models/base": BASE,
        "models/near": VARIANT.format("from base import Base", "Near", "Base"),
        "far": VARIANT.format("from models.base import Base", "Far", "Base"),
        "none": VARIANT.format("from base import Base", "Another", "Base"),
    }
    assert fillings(tmp_path, files) == {("limit", "Base", "Near", 3), ("limit", "Base", "Far", 3)}


def test_a_circle_of_bases_ends(tmp_path: Path) -> None:
    text = "class A(B):\n    def limit(self): ...\nclass B(A): ...\n"
    files = {"circle": text, "a": "from b import X\nclass C(X): ...\n", "b": "from a import X\n"}
    assert fillings(tmp_path, files) == set()


def filled(cls: type[Model]) -> set[tuple[str, str]]:
    """As CPython has it."""
    above = {name for base in cls.__mro__[1:] for name, value in vars(base).items() if is_policy(value)}
    return {(cls.__name__, name) for name in above & vars(cls).keys() if not is_policy(vars(cls)[name])}


def is_policy(value: object) -> bool:
    return isinstance(value, FunctionType) and mark_of(value).role == "policy"


def test_every_filling_of_the_models_is_found() -> None:
    """As many as the classes say, which this test imports."""
    known = {base for cls in models_by_name().values() for base in cls.__mro__ if issubclass(base, Model)}
    wanted = set[tuple[str, str]]().union(*map(filled, known))
    found = {(each.variant, each.policy) for each in TextIndex([], packages_of_models()).fillings()}
    assert len(wanted) > 100
    assert wanted - found == set()


class Colour(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


class Pair(NamedTuple):
    first: bool
    second: Colour


COLOUR = EnumDomain("Colour", tuple(Colour))
PAIR = RecordDomain("Pair", (("first", BOOL), ("second", COLOUR)), Pair)


@pytest.mark.parametrize(
    "domain", [BOOL, COLOUR, IntDomain(4), IntDomain(4, low=-2), PAIR, OptionalDomain(PAIR), SetDomain(PAIR)]
)
def test_as_listed(domain: Domain) -> None:
    assert count_values(domain) == codec(domain).count() == len(list(codec(domain).values()))


def test_what_is_not_listed() -> None:
    """Counted here by making them."""
    sequences = [word for length in range(4) for word in product(range(3), repeat=length)]
    assert count_values(SequenceDomain(IntDomain(2), 3)) == len(sequences) == 40
    assert count_values(SequenceDomain(None)) == 1
    assert count_values(MapDomain(COLOUR, IntDomain(4))) == len(list(product(range(5), repeat=3)))
    few = [chosen for chosen in product((0, 1), repeat=6) if sum(chosen) <= 2]
    assert count_values(SetDomain(PAIR, high=2)) == len(few) == 22
    bags = [counts for counts in product(range(4), repeat=3) if sum(counts) <= 3]
    assert count_values(MapDomain(COLOUR, IntDomain(3), total=3)) == len(bags) == 20
