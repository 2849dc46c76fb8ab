"""Links into the explorer lead back to where they were copied, or say why not."""

from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browser.browser import Opener
from tests.browser.explorer import address, page, subject


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
