"""Every model at its defaults, and how the cost of a state grows with the replicas: a table and a plot in reports/.

usage: python -m tools.bench.models

Each run is a process of its own, with the code compiled before; rates are medians of three runs.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl

from isrcheck.catalogue import models_by_name

mpl.use("svg")
REPORTS = Path(__file__).parents[2] / "reports" / "benchmarks"
BY_REPLICAS = ("kip-320", "truncate-to-high-watermark")
REPLICAS = (2, 3, 4, 5)
GROWING = {"log_size": 1, "max_records": 1, "max_leader_epoch": 1}


def run(model: str, **constants: int) -> dict[str, float]:
    """The medians of three runs of one model."""
    words = [f"-c{name}={value}" for name, value in constants.items()]
    command = [sys.executable, "-m", "isrcheck", "check", model, *words, "--property", "none", "--json", "-"]
    outcomes = [json.loads(subprocess.run(command, capture_output=True, text=True).stdout) for _ in range(4)][1:]
    distinct = outcomes[0]["states"]["distinct"]
    seconds = statistics.median(o["seconds"] for o in outcomes)
    return {
        "distinct": distinct,
        "bits": outcomes[0]["states"]["bits"],
        "seconds": seconds,
        "nanoseconds_a_state": 1e9 * seconds / distinct,
        "startup_seconds": statistics.median(o["startup_seconds"] for o in outcomes),
        "peak_rss_bytes": statistics.median(o["peak_rss_bytes"] for o in outcomes),
    }


def table(results: dict[str, dict[str, float]]) -> str:
    """The results as Markdown."""
    lines = [
        "| model | states | bits | search, s | ns a state | start-up, s | peak, MiB |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, r in results.items():
        lines.append(
            f"| {name} | {r['distinct']:,.0f} | {r['bits']:.0f} | {r['seconds']:.4f} | {r['nanoseconds_a_state']:,.0f} "
            f"| {r['startup_seconds']:.2f} | {r['peak_rss_bytes'] / 2**20:,.0f} |"
        )
    return "\n".join(lines) + "\n"


def plot(grown: dict[str, list[dict[str, float]]]) -> None:
    """Nanoseconds a state against replicas."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4))
    for model, results in grown.items():
        axes.plot(REPLICAS, [r["nanoseconds_a_state"] for r in results], marker="o", label=model)
    counts = zip(*([f"{r['distinct']:,.0f}" for r in results] for results in grown.values()), strict=True)
    axes.set_xticks(REPLICAS, ["\n".join((str(n), *states)) for n, states in zip(REPLICAS, counts, strict=True)])
    axes.set_yscale("log")  # the fixed cost of a search, 2 ms, is most of a small one
    axes.set_xlabel(f"replicas, and the states of {' and '.join(grown)}")
    axes.set_ylabel("nanoseconds a state, one worker")
    axes.set_title("The cost of a state as replicas grow (log size 1, 1 record, 2 epochs)")
    axes.legend()
    figure.tight_layout()
    figure.savefig(REPORTS / "cost-by-replicas.svg")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write the table and the plot."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None).parse_args(arguments)
    REPORTS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["ISRCHECK_CACHE_DIR"] = cache
        results = {name: run(name) for name in models_by_name()}
        grown = {model: [run(model, replicas=n, **GROWING) for n in REPLICAS] for model in BY_REPLICAS}
    rows = {f"{m} at {n} replicas": r for m, rs in grown.items() for n, r in zip(REPLICAS, rs, strict=True)}
    tables = table(results) + "\n" + table(rows)
    note = "A search costs 2 ms before its first state: most of a small one. At 5 replicas a state has two words."
    title = "# Cost by model, one worker, medians of three runs"
    drawn = "`cost-by-replicas.svg`, which `./dev bench` draws here, shows nanoseconds a state against replicas."
    page = f"{title}\n\n{tables}\n{drawn}\n\n{note}\n"
    (REPORTS / "models.md").write_text(page, encoding="utf-8")
    plot(grown)
    print(tables)


if __name__ == "__main__":
    main()
