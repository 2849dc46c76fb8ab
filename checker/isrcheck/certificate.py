"""The files of a certificate, of states or of a proof: writing and loading them."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isrcheck.catalogue import resolve_name
from isrcheck.errors import IsrcheckError, UsageError
from isrcheck.files import as_json, write_aside
from isrcheck.ir.model import ModelIR
from isrcheck.lang.source import model_files
from isrcheck.version import __version__

SCHEMA = "isrcheck.certificate/1"
STATES, MODEL = "states.gz", "model.txt"
_FILES = {"states": {STATES}, "unbounded": {MODEL}}
_ALWAYS = {"schema": str, "kind": str, "version": str, "model": str, "constants": dict, "files": dict, "sources": dict}
_FIELDS: dict[str, dict[str, type]] = {
    "states": {**_ALWAYS, "properties": dict, "states": dict},
    "unbounded": {**_ALWAYS, "command": str, "for": dict, "property": str, "lemmas": dict, "obligations": dict},
}


class Refused(IsrcheckError):
    """The certificate does not stand: a sentence with the file, step or obligation."""


def obligation_file(number: int) -> str:
    """The name of the file of an obligation, or of one of its cases; numbers count from 1."""
    return f"obligation-{number:03}.smt2"


def load_certificate(directory: Path, model: str) -> tuple[Any, dict[str, bytes]]:
    """Load certificate.json, whose model has to be this one, and the files that it names. Raises UsageError."""
    body = json.loads((directory / "certificate.json").read_text(encoding="utf-8"))
    if body["schema"] != SCHEMA:
        raise UsageError(f"certificate.json is of the schema {body['schema']}, and not of {SCHEMA}.")
    kind, types = body["kind"], {name: type(value) for name, value in body.items()}
    if types != _FIELDS[kind]:
        wrong = ", ".join(sorted({name for name, _ in types.items() ^ _FIELDS[kind].items()}))
        raise UsageError(f"certificate.json does not have the fields of the kind {kind}: see {wrong}.")
    if Path(body["model"]).name != Path(resolve_name(model)).name:
        raise UsageError(f"certificate.json is of the model {body['model']}, and not of {model}.")
    scripts = [name for names in body.get("obligations", {}).values() for name in names]
    if scripts != [obligation_file(number) for number, _ in enumerate(scripts, 1)]:
        raise UsageError(f"certificate.json does not number the files of its obligations from {obligation_file(1)} on.")
    if {*body["files"]} != _FILES[kind] | {*scripts}:
        more = f" and those of {len(scripts)} obligations" if scripts else ""
        raise UsageError(f"certificate.json names other files than {' and '.join(sorted(_FILES[kind]))}{more}.")
    content = {name: (directory / name).read_bytes() for name in body["files"]}
    for name, data in content.items():
        if hashlib.sha256(data).hexdigest() != body["files"][name]:
            raise UsageError(f"{name} is not the file that was certified: its SHA-256 is another.")
    return {**body, "model": model}, content


def source_hashes(ir: ModelIR) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in model_files(ir)}


def save_certificate(
    directory: Path, kind: str, model: str, ir: ModelIR, files: Mapping[str, bytes], body: Mapping[str, Any]
) -> Path:
    """Writes the files and certificate.json: `body` with the hashes. Raises UsageError."""
    for name, data in files.items():
        write_aside(directory / name, data)
    content = {
        "schema": SCHEMA,
        "kind": kind,
        "version": __version__,
        "model": model,
        **body,
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
        "sources": source_hashes(ir),
    }
    write_aside(directory / "certificate.json", as_json(content))
    return directory / "certificate.json"
