"""The explorer in a real browser: load, step, undo, jump, why-not, permalinks, keys; nothing asked of any network."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import expect
from tests.browser.browser import Opened, Opener
from tests.evidence.stories import kip_101, partition

from isrcheck import Model, action, constant, invariant, require
from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Path as Way
from isrcheck.evidence.explorer.contents import contents
from isrcheck.evidence.explorer.nearby import nearby
from isrcheck.evidence.explorer.page import file_page
from isrcheck.evidence.explorer.retrace import retrace
from isrcheck.evidence.explorer.server import Server
from isrcheck.evidence.explorer.subject import Subject
from isrcheck.evidence.follow import followed
from isrcheck.lang.read import read_model
from isrcheck.passes import bind


def subject(name: str, trace: Way | None = None, **constants: object) -> Subject:
    bound = bind(read_model(find_model(name)), constants)
    return Subject(bound, name, tuple(p.name for p in bound.properties), trace, "A claim." if trace else "")


@cache
def story() -> Subject:
    trace = kip_101()
    way = retrace(bind(read_model(find_model(trace.model)), trace.constants), trace, "trace.json")
    return subject(trace.model, way, **trace.constants)


@cache
def text_of(one: Subject, limit: int) -> str:
    return file_page(one, nearby(one, limit))


def page(tmp_path: Path, one: Subject, limit: int = 500) -> Path:
    file = tmp_path / "page.html"
    file.write_text(text_of(one, limit), encoding="utf-8")
    return file


def rows(seen: Opened) -> dict[str, str]:
    """The variables shown, with their values."""
    lines = seen.page.locator("#state tr").all()
    return {line.locator("th").inner_text(): line.locator("td").first.inner_text() for line in lines}


def address(seen: Opened, ending: str) -> str:
    """The address, once it ends like this."""
    seen.page.wait_for_function("end => location.hash.endsWith(end)", arg=ending)
    return str(seen.page.evaluate("location.hash"))


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


@pytest.mark.parametrize("width", [1280, 390])
def test_no_state_of_a_story_is_wider_than_the_page(opened: Opener, tmp_path: Path, width: int) -> None:
    seen = opened(page(tmp_path, story()), width=width)
    seen.page.click("#refused summary")
    seen.press("Home")
    for step in range(1, 10):
        seen.press("ArrowRight")
        seen.where(f"{step} of 9")
        assert not seen.too_wide()
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
    assert "give\ngiver != taker and coins > 0 — false is giver != taker " in told
    assert re.search(
        r"self.purse\[giver\] >= coins checker/isrcheck/toys/ledger.py:51:9\s+for giver=f0, taker=f1", told
    )
    assert "tidy\nlen(kept) < len(self.book) checker/isrcheck/toys/ledger.py:" in told
    seen.quiet()


def test_a_step_above_a_bound_and_a_violated_property_are_told(opened: Opener, tmp_path: Path) -> None:
    counter = opened(page(tmp_path, subject("toy-counter")), "#path=up()/up()/up()")
    counter.where("3 of 3")
    counter.page.click("#refused summary")
    assert "would leave the bound of count" in counter.text("#why")
    assert "below_three is violated. Promised:" in counter.text("#losses")
    assert counter.page.locator("#properties .broken b").all_inner_texts() == ["✗ below_three"]
    counter.quiet()


def test_a_step_property_is_judged_on_the_step_taken(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path, subject("toy-cashier")))
    assert "deposits_are_small about steps; none was taken" in seen.text("#properties")
    seen.page.click("#moves button >> text=who=c0, amount=2")
    seen.where("1 of 1")
    assert "deposits_are_small violated" in seen.text("#properties")
    assert "deposits_are_small is violated. Promised: Nobody brings more than one coin" in seen.text("#losses")
    seen.quiet()


def test_a_trace_is_followed_with_the_arrows_and_left(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path, story()))
    seen.where("9 of 9")
    assert seen.page.locator("#steps .violated").count() == 1
    seen.press("Home")
    seen.where("0 of 9")
    for key, position in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 9), ("Home", 0)]:
        seen.press(key)
        seen.where(f"{position} of 9")
    seen.page.locator("#slider").fill("9")
    assert seen.where("9 of 9") == "9 of 9 steps: replica becomes follower (follower=r1, leader=r0, epoch=1)"
    assert "strong_isr is violated. Promised:" in seen.text("#losses")
    assert "Record 0 of epoch 1 (offset 0), committed by r0 in step 8, is missing on r1" in seen.text("#losses")
    assert seen.page.locator("#stage .lost").count() == 1
    seen.press("1")
    seen.where("10 of 10")
    seen.page.click("#restart")
    seen.where("0 of 9")
    seen.quiet()


def test_what_can_follow_a_trace_is_walked(opened: Opener, tmp_path: Path) -> None:
    trace = partition()
    model = bind(read_model(find_model(trace.model)), trace.constants)
    way = retrace(model, trace, "trace.json")
    one = subject(trace.model, way, **trace.constants)
    seen = opened(page(tmp_path, replace(one, follows=followed(model, trace, way)[1])))
    assert seen.where("6 of 6").startswith("6 of 6 steps: leader writes")
    assert seen.page.locator("#steps .follows").count() == 2
    seen.press("ArrowRight", "ArrowRight")
    expect(seen.page.locator("#where")).to_have_text("can follow: replica becomes leader (leader=r1, epoch=2)")
    assert "is lost: r1 leads without it." in seen.text("#losses")
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
        ("#path=open(f7)", "The link takes open(f7), which is no step of this model."),
        ("#path=give(f0,f1,1)",
         "The link does not lead anywhere: The path leads out of what is in this file."),
        ("#path=%E0%A4%A/x", "The link takes %E0%A4%A, which is no step of this model."),
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


def test_states_outside_the_file_are_shown_and_closed(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path, subject("toy-ledger"), 3), "#path=open(f0)")
    seen.where("1 of 1")
    assert "The 3 states nearest to the first one are in this file; the model has more." in seen.text("header")
    closed = seen.page.locator("#moves button:disabled")
    assert closed.count() == 3  # two gifts and the tax
    assert closed.first.get_attribute("title") == "not in this file: use --serve or a larger --max-states"
    assert seen.page.is_visible("#outside")
    seen.press("1", "2", "9")
    seen.where("1 of 1")
    seen.quiet()


def test_the_keys_count_only_what_can_be_taken(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path, subject("toy-ledger"), 5), "#path=open(f1)")
    seen.where("1 of 1")
    assert seen.page.locator("#moves button:disabled").count() == 3
    first = opened(page(tmp_path, subject("toy-ledger"), 5), "#path=open(f0)")
    first.where("1 of 1")
    assert first.page.locator("#moves kbd").all_inner_texts() == ["1", "2"]
    assert first.page.locator("#moves button:disabled kbd").count() == 0
    first.press("2")
    assert first.where("2 of 2") == "2 of 2 steps: give (giver=f0, taker=f1, coins=2)"
    first.quiet()


def test_variables_are_hidden_and_stay_hidden(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path, subject("toy-ledger")))
    seen.page.click("[aria-label='hide book']")
    seen.press("1")
    seen.where("1 of 1")
    assert list(rows(seen)) == ["purse", "fund", "opened"]
    seen.page.click("#show")
    assert list(rows(seen)) == ["purse", "book", "fund", "opened"]
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
    one = Subject(bind(read_model(Hostile), {}), HOSTILE, ("副本",), (), claim)
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


class Faulty(Model):
    """Divides by nothing."""

    zero: int = constant(0, "nothing")
    on: bool = False

    @action
    def divide(self) -> None:
        """It has no answer."""
        require(1 % self.zero == 0)

    @action
    def switch(self) -> None:
        """It can be taken all the same."""
        require(not self.on)
        self.on = True

    @invariant
    def answered(self) -> bool:
        """It has an answer while it is off."""
        return not self.on or 1 % self.zero == 0


def test_an_error_in_the_model_is_a_sentence_in_the_page(opened: Opener, tmp_path: Path) -> None:
    one = Subject(bind(read_model(Faulty), {}), "faulty", ("answered",))
    with served(one) as server:
        for where in (page(tmp_path, one), server.address):
            seen = opened(where)
            sentence = seen.text("#why .error")
            assert "tests/browser/test_explorer.py:" in sentence
            assert "divide() raised ZeroDivisionError" in sentence
            seen.press("1")
            seen.where("1 of 1")
            assert "answered raised ZeroDivisionError" in seen.text("#properties .broken")
            seen.quiet(where if isinstance(where, str) else "file://")


def test_a_trace_of_ten_thousand_steps_is_followed(opened: Opener, tmp_path: Path) -> None:
    one = subject("toy-clock", (0,) * 9_999)
    seen = opened(page(tmp_path, one))
    seen.press("End")
    seen.where("9999 of 9999")
    seen.press("ArrowLeft")
    seen.where("9998 of 9999")
    seen.press("Home", "ArrowRight")
    seen.where("1 of 9999")
    seen.quiet()


def test_losses_by_another_way_are_said_to_be_those_of_the_shortest(opened: Opener, tmp_path: Path) -> None:
    one = story()
    found = nearby(one, 500)

    def way(state: int) -> list[int]:
        before = found.ways[state]
        return [*way(before[0]), before[1]] if before else []

    data = contents(one, found)["states"]
    losing = {state: move[0] for state, entry in enumerate(data) for move in entry["moves"] if move[3]}
    detours = (
        [*way(state), move[0], losing[move[1]]]
        for state, entry in enumerate(data)
        for move in entry["moves"]
        if move[1] in losing and found.ways[move[1]] != (state, move[0])
    )
    path = [one.head()["instances"][i] for i in next(detours)]
    names = one.stepper.actions
    link = f"#path={'/'.join(f'{names[action]}({written})' for action, _, written in path)}"
    seen = opened(page(tmp_path, one), link)
    seen.where(f"{len(path)} of {len(path)}")
    assert seen.page.is_visible("#inexact")
    straight = opened(page(tmp_path, one))
    straight.press("End")
    straight.where("9 of 9")
    assert straight.page.is_hidden("#inexact")
    straight.quiet()


# Served


@contextmanager
def served(one: Subject) -> Iterator[Server]:
    with Server(one, 0) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.02])
        thread.start()
        yield server
        server.shutdown()
        thread.join()


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
