"""What is kept of a lowered model: believed as long as nothing that decides it has changed, and never otherwise."""

import inspect
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import llvmlite
import pytest
from tests.slow import quick_sample

import isrcheck
from isrcheck import passes
from isrcheck.catalogue import find_model, models_by_name
from isrcheck.engines.common import symmetry
from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.native import engine, lowered
from isrcheck.errors import UsageError
from isrcheck.ir.frozen import replace
from isrcheck.lang.declare import REQUIRED
from isrcheck.lang.read import read_model, refuse_changed
from isrcheck.packages import stamps
from isrcheck.passes import bind
from isrcheck.user_cache import CacheFolder

FILE = '''
from enum import Enum
from typing import NamedTuple
from isrcheck import Model, Sort, action, constant, each, invariant, members, reachable, require, step
{imports}

class Guest(Sort, size="guests", symmetric=True):
    """Somebody."""


class Hat(Enum):
    RED = "red"
    BLUE = "blue"


class Host(NamedTuple):
    name: Guest | None
    hats: frozenset[Hat]


class Party(Model):
    """Guests come and go, with a hat or without."""

    guests: int = constant(3, "people", at_least=1)

    inside: frozenset[Guest] = members(Guest)
    hat: dict[Guest, Hat | None] = each(Guest, None)
    host: Host = Host(None, frozenset())

    @action
    def receive(self, guest: Guest, hat: Hat) -> None:
        require(guest in self.inside and self.host.name is None)
        self.host = Host(guest, frozenset({{hat}}))

    @action
    def leave(self, guest: Guest) -> None:
        require(guest in self.inside)
        require({guard})
        self.inside -= {{guest}}

    @action
    def dress(self, guest: Guest, hat: Hat | None) -> None:
        self.hat[guest] = hat

    @invariant
    def somebody_stays(self) -> bool:
        return len(self.inside) > 1

    @step
    def hats_stay_inside(self, before: "Party") -> bool:
        return all(self.hat[g] == before.hat[g] or g in self.inside for g in Guest)

    @reachable
    def all_in_red(self) -> bool:
        return all(self.hat[g] == Hat.RED for g in Guest)
'''


ORIGIN = inspect.unwrap(lowered._origin)  # which remembers nothing


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(engine, "WORTH_KEEPING", 0.0)
    monkeypatch.setattr(lowered, "_origin", lambda _: b"made here\n")
    return tmp_path / "cache"


