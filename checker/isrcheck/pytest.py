"""The pytest plugin: a mark that checks a model, and specs of the gate as tests (docs/ci.md).

It is loaded into every pytest run, so engines, drawings and the gate are imported when first used.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from isrcheck.gate.cells import GateCell
    from isrcheck.gate.worker import Result
    from isrcheck.run.outcome import Outcome
    from isrcheck.run.trace import Trace

_MARK = (
    "isrcheck(model, expect=None, **options): check this model first; `expect` has the word for each property, such as "
    '"holds" or "violated in 9 steps", and options are those of isrcheck.check, constants among them. The fixture '
    "`outcome` is what was found."
)
_SPECS = "Collect specs/*.toml: a test for each run that they expect something of."
_KEPT = pytest.StashKey["Outcome"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("isrcheck").addoption("--isrcheck-specs", action="store_true", help=_SPECS)
    parser.addini("isrcheck_specs", _SPECS, type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARK)


@contextmanager
def _imports_tried() -> Iterator[None]:
    """A context in which a file that ends the process when imported is an error."""
    from isrcheck import catalogue
    from isrcheck.errors import ModelError
    from isrcheck.place import NOWHERE
    from isrcheck.process.own_process import how_it_would_end

    def try_it(file: Path) -> None:
        def load() -> None:
            catalogue.before_import.clear()
            catalogue.load_file(file)

        end = how_it_would_end(load)
        if end is not None:
            sentence = f"{file}: the process that imported the file {end}."
            raise ModelError(NOWHERE, sentence, "A file that is checked may not end the process: take the call out.")

    catalogue.before_import.append(try_it)
    try:
        yield
    finally:
        catalogue.before_import.remove(try_it)


@pytest.fixture
def outcome(request: pytest.FixtureRequest) -> "Outcome":
    """The outcome of checking the model of the test's `isrcheck` mark."""
    if request.node.get_closest_marker("isrcheck") is None:
        pytest.fail('the fixture outcome needs a mark: write @pytest.mark.isrcheck("MODEL") above the test.', False)
    return _outcome_of(request.node)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Holds what was found against what the mark expects, before the function itself runs."""
    mark = pyfuncitem.get_closest_marker("isrcheck")
    if mark is not None:
        wrong = list(_wrong(_outcome_of(pyfuncitem), _expectations(mark)))
        if wrong:
            pytest.fail("\n\n".join(wrong), pytrace=False)


def _outcome_of(item: pytest.Item) -> "Outcome":
    from isrcheck import check
    from isrcheck.errors import IsrcheckError

    mark = item.get_closest_marker("isrcheck")
    assert mark is not None
    if _KEPT not in item.stash:
        models = [*mark.args, *([mark.kwargs["model"]] if "model" in mark.kwargs else [])]
        if len(models) != 1:
            pytest.fail('the mark isrcheck has one model: write @pytest.mark.isrcheck("kip-320").', False)
        try:
            with _imports_tried():
                item.stash[_KEPT] = check(models[0], **_options(mark))
        except IsrcheckError as error:
            pytest.fail(f"no verdict, exit {error.exit_code}: {error}", pytrace=False)
        except TypeError as error:
            pytest.fail(f"the mark isrcheck cannot be used so: {error}.", pytrace=False)
    return item.stash[_KEPT]


def _options(mark: pytest.Mark) -> dict[str, Any]:
    """The options passed to check: only the properties that the mark expects are asked."""
    from isrcheck.gate.spec import DOES_NOT_APPLY

    options = {name: value for name, value in mark.kwargs.items() if name not in ("expect", "model")}
    expected = _expectations(mark)
    if expected:
        asked = [n for n, answer in expected.items() if n != "deadlock" and str(answer) != DOES_NOT_APPLY]
        options.setdefault("properties", asked)
        options.setdefault("deadlock", "deadlock" in expected)
    return options


def _expectations(mark: pytest.Mark) -> dict[str, Any]:
    """The answer that the mark expects, by property. Fails the test for one that does not parse."""
    from isrcheck.gate.spec import parse_answer, refusal_of_answer

    written = mark.kwargs.get("expect") or {}
    if not isinstance(written, Mapping):
        pytest.fail(f'expect is a dict, such as expect={{"strong_isr": "holds"}}, not {written!r}.', pytrace=False)
    expected = {name: parse_answer(phrase) if isinstance(phrase, str) else None for name, phrase in written.items()}
    for name, answer in expected.items():
        if answer is None:
            what = refusal_of_answer(written[name])
            pytest.fail(f"{name} is expected to be {written[name]!r}, which is {what}.", pytrace=False)
    return expected


def _wrong(outcome: "Outcome", expected: Mapping[str, Any]) -> Iterator[str]:
    """Yield the answers that are not as expected, with traces; by default every property has to hold."""
    from isrcheck.gate.spec import DOES_NOT_APPLY, UNDETERMINED, Answer, answer_of
    from isrcheck.ir.property_kinds import Verdict

    decided = {p.name: p for p in outcome.properties}
    for name, answer in (expected or dict.fromkeys(decided)).items():
        property_ = decided.get(name)
        other = Answer(DOES_NOT_APPLY if name in outcome.not_asked else UNDETERMINED)
        said = answer_of(property_) if property_ else other
        if not (answer.is_met_by(said) if answer else property_ and property_.verdict is Verdict.HOLDS):
            instead = f"expected {answer}, found {said}" if answer else str(said)
            cut = f": the run ended {outcome.cut}" if str(said) == "undetermined" and outcome.cut else ""
            yield _with_trace(f"{name}: {instead}{cut}", property_.trace if property_ else None)
    if not expected and not decided:
        nothing = "nothing is decided: no property is asked that applies"
        yield f"undetermined: the run ended {outcome.cut}" if outcome.cut else nothing


def _with_trace(sentence: str, trace: "Trace | None") -> str:
    if trace is None:
        return sentence
    from isrcheck.evidence.forms.table import render_trace

    return f"{sentence}\n\n{render_trace(trace, 'txt')}"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "SpecFile | None":
    """The TOML files of folders that are called specs, where the project asks for it."""
    config = parent.config
    wanted = config.getoption("isrcheck_specs") or config.getini("isrcheck_specs")
    if wanted and file_path.suffix == ".toml" and file_path.parent.name == "specs":
        return SpecFile.from_parent(parent, path=file_path)
    return None


class SpecFile(pytest.File):
    """A spec of the gate."""

    def collect(self) -> Iterator["SpecItem"]:
        """A test for each run, and one for vacuity. Raises CollectError for a bad spec."""
        from isrcheck.errors import IsrcheckError
        from isrcheck.gate.cells import cells
        from isrcheck.gate.spec import read_gate_spec

        try:
            with _imports_tried():
                runs = cells(read_gate_spec(self.path))
        except IsrcheckError as error:
            raise self.CollectError(str(error)) from None
        self.results: dict[int, Result] = {}
        for n, cell in enumerate(runs):
            judge = partial(self._differences, n, cell)
            line = cell.terms.line - 1
            yield SpecItem.from_parent(self, name=cell.name, judge=judge, line=line, about=f"run of {cell.name}")
        judge, about = partial(self._vacuous, runs), f"vacuity of {self.path.name}"
        yield SpecItem.from_parent(self, name="vacuity", judge=judge, line=0, about=about)

    def _result(self, position: int, cell: "GateCell") -> "Result":
        from isrcheck.gate.worker import result_of

        if position not in self.results:
            with _imports_tried():
                self.results[position] = result_of(cell)
        return self.results[position]

    def _differences(self, position: int, cell: "GateCell") -> str:
        from isrcheck.gate.judge import Status, findings

        judged = findings(cell, self._result(position, cell))
        wrong = [_with_trace(each.sentence, each.trace) for each in judged if each.status is not Status.MET]
        return "\n\n".join([f"{cell.origin}: {cell.name}", *wrong]) if wrong or not judged else ""

    def _vacuous(self, cells: "tuple[GateCell, ...]") -> str:
        """The vacuity of all runs together, in lines; empty if nothing is vacuous."""
        from isrcheck.gate.judge import saw_all, vacuities

        tried = [(cell, self._result(n, cell)) for n, cell in enumerate(cells)]
        if not any(cell.terms.strict is not False and saw_all(result) for cell, result in tried):
            pytest.skip("no run of this spec saw its whole graph, or none may look: what is vacuous is not known")
        findings = vacuities(tried)
        vacuous = [f"{each.sentence}: {each.place}".rstrip(": ") for each in findings if each.known]
        return "\n".join([f"{self.path.name}: vacuous in every run", *vacuous]) if vacuous else ""


class SpecDiffers(Exception):
    """A spec is not as expected; the text says how."""


class SpecItem(pytest.Item):
    """A run of a spec, or its vacuity: `judge` says what is not as expected."""

    def __init__(self, *, judge: Callable[[], str], line: int, about: str, **more: Any) -> None:
        super().__init__(**more)
        self._judge, self._place = judge, (self.path, line, about)

    def runtest(self) -> None:
        if wrong := self._judge():
            raise SpecDiffers(wrong)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return str(excinfo.value) if isinstance(excinfo.value, SpecDiffers) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self._place
