"""No module imports itself by way of others, in the checker or in the models."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.structure.sources import CHECKER, LOGS, MODEL, RISK, TOYS, nodes, python_files, tree

PACKAGES = [CHECKER, MODEL, RISK, TOYS, LOGS]


def modules(package: Path) -> dict[str, Path]:
    """Files by the names under which they are imported."""
    return {
        ".".join(file.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__"): file
        for file in python_files(package)
    }


def imported_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imports(known: dict[str, Path]) -> Iterator[tuple[str, str]]:
    """Which module imports which, in functions and for type checkers too."""
    for module, file in known.items():
        for node in nodes(tree(file)):
            for name in imported_names(node):
                while name and name not in known:
                    name = name.rpartition(".")[0]
                if name and name != module:
                    yield module, name


def circles(edges: Iterator[tuple[str, str]]) -> list[list[str]]:
    import networkx  # half a CPU second

    return sorted(
        sorted(part) for part in networkx.strongly_connected_components(networkx.DiGraph(edges)) if len(part) > 1
    )


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_no_module_imports_itself_by_way_of_others(package: Path) -> None:
    assert circles(imports(modules(package))) == []


def test_a_circle_is_found() -> None:
    assert circles(iter([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])) == [["a", "b", "c"]]
