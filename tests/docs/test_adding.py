"""A toy of each kind is added to a copy of the checkout by exactly the files that docs/adding.md lists."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.docs.pages import ROOT, content

Edits = Mapping[str, tuple[tuple[str, str], ...]]  # by file, what is written in place of what; "" is a new file

RELEASE: Edits = {
    "model/isrmodel/kraft/releases.py": (
        (
            "\n\nRELEASES: dict",
            '\n\nclass Kraft45(Kraft43):\n    """4.5: nothing is exposed early."""\n\n'
            '    strict: bool = constant(False, "a toy")\n\n\nRELEASES: dict',
        ),
        ('    "kraft": Kraft,\n', '    "kraft-4.5": Kraft45,\n    "kraft": Kraft,\n'),
    ),
    "model/isrrisk/setting.py": (('f"4.{minor}" for minor in range(5)', 'f"4.{minor}" for minor in range(6)'),),
}
KIND: Edits = {
    "checker/isrcheck/ir/property_kinds.py": (
        (
            "class TemporalKind(",
            'class Never(PropertyKind):\n    """Holds in no reachable state."""\n\n    name = "never"\n'
            '    title = "never property"\n    target = True\n    exit_code = 12\n\n\nclass TemporalKind(',
        ),
        ("REFINEMENT, TEMPORAL = RefinementKind(), ", "NEVER = Never()\nREFINEMENT, TEMPORAL = RefinementKind(), "),
        ("in (INVARIANT, STEP,", "in (NEVER, INVARIANT, STEP,"),
    ),
    "checker/isrcheck/lang/declare.py": (
        (
            "\nlemma = with_role(",
            '\nnever = with_role(kinds.NEVER, "A condition of no reachable state.")\nlemma = with_role(',
        ),
    ),
    "checker/isrcheck/__init__.py": (
        ("    members,\n", "    members,\n    never,\n"),
        ('"members", ', '"members", "never", '),
    ),
}
OPERATOR: Edits = {
    "checker/isrcheck/ir/nodes.py": (('    INTERSECTION = "&"\n', '    INTERSECTION = "&"\n    EITHER = "^"\n'),),
    "checker/isrcheck/lang/operators.py": (("    ast.BitAnd: ", "    ast.BitXor: Operator.EITHER,\n    ast.BitAnd: "),),
    "checker/isrcheck/lang/refused.py": (('    "BitXor": ("^", "Write != between truth values."),\n', ""),),
    "checker/isrcheck/ir/unparse.py": (
        ("    Operator.OR: _OR,\n", "    Operator.OR: _OR,\n    Operator.EITHER: _UNION,\n"),
    ),
    "checker/isrcheck/passes/evaluate.py": (
        (
            "    if op in joins:\n",
            "    if op is Operator.EITHER:\n"
            "        return shapes.union(shapes.difference(a, b), shapes.difference(b, a))\n    if op in joins:\n",
        ),
    ),
    "checker/isrcheck/proofs/relational/expressions.py": (
        (
            "            case Operator.UNION:\n",
            "            case Operator.EITHER:\n"
            "                both = lambda x: t.and_(one.has(x), two.has(x))\n"
            "                return v.Predicate(of, lambda x: t.and_(t.or_(one.has(x), two.has(x)), t.not_(both(x))))\n"
            "            case Operator.UNION:\n",
        ),
    ),
    "checker/isrcheck/tla/terms.py": (
        (
            "    term = Infix(_OF_SETS[operator], left, right)\n",
            "    if operator is Operator.EITHER:\n"
            '        return Infix("\\\\cup", Infix("\\\\", left, right), Infix("\\\\", right, left))\n'
            "    term = Infix(_OF_SETS[operator], left, right)\n",
        ),
    ),
}
FORM: Edits = {
    "checker/isrcheck/evidence/forms/short.py": (
        (
            "",
            '"""A trace in its actions alone."""\n\nfrom isrcheck.run.trace import Trace\n\n\n'
            "def short_text(trace: Trace) -> str:\n"
            '    return " ".join(step.action for step in trace.steps if step.action) + "\\n"\n',
        ),
    ),
    "checker/isrcheck/evidence/forms/table.py": (
        (
            "from isrcheck.evidence.forms.svg import svg\n",
            "from isrcheck.evidence.forms.short import short_text\nfrom isrcheck.evidence.forms.svg import svg\n",
        ),
        ('    "schedule": schedule_text,\n', '    "schedule": schedule_text,\n    "short": short_text,\n'),
    ),
}
TOYS = {"A release": RELEASE, "A property kind": KIND, "An operator": OPERATOR, "A form": FORM}

LAMPS = '''
from isrcheck import Model, Sort, action, {imported}, require


class Lamp(Sort, size="lamps"):
    """A lamp."""


class Lamps(Model):
    """A switch for each of two lamps."""

    lamps: int = 2
    on: frozenset[Lamp] = frozenset()

    @action
    def switch(self, lamp: Lamp) -> None:
        """It goes on or off."""
        {body}

    @{marked}
    def all_on(self) -> bool:
        """All lamps are on."""
        return len(self.on) == 2
'''.replace("lamps: int = 2", 'lamps: int = constant(2, "lamps")').replace("import Model", "import constant, Model")


@pytest.mark.parametrize("section", TOYS)
def test_the_page_lists_the_files_of_the_toy(section: str) -> None:
    paragraph = content("docs/adding.md").partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `([^`]+)` \|", paragraph, re.MULTILINE)) == set(TOYS[section])


class Copy:
    """A copy of the checkout's packages with a toy in it."""

    def __init__(self, folder: Path, section: str) -> None:
        for name in ("checker", "model"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        self.folder = folder
        for file, changes in TOYS[section].items():
            source = (folder / file).read_text(encoding="utf-8") if changes[0][0] else ""
            for before, after in changes:
                assert source.count(before) == 1 or not before, (file, before)
                source = source.replace(before, after) if before else after
            (folder / file).write_text(source, encoding="utf-8")

    def lamps(self, imported: str, body: str, marked: str) -> None:
        text = LAMPS.format(imported=imported, body=body, marked=marked)
        (self.folder / "lamps.py").write_text(text, encoding="utf-8")

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(str(self.folder / name) for name in ("checker", "model"))
        environment = {**os.environ, "PYTHONPATH": path, "ISRCHECK_CACHE_DIR": str(self.folder / "cache")}
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder, env=environment, capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip

    def isrcheck(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("-m", "isrcheck", *arguments)


@pytest.mark.slow
def test_a_release(tmp_path: Path) -> None:
    copy = Copy(tmp_path, "A release")
    code = "from isrrisk.setting import Setting; print(Setting({!r}).model().__name__)"
    assert [copy.run("-c", code.format(release)).stdout for release in ("4.4", "4.5")] == ["Kraft43\n", "Kraft45\n"]
    listed = copy.isrcheck("list", "kraft-4.5")
    assert listed.returncode == 0, listed.stderr


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_property_kind(tmp_path: Path, engine: str) -> None:
    copy = Copy(tmp_path, "A property kind")
    copy.lamps("never", "require(lamp not in self.on); self.on |= {lamp}", "never")
    done = copy.isrcheck("check", "lamps.py:Lamps", "--engine", engine)
    assert done.returncode == 12, done.stdout + done.stderr
    assert "violated after 2 steps" in " ".join(done.stdout.split())


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["native", "reference", "evaluator"])
def test_an_operator(tmp_path: Path, engine: str) -> None:
    copy = Copy(tmp_path, "An operator")
    copy.lamps("reachable", "self.on = self.on ^ {lamp}", "reachable")
    done = copy.isrcheck("check", "lamps.py:Lamps", "--engine", engine, "--json", "found.json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"distinct": 4' in (tmp_path / "found.json").read_text(encoding="utf-8")
    assert copy.isrcheck("export", "lamps.py:Lamps", "--to", "tla", "-o", "out").returncode == 0
    written = "".join(file.read_text(encoding="utf-8") for file in (tmp_path / "out").glob("*.tla"))
    assert "\\cup" in written


@pytest.mark.slow
def test_an_operator_in_proofs_for_any_size(tmp_path: Path) -> None:
    copy = Copy(tmp_path, "An operator")
    copy.lamps("invariant", "self.on = self.on ^ {lamp}; require(lamp in self.on)", "invariant")
    text = (tmp_path / "lamps.py").read_text(encoding="utf-8")
    (tmp_path / "lamps.py").write_text(
        text.replace("len(self.on) == 2", "self.on ^ self.on == frozenset()"), encoding="utf-8"
    )
    done = copy.isrcheck("prove", "lamps.py:Lamps")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_form(tmp_path: Path) -> None:
    copy = Copy(tmp_path, "A form")
    copy.lamps("reachable", "require(lamp not in self.on); self.on |= {lamp}", "reachable")
    copy.isrcheck("check", "lamps.py:Lamps", "--trace-dir", "traces")
    (trace,) = (tmp_path / "traces").glob("*all_on.json")
    done = copy.isrcheck("render", str(trace), "--to", "short")
    assert (done.returncode, done.stdout) == (0, "switch switch\n"), done.stderr
