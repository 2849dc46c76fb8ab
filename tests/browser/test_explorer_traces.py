"""Traces in the explorer: followed, left, continued, and what is lost on the way."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import expect
from tests.browser.browser import Opener, page, story, subject
from tests.evidence.stories import partition
from tests.liveness import small

from isrcheck.api import check
from isrcheck.catalogue import find_model
from isrcheck.cli import commands
from isrcheck.evidence.explorer.page import contents, nearby
from isrcheck.evidence.follow import add_steps_that_follow
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.run.replay import path_to_verdict


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


def test_a_trace_is_followed_with_the_arrows_and_left(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path, story()))
    seen.where("9 of 9")
    assert seen.page.locator("#steps .violated").count() == 1
    assert "elects r0 from the ISR" in seen.page.locator("#steps li").nth(1).inner_text()
    assert seen.text("#sentence").startswith("r1 learns that it follows r0 in epoch 1")
    seen.press("Home")
    seen.where("0 of 9")
    assert "elects r0 from the ISR" in seen.text("#moves")
    for key, position in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 9), ("Home", 0)]:
        seen.press(key)
        seen.where(f"{position} of 9")
    seen.page.locator("#slider").fill("9")
    assert seen.where("9 of 9") == "9 of 9 steps: replica becomes follower (follower=r1, leader=r0, epoch=1)"
    assert "strong_isr is violated. Property:" in seen.text("#losses")
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
    way = path_to_verdict(model, trace, "trace.json")
    one = subject(trace.model, way, **trace.constants)
    seen = opened(page(tmp_path, replace(one, follows=add_steps_that_follow(model, trace, way)[1])))
    assert seen.where("6 of 6").startswith("6 of 6 steps: leader writes")
    assert seen.page.locator("#steps .follows").count() == 2
    seen.press("ArrowRight", "ArrowRight")
    expect(seen.page.locator("#where")).to_have_text("can follow: replica becomes leader (leader=r1, epoch=2)")
    assert "is lost: r1 leads without it; r0 still has it." in seen.text("#losses")
    seen.quiet()


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


def test_the_cycle_of_a_behaviour_without_end_is_bracketed(opened: Opener, tmp_path: Path) -> None:
    trace = check(small.Lock).property("waiting_ends").trace
    assert trace is not None
    file, page_file = tmp_path / "trace.json", tmp_path / "page.html"
    file.write_text(replace(trace, model=f"{small.__file__}:Lock").to_json(), encoding="utf-8")
    CliRunner().invoke(commands, ["explore", str(file), "-o", str(page_file)], catch_exceptions=False)
    seen = opened(page_file)
    seen.where("4 of 4")
    listed = seen.page.locator("#steps li").all_inner_texts()
    assert [" ".join(text.split()) for text in listed] == [
        "0 initial state",
        "1 ask (p=p0)",
        "2 ┌ ask (p=p1): for ever: 3 steps",
        "3 │ enter (p=p1)",
        "4 ✗ └ leave (p=p1)",
    ]
    seen.quiet()
