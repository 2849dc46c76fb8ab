"""Time from an edit of a model file to what is wrong in it, over the protocol, in a server that is warm.

usage: python -m tools.bench.editor [--rounds N] [--every]

Of the largest file of a model in model/isrmodel, by lines, and with --every of each. An edit changes the doc of the
file, so that all of it is read again. CPU is that of the server and the processes that read. Half a second is what
issue Q allows in the median.
"""

import argparse
import os
import time
from pathlib import Path
from statistics import median

from tools.bench.language_client import Editor, editor

from isrcheck.editor.server.documents import is_model_file

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "model" / "isrmodel"
ALLOWED_SECONDS = 0.5
TICKS = os.sysconf("SC_CLK_TCK")


def model_files() -> list[Path]:
    """Return the files of models, the largest first."""
    files = [
        file for file in MODELS.rglob("*.py") if is_model_file(str(file), file.read_text(), frozenset({"isrcheck"}))
    ]
    classes = [file for file in files if "(Model)" in file.read_text() or "@action" in file.read_text()]
    return sorted(classes, key=lambda file: -len(file.read_text().splitlines()))


def cpu_of(process: int) -> float:
    """Seconds, with children that it has waited for, and those of its children."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    below = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return sum(map(int, fields[11:15])) / TICKS + sum(map(cpu_of, map(int, below)))


def measure_edits(own: Editor, file: Path, rounds: int) -> tuple[list[float], float]:
    """Edit a file several times; return the seconds of each edit, and the mean CPU seconds."""
    source = file.read_text()
    own.open(file, source)
    own.edit(file, source + "\n")
    before = cpu_of(own.process)
    taken = []
    for number in range(rounds):
        begun = time.monotonic()
        own.edit(file, f"{source}\n# {number}\n")
        taken.append(time.monotonic() - begun)
    cpu = (cpu_of(own.process) - before) / rounds
    own.close(file)
    return taken, cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--every", action="store_true", help="each model file, a fifth of the rounds")
    given = parser.parse_args()
    files = model_files()
    with editor(ROOT) as own:
        print("seconds from an edit to its diagnostics: median, most; CPU; lines; file")
        for file in files if given.every else files[:1]:
            taken, cpu = measure_edits(own, file, max(given.rounds // 5, 3) if given.every else given.rounds)
            lines = len(file.read_text().splitlines())
            late = "  over half a second" if median(taken) > ALLOWED_SECONDS else ""
            print(f"{median(taken):.3f}  {max(taken):.3f}  {cpu:.3f}  {lines:4}  {file.relative_to(ROOT)}{late}")


if __name__ == "__main__":
    main()
