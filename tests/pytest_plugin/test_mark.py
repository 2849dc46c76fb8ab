"""@pytest.mark.isrcheck, in pytest runs of their own."""

import subprocess
import sys

import pytest
from tests.ci.project import COUNTER

pytest_plugins = "pytester"

# pytest-lsp fails on items that are no functions (its 1.0.1).
PLUGIN = ("-p", "isrcheck.pytest", "-p", "no:pytest-lsp", "-p", "no:cacheprovider", "--strict-markers")
SIZES = "replicas=2, log_size=1, max_records=1, max_leader_epoch=1"


def ran(pytester: pytest.Pytester, *words: str, **files: str) -> pytest.RunResult:
    """A run over these modules, in this process."""
    pytester.makepyfile(**files)
    return pytester.runpytest_inprocess(*PLUGIN, *words)


def test_what_is_expected_is_found_and_handed_over(pytester: pytest.Pytester) -> None:
    text = f"""
        import pytest

        @pytest.mark.isrcheck("kip-320", expect={{"strong_isr": "holds"}}, {SIZES})
        def test_kip_320(outcome):
            assert outcome.model == "kip-320"
            assert outcome.distinct == 277
            assert [p.name for p in outcome.properties] == ["strong_isr"]

        @pytest.mark.isrcheck("truncate-to-high-watermark", expect={{"strong_isr": "violated in 9 steps"}}, {SIZES})
        def test_without_asking_for_the_outcome():
            pass
    """
    ran(pytester, test_it=text).assert_outcomes(passed=2)


def test_another_answer_fails_with_the_steps_of_the_trace(pytester: pytest.Pytester) -> None:
    text = f"""
        import pytest

        @pytest.mark.isrcheck("truncate-to-high-watermark", expect={{"strong_isr": "holds"}}, {SIZES})
        def test_it(outcome):
            raise RuntimeError("the function itself does not run")
    """
    result = ran(pytester, test_it=text)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "strong_isr: expected holds, found violated in 9 steps",
            "*9  replica_becomes_follower(*",
            "*✗*",
        ]
    )
    assert "RuntimeError" not in result.stdout.str()


def test_without_expectations_every_property_has_to_hold(pytester: pytest.Pytester) -> None:
    text = '''
        import pytest
        from counter import Counter

        class Wrong(Counter):
            """Another promise."""

        @pytest.mark.isrcheck(model=Counter)
        def test_green(outcome):
            assert outcome.distinct == 3

        @pytest.mark.isrcheck("broken.py:Counter")
        def test_red():
            pass
    '''
    result = ran(pytester, counter=COUNTER, broken=COUNTER.replace("n < 2", "n < 3"), test_it=text)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["small: violated in 3 steps"])


def test_undetermined_fails(pytester: pytest.Pytester) -> None:
    text = """
        import pytest

        from isrcheck import Limits

        @pytest.mark.isrcheck("counter.py:Counter", expect={"small": "holds"}, limits=Limits(states=1))
        def test_asked():
            pass

        @pytest.mark.isrcheck("counter.py:Counter", limits=Limits(states=1))
        def test_all():
            pass
    """
    result = ran(pytester, counter=COUNTER, test_it=text)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "small: expected holds, found undetermined: the run ended after 1 state",
            "small: undetermined: the run ended *",
        ]
    )


def test_a_mark_that_decides_nothing_fails(pytester: pytest.Pytester) -> None:
    text = """
        import pytest

        @pytest.mark.isrcheck("counter.py:Counter", properties=[])
        def test_nothing():
            pass
    """
    result = ran(pytester, counter=COUNTER, test_it=text)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["nothing is decided: no property is asked that applies"])


@pytest.mark.parametrize(
    ("mark", "sentence"),
    [
        ('"kip-32"', "no verdict, exit 2: there is no model kip-32. Did you mean kip-320?*"),
        (
            '"kip-320", expect={"strong_isr": "hold"}',
            "strong_isr is expected to be 'hold', which is none of *",
        ),
        ('"kip-320", expect={"strong_is": "holds"}', "*has no property strong_is. Did you mean strong_isr?*"),
        ('"kip-320", expect="holds"', 'expect is a dict, such as expect={"strong_isr": "holds"}, not \'holds\'.'),
        ('"kip-320", replicas=1, properties=1', "the mark isrcheck cannot be used so: *"),
        ("", 'the mark isrcheck has one model: write @pytest.mark.isrcheck("kip-320").'),
        ('"absent.py:X"', "no verdict, exit 2: there is no file absent.py: *"),
    ],
)
def test_wrong_marks_fail_with_a_sentence(pytester: pytest.Pytester, mark: str, sentence: str) -> None:
    result = ran(pytester, test_it=f"import pytest\n\n@pytest.mark.isrcheck({mark})\ndef test_it(): pass\n")
    assert result.ret == 1
    result.stdout.fnmatch_lines([sentence])


def test_the_fixture_needs_the_mark(pytester: pytest.Pytester) -> None:
    result = ran(pytester, test_it="def test_it(outcome): pass\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["the fixture outcome needs a mark: write @pytest.mark.isrcheck(*"])


def test_a_module_of_marks_and_parameters(pytester: pytest.Pytester) -> None:
    text = """
        import pytest

        @pytest.mark.parametrize(
            "states",
            [
                pytest.param(3, marks=pytest.mark.isrcheck("counter.py:Counter")),
                pytest.param(4, marks=pytest.mark.skip),
            ],
        )
        def test_it(states, outcome):
            assert outcome.distinct == states
    """
    ran(pytester, counter=COUNTER, test_it=text).assert_outcomes(passed=1, skipped=1)


def test_an_unused_plugin_imports_nothing_heavy() -> None:
    heavy = {"llvmlite", "rich", "jinja2", "networkx", "pyarrow", "z3", "tomlkit", "click"}
    code = f"import sys, isrcheck.pytest; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