@pytest.fixture
def lowerings(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    made: list[object] = []
    original = passes.lower

    def counting(model: Any, asked: Any) -> Any:
        made.append(model)
        return original(model, asked)

    monkeypatch.setattr(engine, "lower", counting)
    return made


def run(name: str, asked: tuple[str, ...] | None = None, constants: Any = None, **options: Any) -> Searched:
    bound = bind(read_model(find_model(name)), constants or {})
    properties = tuple(each.name for each in bound.properties) if asked is None else asked
    return replace(engine.search(bound, Request(properties=properties, **options)), seconds=0.0)


def kept(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.lowered"))


@pytest.mark.parametrize("options", [{}, {"deadlock": True}])
@pytest.mark.parametrize(
    "name",
    ["toy-seats", "toy-counter", "toy-crossing-careless", "truncate-to-high-watermark", "kip-320-unfenced-fetch"],
)
def test_the_answer_is_the_same(name: str, options: Any, lowerings: list[object]) -> None:
    cold = run(name, **options)
    assert run(name, **options) == cold
    assert len(lowerings) == 1


@pytest.mark.parametrize("name", ["toy-seats", "kip-320-unfenced-fetch"])
def test_the_answer_is_the_same_with_symmetry(name: str, lowerings: list[object]) -> None:
    cold = run(name, symmetry=True)
    assert run(name, symmetry=True) == cold
    assert len(lowerings) == 1


def test_steps_are_judged_in_a_trace_as_before(tmp_path: Path, lowerings: list[object]) -> None:
    (tmp_path / "party.py").write_text(FILE.format(imports="", guard="True"))
    cold = run(f"{tmp_path}/party.py:Party")
    assert set(cold.paths) == {"somebody_stays", "hats_stay_inside", "all_in_red"}
    assert run(f"{tmp_path}/party.py:Party") == cold
    assert len(lowerings) == 1


def test_a_search_with_other_constants_is_lowered_again(lowerings: list[object]) -> None:
    few, many = (run("toy-seats", constants={"guests": n}) for n in (2, 3))
    assert few.distinct < many.distinct
    assert [run("toy-seats", constants={"guests": n}) for n in (2, 3)] == [few, many]
    assert len(lowerings) == 2


@pytest.mark.parametrize("name", quick_sample(models_by_name(), 8))
def test_to_name_what_is_kept_changes_nothing_of_a_model(name: str) -> None:
    """Pickle leaves names in classes, after which a model would be refused as changed."""
    ir = read_model(find_model(name))
    if all(constant.default is not REQUIRED for constant in ir.constants):
        assert lowered.KeptLowering(bind(ir, {}), Request())._name
        refuse_changed(ir.cls)


@pytest.mark.parametrize("other", [{"asked": ()}, {"symmetry": True}, {"deadlock": True}])
def test_a_search_for_something_else_is_lowered_again(other: Any, lowerings: list[object], folder: Path) -> None:
    run("toy-seats")
    run("toy-seats", **other)
    assert len(lowerings) == len(kept(folder)) == 2


SCRIPT = """
import sys
import isrcheck
from isrcheck import check
from isrcheck.engines.native import engine, lowered
engine.WORTH_KEEPING, isrcheck.IMPORTED_NS = 0.0, 1 << 62
if sys.argv[2:]:
    engine.lower = None
found = check(sys.argv[1], symmetry=True)
print(found.digest, found.levels, [(p.verdict, p.trace and p.trace.length) for p in found.properties])
"""


def apart(file: Path, *warm: str, cache: str = "cache") -> str:
    """In a process of its own, whose hashes are others; with a word more it must not lower."""
    environment = {**os.environ, "ISRCHECK_CACHE_DIR": str(file.parent / cache)}
    environment.pop("PYTHONHASHSEED", None)
    command = [sys.executable, "-c", SCRIPT, f"{file}:Party", *warm]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_another_process_believes_it_until_the_file_is_edited(tmp_path: Path, folder: Path) -> None:
    file = tmp_path / "party.py"
    file.write_text(FILE.format(imports="", guard="True"))
    first = apart(file)
    assert apart(file, "warm") == first
    assert len(kept(folder)) == 1
    file.write_text(FILE.format(imports="", guard="len(self.inside) > 2"))
    edited = apart(file)
    assert edited != first
    assert edited == apart(file, cache="fresh")


ELSEWHERE = """
from enum import Enum
from isrcheck import Sort

class Guest(Sort, size="guests", symmetric=True):
    pass

class Hat(Enum):
    RED = "red"
    BLUE = "blue"
"""


@pytest.mark.parametrize("name", ["Hat", "Guest", "Party"])
def test_a_model_with_text_elsewhere_is_never_kept(
    name: str, tmp_path: Path, folder: Path, lowerings: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = FILE.format(imports="", guard="True")
    (tmp_path / "elsewhere.py").write_text(text if name == "Party" else ELSEWHERE)
    if name == "Party":
        text = "import elsewhere\n\n\nclass Party(elsewhere.Party):\n    pass\n"
    else:
        text = text.replace(f"class {name}(", "class Unused(")
        text = (
            text.replace("\nclass Guest(", f"from elsewhere import {name}\n\n\nclass Guest(", 1)
            if name == "Hat"
            else text.replace("\nclass Unused(", f"from elsewhere import {name}\n\n\nclass Unused(", 1)
        )
    (tmp_path / "party.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("elsewhere", None)
    for _ in range(2):
        run(f"{tmp_path}/party.py:Party")
    assert (len(lowerings), kept(folder)) == (2, [])


def test_a_model_with_a_helper_in_another_file_is_never_kept(
    tmp_path: Path, folder: Path, lowerings: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a package of the user's own may have one."""
    package = tmp_path / "house_of_guests"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "numbers.py").write_text("def is_many(number: int) -> bool:\n    return number > 1\n")
    text = FILE.format(imports="from house_of_guests.numbers import is_many", guard="is_many(len(self.inside))")
    (package / "party.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    cls = import_module("house_of_guests.party").Party
    for _ in range(2):
        engine.search(bind(read_model(cls), {}), Request())
    assert (len(lowerings), kept(folder)) == (2, [])


@pytest.mark.parametrize("what", ["texts", "llvmlite", "time"])
def test_another_isrcheck_believes_nothing(what: str, lowerings: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowered, "_origin", ORIGIN)
    monkeypatch.setattr(isrcheck, "IMPORTED_NS", 1 << 62)
    for _ in range(2):
        run("toy-seats")
    assert len(lowerings) == 1
    if what == "texts":
        first, *others = stamps(frozenset({"isrcheck"}))
        assert any(each.file.endswith("warp.ll") for each in others)
        changed = first._replace(changed_ns=first.changed_ns + 1)
        monkeypatch.setattr(lowered, "stamps", lambda _: [changed, *others])
    if what == "llvmlite":
        monkeypatch.setattr(llvmlite, "__version__", "9" * len(llvmlite.__version__))
    if what == "time":
        monkeypatch.setattr(isrcheck, "IMPORTED_NS", 0)
    run("toy-seats")
    assert len(lowerings) == 2


def test_nothing_is_kept_by_texts_that_changed_after_they_were_imported(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lowered, "_origin", ORIGIN)
    monkeypatch.setattr(isrcheck, "IMPORTED_NS", 0)
    run("toy-seats")
    assert kept(folder) == []


def test_what_is_refused_for_its_symmetry_is_refused_each_time(
    folder: Path, lowerings: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise UsageError("--symmetry: some action tells members 0 and 1 of Guest apart.")

    with monkeypatch.context() as patched:
        patched.setattr(symmetry, "check_graph", refuse)
        for _ in range(2):
            with pytest.raises(UsageError, match="some action tells members"):
                run("toy-seats", symmetry=True)
    assert (len(lowerings), kept(folder)) == (2, [])


def test_it_is_refused_too_where_an_earlier_search_lasted(
    folder: Path, lowerings: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of an earlier isrcheck, whose search lasted: the note of that is no proof of symmetry."""
    monkeypatch.setattr(lowered.KeptLowering, "earlier_search_was_long", lambda _: True)
    test_what_is_refused_for_its_symmetry_is_refused_each_time(folder, lowerings, monkeypatch)


@pytest.mark.parametrize(
    "content", [b"", b"made here\n", b"made here\nno pickle", b"made here\nN.", b"made elsewhere\n"]
)
def test_a_file_that_is_not_a_lowering_is_ignored(content: bytes, folder: Path, lowerings: list[object]) -> None:
    cold = run("toy-seats")
    (file,) = kept(folder)
    CacheFolder(folder).put(file.name, content)
    assert run("toy-seats") == cold
    assert len(lowerings) == 2


@pytest.mark.parametrize("damage", ["flipped", "cut", "empty"])
def test_a_damaged_file_is_ignored_and_written_again(damage: str, folder: Path, lowerings: list[object]) -> None:
    cold = run("toy-seats")
    (file,) = kept(folder)
    whole = file.read_bytes()
    changed = {"flipped": whole[:99] + bytes([whole[99] ^ 1]) + whole[100:], "cut": whole[:-9], "empty": b""}
    file.write_bytes(changed[damage])
    assert run("toy-seats") == cold
    assert len(lowerings) == 2
    assert run("toy-seats") == cold
    assert len(lowerings) == 2  # the file was whole; its bytes differ where the search lasted until code was optimized


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cold = run("toy-seats")
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert run("toy-seats") == cold


def test_what_is_quick_to_lower_leaves_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "WORTH_KEEPING", 1e9)
    run("toy-seats")
    assert kept(folder) == []
