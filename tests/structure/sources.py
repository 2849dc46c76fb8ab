"""The source files of this checkout, as the tests of its shape read them."""

import ast
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHECKER = ROOT / "checker" / "isrcheck"
MODEL = ROOT / "model" / "isrmodel"
RISK = ROOT / "model" / "isrrisk"
TOYS = ROOT / "model" / "isrtoys"
LOGS = ROOT / "brokers" / "isrlogs"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@cache
def python_files(*packages: Path) -> tuple[Path, ...]:
    files = tuple(sorted(file for package in packages for file in package.rglob("*.py")))
    assert len(files) > 5
    return files


@cache
def source(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(source(file))


@cache
def nodes(module: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a tree: a dozen tests look at each, and to walk takes longer than to look."""
    return tuple(ast.walk(module))


def name_of(file: Path) -> str:
    """How the tests speak of a file: its path in the checkout."""
    return file.relative_to(ROOT).as_posix()
