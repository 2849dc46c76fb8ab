"""The fragment that proofs for any size cover: what it lacks is refused with its place, before anything is searched."""

from pathlib import Path

import pytest
from tests.lang.written import load_model

from isrcheck import prove
from isrcheck.errors import UsageError
from isrcheck.lang.read import read_model
from isrcheck.proofs import prover
from isrcheck.proofs.relational.system import RelationalSystem

HEAD = """
from typing import Annotated, NamedTuple

from isrcheck import Between, Channels, Model, Network, Record, Sort, UpTo, action, constant, each, initial, invariant
from isrcheck import require

Count = Annotated[int, UpTo(2)]
Below = Annotated[int, Between("-1", "1")]


class Node(Sort, size="nodes"):
    pass


class Note(Record):
    size: Count


class Word(Record):
    short: bool


class Subject(Model):
    nodes: int = constant(2, "nodes", at_least=1)
    flag: bool = constant(True, "whether there is more")
    top: int = constant(4, "the most", at_least=1)
    on: dict[Node, bool] = each(Node, False)
"""

ARM = """
    @action
    def arm(self, who: Node) -> None:
        self.on[who] = True
"""

HOLDS = """
    @invariant
    def is_so(self) -> bool:
        return True
"""

REFUSED = {
    "a number below 0": ("    n: Below = 0\n" + ARM, "the variable n (numbers from -1, not from 0)"),
    "numbers below 0 in a sequence": (
        "    log: Annotated[tuple[Below, ...], UpTo(2)] = ()\n" + ARM,
        "the variable log (numbers from -1, not from 0)",
    ),
    "numbers below 0 in a set": (
        "    seen: frozenset[Below] = frozenset()\n" + ARM,
        "the variable seen (numbers from -1, not from 0)",
    ),
    "numbers below 0 as keys": (
        "    by: dict[Below, bool] = each(Below, False)\n" + ARM,
        "the variable by (numbers from -1, not from 0)",
    ),
    "a parameter below 0": (
        "\n    @action\n    def arm(self, who: Node, n: Below) -> None:\n        self.on[who] = n > 0\n",
        "the parameter n of arm (numbers from -1, not from 0)",
    ),
    "a network": (
        "    net: Annotated[Network[Note], UpTo(2)] = Network()\n" + ARM,
        "the variable net (values of Network[Note])",
    ),
    "several classes": ("    last: Note | Word | None = None\n" + ARM, "the variable last (values of Note | Word)"),
    "channels": (
        "    links: Annotated[Channels[Node, Note], UpTo(2)] = Channels()\n" + ARM,
        "the initial value of links (a literal of Channels[Node, Note])",
    ),
    "initial states that methods choose": (
        "\n    @initial\n    def any_node(self, who: Node) -> None:\n        self.on[who] = True\n" + ARM,
        "initial states that methods choose",
    ),
    "a sum": (
        "    owed: dict[Node, Count] = each(Node, 0)\n" + ARM + "\n    @invariant\n    def is_little(self) -> bool:\n"
        "        return sum(self.owed[n] for n in Node) >= 0\n",
        "a sum() over these",
    ),
    "a member by its number": (
        ARM + "\n    @invariant\n    def first_is_off(self) -> bool:\n        return not self.on[Node[0]]\n",
        "a member of a sort by its number",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_fragment_lacks_is_refused_before_any_search(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body, phrase = REFUSED[name]

    def asked(*_: object) -> None:
        pytest.fail("it was searched or solved")

    for function in ("violations", "answer", "counterexample"):
        monkeypatch.setattr(prover, function, asked)
    cls = load_model(HEAD + body + HOLDS, tmp_path, monkeypatch)
    with pytest.raises(UsageError) as refusal:
        prove(cls)
    sentence = str(refusal.value).splitlines()[0]
    assert sentence.partition(": ")[0].split(":")[-3].endswith("model.py")
    assert f"cannot read {phrase}" in sentence


def test_a_message_to_each_of_several_is_refused_where_an_action_sends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The initial value of the channels is refused before, so that `prove` comes to this only if that changes."""
    body = (
        "    links: Annotated[Channels[Node, Note], UpTo(2)] = Channels()\n\n    @action\n    def arm(self) -> None:\n"
        "        self.links.send_all((x for x in Node if self.on[x]), Note(1))\n"
    )
    ir = read_model(load_model(HEAD + body + HOLDS, tmp_path, monkeypatch))
    with pytest.raises(
        UsageError, match=r"model\.py:\d+:\d+: prove cannot read a message to each of several \(send_all\)"
    ):
        RelationalSystem(ir, {}).steps


@pytest.mark.parametrize(
    "body",
    [
        '    n: Annotated[int, UpTo("flag + 1")] = 0\n\n    @action\n    def up(self) -> None:\n'
        "        require(self.flag and self.n < 1)\n        self.n += 1\n",
        '    n: Annotated[int, UpTo("top // 2")] = 0\n\n    @action\n    def up(self) -> None:\n'
        "        require(self.n < self.top // 2)\n        self.n += 1\n",
        "    q: Annotated[tuple[Count, ...], UpTo(1)] = ()\n\n    @action\n    def up(self, n: Count) -> None:\n"
        "        self.q = () if self.flag else (n,)\n\n    @action\n    def clear(self) -> None:\n"
        "        self.q = ()\n",
    ],
    ids=["a truth value in a bound", "a quotient in a bound", "an empty sequence"],
)
def test_what_the_fragment_has_is_proved(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert prove(load_model(HEAD + body + HOLDS, tmp_path, monkeypatch)).outcome.exit == 0
