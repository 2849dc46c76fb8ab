"""The language of the kernel."""

import types

import pytest

from isrcheck.engines.native.translate import NotInDialect, translate


def translated(text: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("kernel") / "kernel.py"
    file.write_text(text)
    module = types.ModuleType("kernel")
    module.__file__ = str(file)
    return translate([module], {}, {}, {"f"})


@pytest.mark.parametrize(
    "body",
    [
        "return [1]",
        "x: int = 1",
        "return g(1)",
        "with a: pass",
        "return 1.5",
        "return 1 < a < 3",
        "try:\n        a = 1\n    finally:\n        a = 2",
        "return -a",
    ],
)
def test_anything_else_is_refused(body: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.raises(NotInDialect):
        translated(f"def f(a: int) -> int:\n    {body}\n", tmp_path_factory)


def test_a_function_that_only_raises_is_defined_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> None:
    text = "def g(a: int) -> int:\n    raise NotImplementedError\n\ndef f(a: int) -> int:\n    return g(a)\n"
    made = translated(text, tmp_path_factory)
    assert "call i64 @g" in made
    assert "define i64 @g" not in made
