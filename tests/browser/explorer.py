"""Pages of the explorer for the tests that read them in a browser."""

from functools import cache
from pathlib import Path

from tests.browser.browser import Opened
from tests.evidence.stories import kip_101

from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Path as Way
from isrcheck.evidence.explorer.explored_model import ExploredModel
from isrcheck.evidence.explorer.page import file_page, nearby
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.run.replay import path_to_verdict


def subject(name: str, trace: Way | None = None, **constants: object) -> ExploredModel:
    bound = bind(read_model(find_model(name)), constants)
    return ExploredModel(bound, name, tuple(p.name for p in bound.properties), trace, "A claim." if trace else "")


@cache
def story() -> ExploredModel:
    trace = kip_101()
    way = path_to_verdict(bind(read_model(find_model(trace.model)), trace.constants), trace, "trace.json")
    return subject(trace.model, way, **trace.constants)


@cache
def text_of(one: ExploredModel, limit: int) -> str:
    return file_page(one, nearby(one, limit))


def page(tmp_path: Path, one: ExploredModel, limit: int = 500) -> Path:
    file = tmp_path / "page.html"
    file.write_text(text_of(one, limit), encoding="utf-8")
    return file


def rows(seen: Opened) -> dict[str, str]:
    lines = seen.page.locator("#state tr").all()
    return {line.locator("th").inner_text(): line.locator("td").first.inner_text() for line in lines}


def address(seen: Opened, ending: str) -> str:
    """The address, once it ends like this."""
    seen.page.wait_for_function("end => location.hash.endsWith(end)", arg=ending)
    return str(seen.page.evaluate("location.hash"))
