"""./dev fuzz: random models, which isrcheck's engines and an explorer that shares no code with it must judge alike.

Each difference is written with a smaller text and its command to a folder, and the exit code is 1.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

from tools.fuzz.author import RandomModel, write_model
from tools.fuzz.commands import load_isrcheck, slots_everywhere
from tools.fuzz.judge import ENGINES, Difference, Judged, judge_model
from tools.fuzz.shrink import shrink
from tools.fuzz.types import FEATURES


class Tally:
    """Counts of how models ended, of comparisons by engine, and of the features that decided models had."""

    def __init__(self) -> None:
        self.ended: Counter[str] = Counter()
        self.compared: Counter[str] = Counter()
        self.features: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.signatures: Counter[tuple[str, str]] = Counter()
        self.claims = 0
        self.files: list[Path] = []

    def add(self, model: RandomModel, judged: Judged) -> None:
        self.ended[judged.ended] += 1
        self.compared.update(judged.compared)
        self.refusals.update(judged.refusals)
        self.claims += judged.claims
        if judged.compared:
            self.features.update(model.features)

    def __str__(self) -> str:
        parts = {"models": self.ended, "compared": self.compared, "features": self.features}
        lines = [f"{name}: {', '.join(f'{n:,} {what}' for what, n in c.most_common())}" for name, c in parts.items()]
        return "\n".join([*lines, f"proofs compared at small sizes: {self.claims:,}"])


class Fuzzer:
    """The models of a row of seeds."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.tally = options, Tally()
        self.only = frozenset(filter(None, options.features.split(",")))
        self.engines = tuple(options.engines.split(","))

    def run(self) -> Tally:
        ends, said, seed = time.monotonic() + self.options.minutes * 60, time.monotonic(), self.options.seed
        while time.monotonic() < ends and sum(self.tally.ended.values()) < self.options.models:
            self.one(seed)
            seed += 1
            if time.monotonic() - said > 30:
                said = time.monotonic()
                print(
                    f"next seed {seed}; {sum(self.tally.ended.values()):,} models, {len(self.tally.files)} differences",
                    flush=True,
                )
        print(f"next seed {seed}")
        return self.tally

    def one(self, seed: int) -> None:
        try:
            model = write_model(seed, self.only)
        except Exception as error:
            self.tally.ended[f"not written: {type(error).__name__}"] += 1
            return
        with slots_everywhere() if "slots_everywhere" in model.features else nullcontext():
            judged = judge_model(model.source, model.cls, model.values, self.engines, seed)
            self.tally.add(model, judged)
            if self.options.show_refusals and judged.refusals:
                print(f"{seed}: {judged.refusals[0]}", flush=True)
            for difference in judged.differences:
                self.note(seed, model, difference)

    def note(self, seed: int, model: RandomModel, difference: Difference) -> None:
        """Write a difference; only the first of its kind is made smaller."""
        self.tally.signatures[difference.signature] += 1
        number = self.tally.signatures[difference.signature]
        print(f"seed {seed}: {difference.engine}: {difference.kind}", flush=True)
        if number > 3:
            return
        source = self.smaller(seed, model, difference) if number == 1 and self.options.shrink else model.source
        self.options.out.mkdir(parents=True, exist_ok=True)
        file: Path = (
            self.options.out
            / f"{seed}_{difference.engine}_{'_'.join(difference.kind.split())[:40].replace('/', '-')}.py"
        )
        file.write_text(source, encoding="utf-8")
        words = [w if ":" not in w or not w.startswith("/") else f"{file}:{model.cls}" for w in difference.words]
        command = f"isrcheck {' '.join(words)}"
        made_of = f"constants: {model.values}\nfeatures: {', '.join(sorted(model.features))}"
        file.with_suffix(".txt").write_text(f"{command}\n{made_of}\n\n{difference.report}\n", encoding="utf-8")
        if source != model.source:
            file.with_suffix(".full.txt").write_text(model.source, encoding="utf-8")
        self.tally.files.append(file)

    def smaller(self, seed: int, model: RandomModel, difference: Difference) -> str:
        engines = (difference.engine,) if difference.engine in ENGINES else self.engines

        def shows(source: str) -> bool:
            judged = judge_model(source, model.cls, model.values, engines, seed)
            return difference.signature in [each.signature for each in judged.differences]

        return shrink(model.source, shows, self.options.shrink)


def options(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev fuzz", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=1, help="of the first model; the next ones follow")
    parser.add_argument("--models", type=float, default=float("inf"), help="at most so many")
    parser.add_argument("--features", default="", help=f"that every model has: {', '.join(FEATURES)}")
    parser.add_argument("--engines", default=",".join(ENGINES), help="what to compare (default: all)")
    parser.add_argument("--shrink", type=float, default=60.0, help="seconds for making a text smaller; 0: none")
    parser.add_argument("--show-refusals", action="store_true", help="print why a model was refused")
    parser.add_argument("--out", type=Path, default=Path("fuzz-differences"), help="the folder for differences")
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    """Return 1 if there was a difference."""
    asked = options(words)
    load_isrcheck()
    with tempfile.TemporaryDirectory(prefix="isrcheck-fuzz-cache-") as cache:
        before = os.environ.get("ISRCHECK_CACHE_DIR")
        os.environ["ISRCHECK_CACHE_DIR"] = cache
        try:
            tally = Fuzzer(asked).run()
        finally:
            restore("ISRCHECK_CACHE_DIR", before)
    print(tally)
    for (engine, kind), number in tally.signatures.most_common():
        print(f"difference: {engine}: {kind}: {number}")
    for file in tally.files:
        print(f"difference: {file} and {file.with_suffix('.txt')}")
    return int(bool(tally.signatures))


def restore(name: str, value: str | None) -> None:
    os.environ.pop(name) if value is None else os.environ.update({name: value})


if __name__ == "__main__":
    sys.exit(main())
