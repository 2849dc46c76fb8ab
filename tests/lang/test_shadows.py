"""Texts that CPython and the reader would take differently, or of which something would be silently gone."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from isrcheck.errors import ModelError
from isrcheck.lang.read import read_model

HEAD = """
from collections import namedtuple
from typing import Annotated, NamedTuple, Self

from isrcheck import Model, Taken, UpTo, action, applies, constant, invariant, lemma, policy, require, step

Count = Annotated[int, UpTo(2)]


def low(n: bool) -> bool:
    return not n


class Pair(NamedTuple):
    method: Count
    b: Count


class M(Model):
    flag: bool = False
    pair: Pair = Pair(0, 0)

    @action
    def go(self, k: bool) -> None:
        self.flag = k
"""
CASES = {
    "a comprehension that hides a function": (
        "    @invariant\n    def p(self) -> bool:\n"
        "        return all(low for i in range(2) if low(self.flag) for low in (True, True))\n",
        "low has a meaning already.",
    ),
    "a comprehension that hides a builtin": (
        "    @invariant\n    def p(self) -> bool:\n        return all(len for i in range(2) for len in range(2))\n",
        "len has a meaning already.",
    ),
    "self by the name of a builtin": (
        "    @invariant\n    def p(len) -> bool:\n        return not len.flag\n",
        "len has a meaning already.",
    ),
    "the state before by the name of a class": (
        "    @step\n    def p(self, Pair: Self) -> bool:\n        return Pair.flag or True\n",
        "Pair has a meaning already.",
    ),
    "a parameter that every object has": (
        "    @action\n    def other(self, __doc__: bool) -> None:\n        self.flag = __doc__\n",
        "__doc__ is not a valid name of a parameter",
    ),
    "two roles": (
        "    @lemma\n    @invariant\n    def p(self) -> bool:\n        return not self.flag\n",
        "p() has two roles, invariant and lemma.",
    ),
    "two conditions": (
        '    @applies("go")\n    @applies("p")\n    def a(self) -> bool:\n        return True\n',
        "a() has two roles, applies and applies.",
    ),
    "a policy that nothing asks": (
        "    @policy\n    def may_go_on_and_on(self) -> bool:\n        return True\n",
        "no model asks the policy may_go_on_and_on() of M.",
    ),
    "a step property of the step alone": (
        "    @step\n    def p(self, taken: Taken) -> bool:\n        return taken.k != self.flag\n",
        "the first parameter of p() is the state before the step.",
    ),
    "a limit that is a text": (
        '    limit: int = constant(2, "a number", at_least="1")\n',
        "the constant limit has the limit '1', which is not an int.",
    ),
    "a measure that there is not": (
        '    limit: int = constant(2, "a number", setting="x.ms", measure="tick")\n',
        "the constant limit has the measure 'tick' and no use for it.",
    ),
    "a field that became a property": (
        "\n\nPair.method = property(lambda self: tuple.__getitem__(self, 0) + 1)\n",
        "method of Pair is not what NamedTuple makes.",
    ),
    "a method of another record": (
        '\n\nPair._replace = namedtuple("Pair", "b method")._replace\n',
        "_replace of Pair is not what NamedTuple makes.",
    ),
    "a function with other globals": (
        '\n\nPair.__new__.__globals__["_tuple_new"] = lambda cls, parts: tuple.__new__(cls, parts[::-1])\n',
        "Pair defines __new__, which CPython uses and isrcheck does not read.",
    ),
}


def read(file: Path) -> None:
    """Imports a file and reads its model."""
    spec = spec_from_file_location("shadows", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["shadows"] = module
    spec.loader.exec_module(module)
    read_model(module.M)


@pytest.mark.parametrize("case", CASES)
def test_it_is_refused(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, sentence = CASES[case]
    file = tmp_path / "shadows.py"
    file.write_text(HEAD + ("\n" + text if text.startswith("    ") else text), encoding="utf-8")
    monkeypatch.delitem(sys.modules, "shadows", raising=False)
    with pytest.raises(ModelError) as found:
        read(file)
    assert found.value.sentence.startswith(sentence), found.value.sentence
