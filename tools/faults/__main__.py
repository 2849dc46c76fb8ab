"""Seeds every fault of the table, or those named, in a copy of this checkout, and runs the test that must kill it.

A line each: NAME: killed by TEST, or NAME: survived, or NAME: error and why. Exit 1 unless all are killed.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

from tools.faults.seeded import ROOT, NoLongerApplies, SeededFault, faults

AT_ONCE = 2  # cores that are asked of a machine; the tests that use several threads share them
PATIENCE = 300  # seconds for one fault; the slowest test of the table takes a tenth of it
SLOWEST = 1800  # seconds for all tests without a fault
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "dist")
WITHOUT_CACHE = "checker/isrcheck/engines/native/compile.py"  # the key of compiled models has all but its text


def main() -> int:
    chosen = [fault for fault in faults() if not sys.argv[1:] or fault.name in sys.argv[1:]]
    unknown = set(sys.argv[1:]) - {fault.name for fault in chosen}
    if unknown:
        print(f"dev: there is no fault {', '.join(sorted(unknown))}.", file=sys.stderr)
        return 2
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="isrcheck-faults-") as folder:
        base = Path(folder) / "base"
        shutil.copytree(ROOT, base, ignore=LEFT_OUT)
        green = run_without_faults(base, {fault.test for fault in chosen})
        answers = Counter[str]()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for fault, answer in zip(chosen, pool.map(partial(seed, base, green), chosen), strict=True):
                print(f"{fault.name}: {answer}", flush=True)
                answers[answer.split()[0].rstrip(":")] += 1
                answers["slow"] += fault.slow
    killed = answers["killed"]
    print(f"{len(chosen)} faults: {killed} killed, {answers['survived']} survived, {answers['error']} errors.")
    minutes = (time.monotonic() - began) / 60
    print(f"{answers['slow']} of them need a test that is marked slow. It took {minutes:.1f} minutes.")
    return int(killed != len(chosen))


def run_without_faults(base: Path, tests: Iterable[str]) -> set[str]:
    """Return the tests that pass without a fault; they leave compiled modules and models in the copy for later."""
    said = pytest(base, ["-n", str(AT_ONCE), "--dist", "loadfile", *sorted(tests)], SLOWEST, bytecode=True)
    failed = set(re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", said, re.MULTILINE))
    passed = set(re.findall(r"^PASSED (.+)$", said, re.MULTILINE))
    return {test for test in tests if is_among(test, passed) and not is_among(test, failed)}


def is_among(test: str, listed: Iterable[str]) -> bool:
    """Whether pytest tells of a test, or of one of its parameters where none is named."""
    return any(each == test or each.startswith(f"{test}[") for each in listed)


def seed(base: Path, green: set[str], fault: SeededFault) -> str:
    """Seed one fault, and return the sentence on its end."""
    if fault.test not in green:
        return f"error: {fault.test} does not pass without the fault."
    with tempfile.TemporaryDirectory(dir=base.parent) as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(base, tree, copy_function=os.link)
        for kept in cache_of(tree).glob("*"):
            if kept.is_dir():
                shutil.rmtree(kept)  # answers, which a fault may change
            elif fault.file == WITHOUT_CACHE:
                kept.unlink()
        try:
            changed = fault.apply(tree)
        except NoLongerApplies as error:
            return f"error: {error}"
        file = tree / fault.file
        file.unlink()  # it is a link to the file of the copy
        file.write_text(changed, encoding="utf-8")
        for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*"):
            compiled.unlink()
        said = pytest(tree, [fault.test], PATIENCE)
    if is_among(fault.test, re.findall(r"^FAILED (.+?)(?: - .*)?$", said, re.MULTILINE)):
        return f"killed by {fault.test}"
    if re.search(r"^PASSED ", said, re.MULTILINE):
        return "survived"
    return f"error: no answer of {fault.test}: {said.strip().splitlines()[-1] if said.strip() else 'it was cut off'}"


def cache_of(tree: Path) -> Path:
    return tree / ".cache"


def pytest(tree: Path, options: list[str], seconds: float, bytecode: bool = False) -> str:
    """Return what pytest prints of tests in a copy of the checkout, which its subprocesses import too, or nothing."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(tree / room) for room in ("checker", "model", "brokers")),
        "ISRCHECK_CACHE_DIR": str(cache_of(tree)),
    }
    environment["PYTHONDONTWRITEBYTECODE"] = "" if bytecode else "1"
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "--tb=short", *options],
        cwd=tree,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        return process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        return ""
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
