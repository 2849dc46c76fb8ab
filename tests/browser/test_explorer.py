"""The explorer in a real browser: load, step, undo, jump, why-not, keys; nothing asked of any network."""

import re
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import expect
from tests.browser.browser import Opener, address, page, rows, subject
from tests.evidence.explorer.test_why import Faulty

from isrcheck import Model, action, invariant, require
from isrcheck.evidence.explorer.explored_model import ExploredModel
from isrcheck.lang.read import read_model
from isrcheck.passes import bind


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_loads_at_the_initial_state(
    opened: Opener, tmp_path: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    file = page(tmp_path, subject("toy-ledger"))
    seen = opened(file, width=width, scheme=scheme)
    assert seen.where("0") == "0 steps: initial state"
    assert rows(seen) == {"purse": "{f0: 0, f1: 0}", "book": "[]", "fund": "0", "opened": "False"}
    assert "All 56 states are in this file." in seen.text("header")
    assert seen.page.locator("#stage svg").count() == 1
    assert not seen.too_wide()
    paper = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(13, 17, 23)")
    assert seen.asked[0] == file.as_uri()
    assert [url for url in seen.asked[1:] if not url.startswith("data:")] == []
    seen.quiet()


def test_actions_are_taken_undone_and_jumped_over(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path, subject("toy-ledger")))
    seen.page.click("#moves button >> text=rich=f1")
    assert seen.where("1 of 1") == "1 of 1 step: open (rich=f1)"
    assert seen.text("#sentence") == "Somebody brings all the coins that there will ever be."
    assert rows(seen)["purse"] == "{f0: 0, f1: 0} → {f0: 0, f1: 2}"
    assert seen.page.locator("#state tr.new").count() == 2
    seen.page.click("#moves button >> text=give (giver=f1, taker=f0, coins=2)")
    seen.where("2 of 2")
    seen.page.click("#steps li:nth-child(1) button")
    seen.where("0 of 2")
    seen.page.click("#undo")
    seen.where("2 of 2")
    seen.page.click("#undo")
    seen.where("1 of 1")
    seen.page.click("#undo")
    seen.where("0")
    assert seen.page.is_disabled("#undo")
    seen.quiet()


def test_another_action_leaves_the_path_and_the_same_one_keeps_it(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path, subject("toy-ledger")))
    seen.press("1")
    seen.where("1 of 1")
    seen.press("2")
    seen.where("2 of 2")
    seen.press("Home")
    seen.where("0 of 2")
    assert seen.page.locator("#moves button", has_text="the path goes on here").count() == 1
    seen.press("1")
    seen.where("1 of 2")
    seen.press("1")
    seen.where("2 of 2")
    seen.press("Home")
    seen.where("0 of 2")
    seen.press("2")
    assert seen.where("1 of 1") == "1 of 1 step: open (rich=f1)"
    seen.press("r")
    seen.where("0")
    seen.quiet()


def test_what_cannot_happen_says_which_guard_said_no(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path, subject("toy-ledger")))
    assert seen.page.locator("#refused").get_attribute("open") is None
    assert seen.text("#refused summary") == "Why not the other 15?"
    seen.page.click("#refused summary")
    told = seen.text("#why")
    assert "give\ngiver != taker and coins > 0 — false is giver != taker: giver = f0, taker = f0 " in told
    place = r"model/isrtoys/ledger.py:45:9\s+for giver=f0, taker=f1"
    assert re.search(rf"self.purse\[giver\] >= coins: self.purse\[giver\] = \d, coins = \d {place}", told)
    assert "tidy\nlen(kept) < len(self.book): len(kept) = 0, len(self.book) = 0 model/isrtoys/ledger.py:" in told
    seen.quiet()


def test_a_step_above_a_bound_and_a_violated_property_are_told(opened: Opener, tmp_path: Path) -> None:
    counter = opened(page(tmp_path, subject("toy-counter")), "#path=up()/up()/up()")
    counter.where("3 of 3")
    counter.page.click("#refused summary")
    assert "would leave the bound of count" in counter.text("#why")
    assert "below_three is violated. Property:" in counter.text("#losses")
    assert counter.page.locator("#properties .broken b").all_inner_texts() == ["✗ below_three"]
    counter.quiet()


def test_a_step_property_is_judged_on_the_step_taken(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path, subject("toy-cashier")))
    assert "deposits_are_small about steps; none was taken" in seen.text("#properties")
    seen.page.click("#moves button >> text=who=c0, amount=2")
    seen.where("1 of 1")
    assert "deposits_are_small violated" in seen.text("#properties")
    assert "deposits_are_small is violated. Property: Nobody brings more than one coin" in seen.text("#losses")
    seen.quiet()


def test_states_outside_the_file_are_shown_and_closed(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path, subject("toy-ledger"), 3), "#path=open(f0)")
    seen.where("1 of 1")
    assert "The 3 states nearest to the first one are in this file; the model has more." in seen.text("header")
    closed = seen.page.locator("#moves button:disabled")
    assert closed.count() == 3  # two gifts and the tax
    assert closed.first.get_attribute("title") == "not in this file: use a larger --max-states"
    assert seen.page.is_visible("#outside")
    seen.press("1", "2", "9")
    seen.where("1 of 1")
    seen.quiet()


def test_the_keys_count_only_what_can_be_taken(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path, subject("toy-ledger"), 5), "#path=open(f0)")
    seen.where("1 of 1")
    assert seen.page.locator("#moves kbd").all_inner_texts() == ["1", "2"]
    assert seen.page.locator("#moves button:disabled kbd").count() == 0
    seen.press("2")
    assert seen.where("2 of 2") == "2 of 2 steps: give (giver=f0, taker=f1, coins=2)"
    seen.quiet()


def test_it_can_be_walked_without_a_mouse_and_without_seeing_it(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path, subject("toy-ledger")))
    seen.press("?")
    assert seen.page.is_visible("#keys")
    assert seen.page.get_attribute("#help", "aria-expanded") == "true"
    seen.press("?")
    assert seen.page.is_hidden("#keys")
    seen.page.focus("#moves button")
    seen.press("Enter")
    seen.where("1 of 1")
    assert seen.page.evaluate("document.activeElement.closest('#moves') !== null")
    seen.press("u")
    seen.where("0")
    assert seen.page.get_attribute("#where", "aria-live") == "polite"
    nameless = """[...document.querySelectorAll('button, input')].filter(
        (one) => !(one.textContent.trim() || one.getAttribute('aria-label'))).length"""
    assert seen.page.evaluate(nameless) == 0
    seen.quiet()


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
    seen = opened(page(tmp_path, one))
    sentence = seen.text("#why .error")
    assert "tests/evidence/explorer/test_why.py:" in sentence
    assert "divide() raised ZeroDivisionError" in sentence
    seen.press("1")
    seen.where("1 of 1")
    assert "answered raised ZeroDivisionError" in seen.text("#properties .broken")
    seen.quiet()


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
