"""isrcheck prove."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from isrcheck.api import prove as run_prover
from isrcheck.commands.deliver import show_with_json
from isrcheck.commands.options import FILE, limit_options, parse_constants
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.evidence.forms.table import render_trace
from isrcheck.evidence.outcome_document import proof_document
from isrcheck.files import write_aside
from isrcheck.run.trace import Trace

if TYPE_CHECKING:  # what proves imports z3, when first used
    from isrcheck.proofs.prover import ProofRun

PICTURES = {".svg": "svg", ".txt": "txt", ".html": "html", ".md": "md"}


@click.command()
@click.argument("model")
@click.option(
    "-c", "constants", multiple=True, metavar="NAME=VALUE", help="Fix a constant, which else has every value."
)
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Prove this one only.")
@click.option("--lemma", "lemmas", multiple=True, metavar="NAME", help="Use this lemma or invariant; all by default.")
@click.option("--no-lemmas", is_flag=True, help="Use none of the model's lemmas.")
@limit_options("seconds", "memory")
@click.option("--cti", type=FILE, help="Draw a step at which induction fails: FILE.svg, .txt, .html or .md.")
@click.option("--certificate", type=FILE, help="Write there what isrcheck.recheck needs to confirm it.")
@click.option("--json", "json_file", metavar="FILE|-", help="Write the outcome as JSON; - is standard output.")
def prove(
    model: str,
    constants: tuple[str, ...],
    properties: tuple[str, ...],
    lemmas: tuple[str, ...],
    no_lemmas: bool,
    limits: Limits,
    cti: Path | None,
    certificate: Path | None,
    json_file: str | None,
) -> int:
    """Prove the properties of a model for any size.

    A proof is of any number of steps, of members of every sort, and of all else not given (docs/proofs.md).
    """
    if lemmas and no_lemmas:
        raise UsageError("--lemma names a lemma to use and --no-lemmas refuses all: give one of the two.")
    if cti and cti.suffix not in PICTURES:
        raise UsageError(f"--cti {cti} has no form: end the name with one of {', '.join(PICTURES)}.")
    run = run_prover(
        model,
        properties=properties or None,
        lemmas=() if no_lemmas else lemmas or None,
        limits=limits,
        constants=parse_constants(constants),
    )
    drawn = _draw(run.counterexamples, cti) if cti else {}
    show_with_json(proof_document(run, drawn), run.outcome.to_dict(), json_file)
    if certificate:
        _certify(run, certificate, model)
    return run.outcome.exit


def _certify(run: "ProofRun", directory: Path, model: str) -> None:
    from isrcheck.proofs.certificate import write_proof

    for proof in run.proofs:
        write_proof(proof, directory / proof.name, model, run.outcome.command)
    proved = {proof.name for proof in run.proofs}
    missing = [p.name for p in run.outcome.properties if p.name not in proved]
    if missing:
        click.echo(f"isrcheck: no certificate for {', '.join(missing)}: not proved.", err=True)


def _draw(traces: dict[str, Trace], file: Path) -> dict[str, Path]:
    files = {name: file if len(traces) == 1 else file.with_stem(f"{file.stem}-{name}") for name in traces}
    for name, trace in traces.items():
        write_aside(files[name], render_trace(trace, PICTURES[file.suffix]))
    return files
