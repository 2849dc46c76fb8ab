"""The explorer served live, and models whose names or steps are faulty."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browser.browser import Opener
from tests.browser.explorer import address, page, rows, served, subject
from tests.evidence.explorer.test_why import Faulty

from isrcheck import Model, action, invariant, require
from isrcheck.evidence.explorer.explored_model import ExploredModel
from isrcheck.lang.read import read_model
from isrcheck.passes import bind

HOSTILE = '<img src=x onerror="alert(1)">'


class Hostile(Model):
    """A model whose words are attacks."""

    größe: bool = False

    @action
    def допиши(self) -> None:
        """</script><script>alert("1")</script> -- <img src=x onerror=alert(1)>"""
        require(not self.größe)
        self.größe = False

    @invariant
    def 副本(self) -> bool:  # noqa: N802  # a name from another script is what is tried
        """<b onclick="alert(1)">bold</b> -- & &lt;"""
        return True


def test_names_are_shown_and_never_run(opened: Opener, tmp_path: Path) -> None:
    claim = f"</script><script>alert(1)</script>{HOSTILE}"
    one = ExploredModel(bind(read_model(Hostile), {}), HOSTILE, ("副本",), (), claim)
    seen = opened(page(tmp_path, one))
    assert seen.text("h1") == HOSTILE
    assert claim in seen.text("header")
    seen.press("1")
    seen.where("1 of 1")
    assert seen.text("#sentence") == '</script><script>alert("1")</script> -- <img src=x onerror=alert(1)>'
    assert '<b onclick="alert(1)">bold</b> -- & &lt;' in seen.text("#properties")
    assert list(rows(seen)) == ["größe"]
    assert seen.page.locator("img, b[onclick], script:not([id])").count() == 1  # the page's own script
    assert address(seen, "()").startswith("#model=%3Cimg%20src%3Dx%20onerror%3D%22alert(1)%22%3E&")
    seen.quiet()


class Asked(Faulty):
    """Asks a property that divides by nothing as well."""

    @invariant
    def answered(self) -> bool:
        """It has an answer while it is off."""
        return not self.on or 1 % self.zero == 0


def test_an_error_in_the_model_is_a_sentence_in_the_page(opened: Opener, tmp_path: Path) -> None:
    one = ExploredModel(bind(read_model(Asked), {}), "faulty", ("answered",))
    with served(one) as server:
        for where in (page(tmp_path, one), server.address):
            seen = opened(where)
            sentence = seen.text("#why .error")
            assert "tests/evidence/explorer/test_why.py:" in sentence
            assert "divide() raised ZeroDivisionError" in sentence
            seen.press("1")
            seen.where("1 of 1")
            assert "answered raised ZeroDivisionError" in seen.text("#properties .broken")
            seen.quiet(where if isinstance(where, str) else "file://")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_live_model_is_walked(opened: Opener, width: int) -> None:
    with served(subject("kip-320")) as server:
        seen = opened(server.address, width=width)
        seen.where("0")
        for step in range(1, 5):
            seen.press("1")
            seen.where(f"{step} of {step}")
        seen.page.click("#undo")
        seen.where("3 of 3")
        seen.page.click("#refused summary")
        assert re.search(r"model/isrmodel/published/\w+\.py:\d+:\d+", seen.text("#why"))
        assert not seen.too_wide()
        seen.quiet(server.address)


def test_a_live_link_and_a_bad_one(opened: Opener) -> None:
    with served(subject("toy-ledger")) as server:
        seen = opened(server.address, "#path=open(f0)/give(f0,f1,2)")
        seen.where("2 of 2")
        seen.quiet(server.address)
        bad = opened(server.address, "#path=give(f0,f1,1)")
        expect(bad.page.locator("#notice")).to_have_text(
            "The link does not lead anywhere: step 1, give(giver=f0, taker=f1, coins=1), cannot happen there."
        )
        bad.where("0")
        assert bad.errors == []


def test_a_server_that_has_gone_is_told(opened: Opener) -> None:
    with served(subject("toy-ledger")) as server:
        seen = opened(server.address)
    seen.press("1")
    expect(seen.page.locator("#notice")).to_have_text(
        "The server does not answer: is isrcheck explore --serve still running?"
    )
    seen.where("0")
    assert seen.errors == []


def test_a_link_leads_back_and_holds_model_constants_and_path(opened: Opener, tmp_path: Path) -> None:
    file = page(tmp_path, subject("toy-ledger"))
    seen = opened(file)
    seen.press("1", "2")
    seen.where("2 of 2")
    link = address(seen, "/give(f0,f1,2)")
    assert link == "#model=toy-ledger&friends=2&coins=2&lines=2&path=open(f0)/give(f0,f1,2)"
    again = opened(file, link)
    assert again.where("2 of 2") == "2 of 2 steps: give (giver=f0, taker=f1, coins=2)"
    assert again.page.is_hidden("#notice")
    again.page.evaluate("location.hash = '#path=open(f1)'")
    again.where("1 of 1")
    again.quiet()


@pytest.mark.parametrize(
    ("fragment", "sentence"),
    [
        ("#model=kip-101", "The link is for model=kip-101, and this page for model=toy-ledger."),
        ("#model=toy-ledger&coins=3", "The link is for coins=3, and this page for coins=2."),
        ("#cups=3", "The link names cups, which this model does not have."),
        ("#path=open(f7)", "The link takes open(f7), which is not a step of this model."),
        ("#path=give(f0,f1,1)",
         "The link does not lead anywhere: The path leads out of what is in this file."),
        ("#path=%E0%A4%A/x", "The link takes %E0%A4%A, which is not a step of this model."),
        ("#model=%3Cimg%20src=x%20onerror=alert(1)%3E",
         "The link is for model=<img src=x onerror=alert(1)>, and this page for model=toy-ledger."),
        ("#__proto__=1", "The link names __proto__, which this model does not have."),
    ],
)  # fmt: skip
def test_a_link_that_leads_nowhere_is_one_sentence(
    opened: Opener, tmp_path: Path, fragment: str, sentence: str
) -> None:
    seen = opened(page(tmp_path, subject("toy-ledger")), fragment)
    expect(seen.page.locator("#notice")).to_have_text(sentence)
    assert seen.where("0") == "0 steps: initial state"
    assert seen.page.locator("img").count() == 0
    seen.press("1")
    seen.where("1 of 1")
    assert seen.page.is_hidden("#notice")
    seen.quiet()
