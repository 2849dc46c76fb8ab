"""The extension in VS Code itself, where it is at hand in a browser: CODE_SERVER is the program of code-server.

PICTURES is a folder for screenshots; without it they go to a temporary one.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from tests.browser.browser import launched
from tests.vscode.editor import Editor, code_server, program, vsix

AT_HAND = program() is not None and vsix() is not None
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not AT_HAND, reason="no editor at hand: set CODE_SERVER to code-server, and run ./dev vsix"),
]
COUNTER = '''"""A counter that somebody may reset."""

from typing import Annotated

from isrcheck import Model, UpTo, action, constant, invariant, reachable, require

Count = Annotated[int, UpTo("most")]


class Counter(Model):
    """A counter."""

    most: int = constant(3, "how far it counts")

    n: Count = 0
    resets: Count = 0

    @action
    def grow(self) -> None:
        """One more."""
        require(self.n < self.most)
        self.n += 1

    @action
    def reset(self) -> None:
        """Back to nothing."""
        require(self.n > 1)
        require(self.resets < self.most)
        self.n = 0
        self.resets += 1

    @invariant
    def seldom_reset(self) -> bool:
        """It is reset at most once."""
        return self.resets < 2

    @reachable
    def full(self) -> bool:
        """It is full."""
        return self.n == self.most
'''


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = launched(playwright)
        yield running
        running.close()


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = Path(os.environ.get("PICTURES", tmp_path / "pictures"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "counter.py").write_text(COUNTER, encoding="utf-8")
    return folder


@pytest.mark.parametrize("theme", ["Default Light Modern", "Default Dark Modern"])
def test_a_model_in_the_editor(browser: Browser, tmp_path: Path, work: Path, pictures: Path, theme: str) -> None:
    found, at_hand = vsix(), program()
    assert found is not None
    assert at_hand is not None
    shade = theme.split()[1].lower()
    with code_server(at_hand, found, tmp_path / "room", {"workbench.colorTheme": theme}) as host:
        editor = Editor(browser.new_page(viewport={"width": 1400, "height": 850}), pictures)
        editor.open(host, work, "counter.py")
        check(editor, shade)
        explore(editor, shade)
        hover(editor, shade)
        lens_of_a_property(editor)
        mistake(editor, shade)
        editor.page.close()


def test_without_isrcheck_one_sentence_says_what_to_do(
    browser: Browser, tmp_path: Path, work: Path, pictures: Path
) -> None:
    found, at_hand = vsix(), program()
    assert found is not None
    assert at_hand is not None
    with code_server(at_hand, found, tmp_path / "room", {"isrcheck.command": "bin/no-isrcheck"}) as host:
        editor = Editor(browser.new_page(viewport={"width": 1400, "height": 850}), pictures)
        editor.visit(host, work, "counter.py")
        said = editor.page.locator(".notification-list-item-message", has_text="isrcheck lsp cannot be run").first
        expect(said).to_contain_text(f"{work}/bin/no-isrcheck lsp cannot be run (there is no such program).")
        expect(said).to_contain_text("or set isrcheck.command to where it is.")
        expect(editor.page.locator(".notification-list-item-message")).to_have_count(1)
        editor.shoot("missing")
        editor.page.close()


def check(editor: Editor, shade: str) -> None:
    """A counterexample is drawn beside the text, and the lens over its property has its length."""
    editor.lens("check").click()
    page = editor.panel("Counterexample")
    expect(page.locator("h1")).to_have_text("check Counter: violated")
    drawing = page.get_by_alt_text("seldom_reset is violated in 6 steps")
    assert drawing.evaluate("image => image.decode().then(() => image.naturalWidth)") > 300
    editor.lens("violated in 6 steps").wait_for()
    editor.shoot(f"counterexample-{shade}")


def explore(editor: Editor, shade: str) -> None:
    """One walks in the panel, by its own script."""
    editor.lens("explore").click()
    page = editor.panel("Explore Counter")
    expect(page.locator("#where")).to_contain_text("0 steps")
    page.locator("button", has_text="grow").first.click()
    expect(page.locator("#where")).to_contain_text("1 of 1 step")
    expect(page.locator("#copy")).to_be_hidden()
    expect(page.locator("#notice")).to_be_hidden()
    assert not page.locator("body").evaluate("body => body.scrollWidth > innerWidth")
    editor.shoot(f"explorer-{shade}")


def lens_of_a_property(editor: Editor) -> None:
    """It brings the drawing back, after its panel was closed, and the palette does."""
    ways: list[Callable[[], None]] = [
        lambda: editor.lens("violated in 6 steps").click(),
        lambda: editor.command("Show the Latest"),
    ]
    for bring in ways:
        editor.page.locator(".tab", has_text="Counterexample").first.click(button="middle")
        expect(editor.page.locator(".tab", has_text="Counterexample")).to_have_count(0)
        bring()
        editor.panel("Counterexample").get_by_alt_text("seldom_reset is violated in 6 steps").wait_for()


def hover(editor: Editor, shade: str) -> None:
    editor.word("resets: Count = 0", "resets").hover()
    expect(editor.page.locator(".monaco-hover-content").first).to_contain_text("2 bits")
    editor.shoot(f"hover-{shade}")
    editor.page.mouse.move(5, 5)


def mistake(editor: Editor, shade: str) -> None:
    """What is wrong stands at its place while one types, before anything is saved; and goes."""
    editor.word("return self.resets < 2", "2").click()
    editor.page.keyboard.press("End")
    editor.page.keyboard.type(" + print(3)")
    editor.page.locator(".squiggly-error").first.wait_for()
    editor.page.keyboard.press("Control+Shift+M")
    expect(editor.page.locator(".markers-panel")).to_contain_text("print() is outside the modelling language.")
    editor.shoot(f"problem-{shade}")
