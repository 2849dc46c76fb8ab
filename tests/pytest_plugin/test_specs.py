"""specs/*.toml as tests, in pytest runs of their own."""

import pytest
from tests.ci.project import break_it, project

pytest_plugins = "pytester"

# pytest-lsp fails on items that are no functions (its 1.0.1).
PLUGIN = ("-p", "isrcheck.pytest", "-p", "no:pytest-lsp", "-p", "no:cacheprovider")


def test_nothing_is_collected_unless_it_is_asked_for(pytester: pytest.Pytester) -> None:
    project(pytester.path / "p")
    result = pytester.runpytest_inprocess(*PLUGIN, "p")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.mark.parametrize("how", ["option", "ini"])
def test_a_test_for_each_run(pytester: pytest.Pytester, how: str) -> None:
    project(pytester.path)
    (pytester.path / "other.toml").write_text("not = 'a spec'\n", encoding="utf-8")
    if how == "ini":
        pytester.makeini("[pytest]\nisrcheck_specs = true\n")
    result = pytester.runpytest_inprocess(*PLUGIN, "-v", *(["--isrcheck-specs"] if how == "option" else []))
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        ["specs/counter.toml::counter.py:Counter*PASSED*", "specs/counter.toml::vacuity PASSED*"]
    )


def test_what_is_idle_in_every_run_fails(pytester: pytest.Pytester) -> None:
    file = project(pytester.path) / "counter.py"
    file.write_text(file.read_text(encoding="utf-8").replace("n < 2)", "n < 2)\n        require(self.n < 3)"), "utf-8")
    result = pytester.runpytest_inprocess(*PLUGIN, "--isrcheck-specs")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "counter.toml: vacuous in every run",
            "counter.py:Counter: grow() has a guard that is never false: counter.py:15:9  require(self.n < 3)",
        ]
    )


def test_a_difference_fails_with_the_trace(pytester: pytest.Pytester) -> None:
    break_it(project(pytester.path))
    result = pytester.runpytest_inprocess(*PLUGIN, "--isrcheck-specs")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        [
            "*specs/counter.toml:1: counter.py:Counter",
            "small: expected holds, found violated in 3 steps",
            "* 3  grow*",
            "*n: 2 → 3",
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_undetermined_fails(pytester: pytest.Pytester) -> None:
    spec = project(pytester.path) / "specs" / "counter.toml"
    spec.write_text(spec.read_text(encoding="utf-8") + "limits = { states = 1 }\n", encoding="utf-8")
    result = pytester.runpytest_inprocess(*PLUGIN, "--isrcheck-specs")
    result.assert_outcomes(failed=1, skipped=1)
    result.stdout.fnmatch_lines(["small: expected holds, found undetermined*"])


def test_an_error_of_the_model_fails(pytester: pytest.Pytester) -> None:
    folder = project(pytester.path)
    file = folder / "counter.py"
    file.write_text(file.read_text(encoding="utf-8").replace("self.n += 1", "self.n = [1]"), encoding="utf-8")
    result = pytester.runpytest_inprocess(*PLUGIN, "--isrcheck-specs")
    assert result.ret != 0
    assert "passed" not in result.stdout.str()


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("[[run]]\n", "*specs/counter.toml:1: the run names no model: *"),
        ('[[run]]\nmodel = "kip-32"\nexpect = { a = "holds" }\n', "*there is no model kip-32.*"),
        ("= 1\n", "*specs/counter.toml is not TOML: *"),
    ],
)
def test_a_spec_that_is_none_is_an_error(pytester: pytest.Pytester, spec: str, sentence: str) -> None:
    folder = project(pytester.path)
    (folder / "specs" / "counter.toml").write_text(spec, encoding="utf-8")
    result = pytester.runpytest_inprocess(*PLUGIN, "--isrcheck-specs")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([sentence])


@pytest.mark.parametrize("exit_now", ["import os; os._exit(0)", "import sys; sys.exit(0)"])
def test_a_file_that_ends_the_process_fails(pytester: pytest.Pytester, exit_now: str) -> None:
    file = project(pytester.path) / "counter.py"
    file.write_text(f"{exit_now}\n{file.read_text(encoding='utf-8')}", encoding="utf-8")
    pytester.makepyfile(
        test_it="""
        import pytest

        @pytest.mark.isrcheck("./counter.py:Counter")
        def test_it():
            pass
        """
    )
    result = pytester.runpytest_subprocess(*PLUGIN, "--isrcheck-specs", "--continue-on-collection-errors")
    result.assert_outcomes(failed=2, skipped=1)
    result.stdout.fnmatch_lines(
        ["*counter.py*ended with exit code 0 and no answer*" if "os." in exit_now else "*SystemExit*"]
    )
