"""The widget steps through a trace by the script that the page of a trace has, whatever the notebook looks like."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from tests.browser.browser import one_browser
from tests.evidence.stories import kip_101, made_up

from isrcheck import widgets
from isrcheck.errors import UsageError
from isrcheck.evidence.forms.page import STEPS_SCRIPT

STATE = ("step", "_trace", "_heading", "_page", "_style")
# What anywidget does with the module of a widget, and a front end with its model.
NOTEBOOK = """<!doctype html><meta charset="utf-8"><body style="@THEME@">
<p class="name">name</p><div id="one"></div><div id="two"></div>
<script type="module">
import widget from "data:text/javascript;base64,@SCRIPT@";
const state = @STATE@;
const hear = [];
const model = {
  get: (name) => state[name],
  set: (name, value) => { state[name] = value; },
  save_changes: () => { window.saved = state.step; },
  on: (name, call) => hear.push(call), off: (name, call) => hear.splice(hear.indexOf(call), 1),
};
window.put = (step) => { state.step = step; hear.forEach((call) => call()); };
window.heard = () => hear.length;
window.ends = ["one", "two"].map((id) => widget.render({ model, el: document.getElementById(id) }));
window.ready = true;
</script>"""
DARK, LIGHT = "background:#111;color:#ddd", "background:#fff;color:#222"


def test_it_begins_at_the_violation_and_its_step_can_be_set() -> None:
    shown = widgets.steps(kip_101())
    assert shown.step == 9
    assert repr(shown).startswith("<TraceSteps 9 of 9: Trace truncate-to-high-watermark replicas=2 ")
    shown.step = 3
    with pytest.raises(UsageError, match=r"^there is no step 10: this trace has the steps 0 to 9\.$"):
        shown.step = 10
    with pytest.raises(UsageError, match=r"^there is no step -1: "):
        shown.step = -1
    assert shown.step == 3


def test_it_steps_through_a_saved_file(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_text(kip_101().to_json(), encoding="utf-8")
    assert widgets.steps(file).trace == widgets.steps(str(file)).trace == kip_101()


def test_what_is_no_trace_is_a_sentence() -> None:
    with pytest.raises(UsageError, match=r"^a NoneType is not a trace: give outcome\.property\(NAME\)\.trace"):
        widgets.steps(None)  # type: ignore[arg-type]  # what is refused first
    with pytest.raises(UsageError, match=r"nothing\.json cannot be read"):
        widgets.steps("nothing.json")


def test_pages_that_run_no_widgets_show_the_drawing() -> None:
    trace = kip_101()
    bundle = widgets.steps(trace)._repr_mimebundle_()
    assert bundle is not None
    assert set(bundle[0]) == {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"}
    assert bundle[0]["text/html"] == trace._repr_html_()


def test_it_is_the_script_of_the_page() -> None:
    assert STEPS_SCRIPT.read_text(encoding="utf-8") in widgets.TraceSteps._esm


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with one_browser() as found:
        yield found


def opened(browser: Browser, folder: Path, theme: str = LIGHT, width: int = 1000) -> Page:
    """A page with the widget twice, with one model, as a notebook with two views of an output has it."""
    from base64 import b64encode

    shown = widgets.steps(kip_101())
    state = json.dumps({name: getattr(shown, name) for name in STATE}).replace("<", "\\u003c")
    script = b64encode(shown._esm.encode()).decode()
    file = folder / "notebook.html"
    text = NOTEBOOK.replace("@THEME@", theme).replace("@SCRIPT@", script).replace("@STATE@", state)
    file.write_text(text, encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(file.as_uri())
    page.wait_for_function("window.ready")
    assert errors == []
    return page


def where(page: Page, view: str = "one") -> str:
    return page.inner_text(f"#{view} #where")


def test_buttons_slider_and_keys_take_steps(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path)
    assert where(page).startswith("9 of 9 steps: ")
    page.click("#one #back")
    assert (where(page)[:6], page.evaluate("window.saved")) == ("8 of 9", 8)
    page.focus("#one #slider")
    for key, step in [("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 9), ("u", 1)]:
        page.keyboard.press(key)
        assert where(page).startswith(f"{step} of 9 steps")
    page.click("#one #steps li:nth-child(4) button")
    assert where(page).startswith("3 of 9 steps: ")
    assert "hw" in page.inner_text("#one #state")
    assert page.locator("#one #stage svg").count() == 1


@pytest.mark.slow
def test_keys_are_heard_when_a_button_can_do_no_more(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path)
    page.click("#one #back")
    page.click("#one #next")  # which is disabled now, and would lose the focus
    page.keyboard.press("ArrowLeft")
    assert where(page).startswith("8 of 9 steps")


@pytest.mark.slow
def test_views_and_python_follow_each_other(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path)
    page.evaluate("put(4)")
    assert where(page)[:6] == where(page, "two")[:6] == "4 of 9"
    assert page.evaluate("heard()") == 2
    page.evaluate("ends.forEach((end) => end())")
    assert page.evaluate("heard()") == 0


@pytest.mark.parametrize(("theme", "paper"), [(LIGHT, "rgb(255, 255, 255)"), (DARK, "rgb(13, 17, 23)")])
def test_it_is_dark_where_the_notebook_is(browser: Browser, tmp_path: Path, theme: str, paper: str) -> None:
    """Whatever the system prefers: a notebook has a theme of its own."""
    page = opened(browser, tmp_path, theme)
    colour = "getComputedStyle(document.getElementById('one').firstChild).backgroundColor"
    assert page.evaluate(colour) == paper
    page.evaluate(f"document.body.style.cssText = '{DARK if theme == LIGHT else LIGHT}'")
    page.wait_for_function(f"{colour} !== '{paper}'")


@pytest.mark.slow
def test_its_style_stays_within_and_it_fits_a_narrow_page(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, width=390)
    assert page.evaluate("getComputedStyle(document.querySelector('p.name')).fontWeight") == "400"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_hostile_names_are_text(tmp_path: Path) -> None:
    hostile = "</script><img src=x onerror=alert(1)>"
    shown = widgets.steps(made_up([{hostile: hostile}, {hostile: hostile}], model=hostile))
    data = json.loads(shown._trace)
    pictures = ["<" + "<".join(data["texts"][n] for n in step["picture"]) for step in data["steps"]]
    assert all("<img" not in picture for picture in pictures)  # only these are put in as markup
