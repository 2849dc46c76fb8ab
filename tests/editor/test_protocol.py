"""What the language server says of a model, over the protocol."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from lsprotocol import types
from tools.bench.language_client import Editor, editor

from isrcheck.editor.server.app import EditorServer
from isrcheck.editor.server.documents import ServerLimits, is_model_file

MODEL = dedent('''\
    """A lamp."""

    from typing import Annotated

    from isrcheck import Model, Sort, UpTo, action, constant, each, history, invariant, policy, reachable, require, step


    class Node(Sort, size="nodes"):
        """Somebody."""


    Count = Annotated[int, UpTo("most")]


    class Lamp(Model):
        """Lamps that are switched on and off."""

        nodes: int = constant(2, "how many lamps", at_least=1)
        most: int = constant(3, "the largest number")

        n: Count = 0  # switched so often
        held: dict[Node, Count] = each(Node, 0)
        top: Count = history(0)

        @policy
        def limit(self, node: Node) -> Count:
            """How far a lamp may go."""
            raise NotImplementedError

        @action
        def switch(self, node: Node, by: Node) -> None:
            """Somebody switches."""
            require(node != by and self.held[node] < self.limit(node))
            self.held[node] += 1

        @invariant
        def few(self) -> bool:
            """Nobody has many."""
            return all(self.held[node] <= 1 for node in Node)

        @reachable
        def some(self) -> bool:
            return self.held[Node[0]] == 1


    class Careful(Lamp):
        """At most one."""

        def limit(self, node: Node) -> Count:
            return 1


    class Careless(Lamp):
        """As far as it goes."""

        def limit(self, node: Node) -> Count:
            return self.most
    ''')

NEVER_SAVED = dedent("""\
    from lamp import Count, Lamp, Node

    class Mine(Lamp):
        def limit(self, node: Node) -> Count:
            return self.most
    """)

APART = dedent("""\
    from isrcheck import Model, action, constant, invariant
    from kinds import Count

    class Apart(Model):
        most: int = constant(2, "the largest number")
        n: Count = 0

        @action
        def up(self) -> None:
            self.n += 1

        @invariant
        def low(self) -> bool:
            return self.n <= self.most
    """)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workspace").resolve()


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Editor]:
    with editor(folder) as own:
        yield own


@pytest.fixture(scope="module")
def lamp(client: Editor, folder: Path) -> Path:
    file = folder / "lamp.py"
    file.write_text(MODEL)
    assert client.open(file, MODEL) == []
    return file


def at(text: str, word: str, nth: int = 0, inside: int = 1) -> types.Position:
    """The position a letter into a word of the text."""
    start = -1
    for _ in range(nth + 1):
        start = text.index(word, start + 1)
    return types.Position(text.count("\n", 0, start), start - text.rfind("\n", 0, start) - 1 + inside)


@pytest.mark.parametrize(
    ("before", "after", "line", "sentence"),
    [
        ("self.held[node] += 1", "self.hold[node] += 1", 34, "the model has no variable hold."),
        ("self.held[node] += 1", "self.held[node] = node", 34, "held holds a Count and is given a Node."),
        ("n: Count = 0", "n: Count = 9", 21, "the initial value of n is above its bound."),
        ("n: Count = 0", "n: int = 0", 21, "n holds an int without a bound."),
        ("n: Count = 0", "n: Count = nobody", 21, "the file does not import: NameError: name 'nobody' is not defined."),
        ("n: Count = 0", "n: Count = (", 21, "the file does not import: '(' was never closed."),
        ("@reachable", "@reachable\n    @step", 41, "some() has two roles, step and reachable."),
        ("def limit", "def limit(self) -> Count:\n        return 0\n\n    def limits", 29, "limits() has no body."),
    ],
)  # fmt: skip
def test_a_refusal_is_shown_while_it_is_typed(
    client: Editor, lamp: Path, before: str, after: str, line: int, sentence: str
) -> None:
    found = client.edit(lamp, MODEL.replace(before, after, 1))
    assert sentence in found[0].message, found
    assert found[0].severity == types.DiagnosticSeverity.Error
    assert found[0].range.start.line + 1 == line
    assert found[0].range.end > found[0].range.start
    assert client.edit(lamp, MODEL) == []


def test_an_error_covers_the_words_that_it_is_about(client: Editor, lamp: Path) -> None:
    """Counted as the client counts: a letter beyond the basic plane is two units."""
    wrong = MODEL.replace("require(node != by and", "require('\U0001f4a1' != '' and nod != by and")
    (found,) = client.edit(lamp, wrong)
    line = wrong.splitlines()[found.range.start.line]
    units = line.encode("utf-16-le")
    covered = units[2 * found.range.start.character : 2 * found.range.end.character].decode("utf-16-le")
    assert covered == "'\U0001f4a1'"
    assert client.edit(lamp, MODEL) == []


def test_every_method_and_every_model_has_its_own_error(client: Editor, lamp: Path) -> None:
    wrong = MODEL.replace("self.held[node] += 1", "self.hold[node] += 1").replace("<= 1", "<= on")
    wrong = wrong.replace("return self.most", "return self.moist")
    found = client.edit(lamp, wrong)
    assert sorted(each.message.split("\n")[0] for each in found) == [
        "few() does not know the name on.",
        "the model has no variable hold.",
        "the model has no variable or constant moist.",
    ]
    assert client.edit(lamp, MODEL) == []


def test_a_variant_that_leaves_a_policy_open_is_told_so_and_a_base_is_not(client: Editor, lamp: Path) -> None:
    unfilled = MODEL + "\n\nclass Between(Lamp):\n    extra: bool = False\n"
    (found,) = client.edit(lamp, unfilled)
    assert found.severity == types.DiagnosticSeverity.Information
    assert found.message.startswith("Between cannot be checked by itself: the policy limit() is not filled.")
    filled = "\n\nclass Above(Between):\n    def limit(self, node: Node) -> Count:\n        return 1\n"
    assert client.edit(lamp, unfilled + filled) == []
    assert client.edit(lamp, MODEL) == []


def test_a_variant_that_misspells_a_policy_is_refused(client: Editor, lamp: Path) -> None:
    wrong = MODEL + "\n\nclass Forgot(Lamp):\n    def limits(self, node: Node) -> Count:\n        return 1\n"
    (found,) = client.edit(lamp, wrong)
    assert found.range.start.line == wrong[: wrong.index("class Forgot")].count("\n")
    assert found.severity == types.DiagnosticSeverity.Error
    assert found.message == "the policy limit() is not filled.\nForgot has a helper limits: was limit meant?"
    assert client.edit(lamp, MODEL) == []


HOVERS = {
    ("n: Count", 0): "**n**, variable of Lamp\n\n`Count`\n\nswitched so often\n\n"
    "2 bits of a state's 8 at the default constants",
    ("held:", 0): "**held**, variable of Lamp\n\n`dict[Node, Count]`\n\n4 bits of a state's 8 at the default constants",
    ("held[node] +=", 0): "**held**, variable of Lamp\n\n`dict[Node, Count]`\n\n"
    "4 bits of a state's 8 at the default constants",
    ("top:", 0): "**top**, variable of Lamp\n\n`Count`, a history variable: only properties read it\n\n"
    "2 bits of a state's 8 at the default constants",
    ("most:", 0): "**most**, constant of Lamp\n\n`int`, default 3, at least 0\n\nthe largest number",
    ("switch(", 0): "**switch**, action of Lamp\n\n`node: Node, by: Node`\n\n"
    "4 instances = 2 * 2 at the default constants\n\nSomebody switches.",
    ("limit(self", 0): "**limit**, policy of Lamp\n\n`(node: Node) -> Count`\n\nHow far a lamp may go.",
    ("limit(self", 1): "**limit**, policy of Lamp, filled by Careful\n\n`(node: Node) -> Count`\n\n"
    "How far a lamp may go.",
    ("few(", 0): "**few**, invariant of Lamp\n\nNobody has many.",
    ("some(", 0): "**some**, reachability property of Lamp",
    ("Careful", 0): "**Careful**\n\nAt most one.",
    ("node in Node)", 0): "",
    ("A lamp", 0): "",
}


@pytest.mark.parametrize(("word", "nth"), HOVERS)
def test_what_hovers(client: Editor, lamp: Path, word: str, nth: int) -> None:
    assert client.hover(lamp, at(MODEL, word, nth)) == HOVERS[word, nth]


def test_from_a_filling_to_the_policy(client: Editor, lamp: Path) -> None:
    for nth in (0, 1, 2):
        params = types.DefinitionParams(types.TextDocumentIdentifier(lamp.as_uri()), at(MODEL, "limit(self", nth))
        found = client.wait(client.client.text_document_definition_async(params))
        assert isinstance(found, types.Location)
        assert (found.uri, found.range.start) == (lamp.as_uri(), at(MODEL, "limit(self", 0, 0))


def test_the_outline_has_the_models_of_the_file(client: Editor, lamp: Path) -> None:
    params = types.DocumentSymbolParams(types.TextDocumentIdentifier(lamp.as_uri()))
    symbols = client.wait(client.client.text_document_document_symbol_async(params)) or []
    places = [(each.name, each.range.start) for each in symbols if isinstance(each, types.DocumentSymbol)]
    assert places == [(name, at(MODEL, f"{name}(", 0, 0)) for name in ("Lamp", "Careful", "Careless")]


LENSES = [
    (15, "fill limit in a variant to check it"),
    *((line, title) for line in (46, 53) for title in ("check", "explore", "prove")),
]


def test_lenses_run_a_model_and_show_its_verdicts(client: Editor, folder: Path) -> None:
    lamp = folder / "lamp_without_verdicts.py"
    lamp.write_text(MODEL)
    assert client.open(lamp, MODEL) == []
    assert client.lenses(lamp) == LENSES
    told = client.run("check", lamp, "Careless")
    assert (told["uri"], told["model"], told["command"]) == (lamp.as_uri(), "Careless", "check")
    assert told["outcome"]["schema"] == "isrcheck.outcome/2"
    assert [(p["name"], p["verdict"]) for p in told["outcome"]["properties"]] == [
        ("few", "violated"),
        ("some", "holds"),
    ]
    assert {name: sorted(files) for name, files in told["traces"].items()} == {
        "few": ["html", "svg", "trace"],
        "some": ["trace"],
    }
    assert Path(told["traces"]["few"]["svg"]).read_text().startswith("<svg")
    verdicts = [
        (53, "check: 1 holds, 1 violated"),
        (37, "Careless: violated in 2 steps (replayed)"),
        (42, "Careless: reached in 1 step (replayed)"),
    ]
    assert client.lenses(lamp) == LENSES + verdicts
    client.edit(lamp, MODEL + "\n# another text\n")
    assert client.lenses(lamp) == LENSES + [(line, f"{title}, of an older text") for line, title in verdicts]
    client.edit(lamp, MODEL)
    assert client.lenses(lamp) == LENSES + verdicts
    client.edit(lamp, MODEL + "(")
    assert client.lenses(lamp) == LENSES + [(line, f"{title}, of an older text") for line, title in verdicts]
    client.close(lamp)


def test_a_verdict_is_of_the_types_too_that_stand_elsewhere(client: Editor, folder: Path) -> None:
    """In a module that no name of the model leads to, as an alias is what it stands for."""
    kinds, file = folder / "kinds.py", folder / "apart.py"
    kinds.write_text(
        'from typing import Annotated\nfrom isrcheck import UpTo\n\nCount = Annotated[int, UpTo("most")]\n'
    )
    text = APART
    file.write_text(text)
    assert client.open(file, text) == []
    client.run("check", file, "Apart")
    assert client.lenses(file)[-1][1] == "holds within bounds (1 step pruned) (exhaustive)"
    client.open(kinds, kinds.read_text().replace('"most"', '"most + 1"'))
    assert client.lenses(file)[-1][1].endswith(", of an older text")
    client.close(kinds)
    client.close(file)


def test_the_outcome_is_told_to_whoever_listens(client: Editor, lamp: Path) -> None:
    before = len(client.outcomes)
    client.run("check", lamp, "Careful")
    assert len(client.outcomes) == before + 1
    assert client.outcomes[-1].outcome.verdict == "holds"
    assert client.refreshed
    assert [len(reports) for reports in client.client.progress_reports.values()][-1] >= 2  # begins and ends


def test_exploring_answers_with_a_page(client: Editor, lamp: Path) -> None:
    page = Path(client.run("explore", lamp, "Careful")["path"])
    assert page.read_text().startswith("<!doctype html>")


def test_a_file_that_changed_on_disk_is_read_again(client: Editor, folder: Path) -> None:
    base, file = folder / "base.py", folder / "above.py"
    text = "from isrcheck import Model, action, invariant\n\n\nclass Base(Model):\n    on: bool = False\n"
    base.write_text(text)
    head = "from base import Base, action, invariant\n\n\nclass Above(Base):\n"
    above = f"{head}    @action\n    def go(self) -> None:\n        self.on = True\n"
    assert client.open(file, above) == []
    base.write_text(text.replace("on:", "off:"))
    client.save_elsewhere(base)
    assert "no variable on" in client.problems_of(file, bool)[0].message
    base.write_text(text)
    client.save_elsewhere(base)
    assert client.problems_of(file, lambda found: not found) == []
    client.close(file)


def test_a_run_that_cannot_be_says_why(client: Editor, lamp: Path) -> None:
    answer = client.run("check", lamp, "Lamp")
    assert "the policy limit() is not filled." in answer["error"]
    assert "the policy limit() is not filled." in client.client.messages[-1].message
    assert client.run("check", lamp.with_name("nowhere.py"), "Lamp") == {
        "error": "the file is not on disk: save it first."
    }


def test_an_unsaved_neighbour_is_read_as_it_is_typed(client: Editor, lamp: Path, folder: Path) -> None:
    """And a file that was never saved at all."""
    file = folder / "never_saved.py"
    text = NEVER_SAVED
    assert client.open(file, text) == []
    client.edit(lamp, MODEL.replace("most: int", "moist: int").replace('UpTo("most")', 'UpTo("moist")'))
    assert "no variable or constant most" in client.problems_of(file, lambda found: bool(found))[0].message
    client.edit(lamp, MODEL)
    assert client.problems_of(file, lambda found: not found) == []
    client.close(file)


def test_a_model_that_imports_isrcheck_alone_is_read() -> None:
    known = EditorServer(ServerLimits(1.0, 1 << 30, 1.0, 1 << 30)).documents._packages
    assert is_model_file("mine.py", "from isrcheck import Model\n\n\nclass Mine(Model): ...\n", known)
