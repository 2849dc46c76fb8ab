"""What every certificate is made of: its files, and certificate.json, which says what they show."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isrcheck.files import write_aside
from isrcheck.ir.nodes import ModelText
from isrcheck.lang.source import model_files
from isrcheck.version import __version__

SCHEMA = "isrcheck.certificate/1"


def save_certificate(
    directory: Path, kind: str, model: str, text: ModelText, files: Mapping[str, bytes], body: Mapping[str, Any]
) -> Path:
    """Writes the files, and then certificate.json: `body`, and the SHA-256 of each file and of the model's own.

    Raises UsageError if one cannot be written.
    """
    for name, data in files.items():
        write_aside(directory / name, data)
    whole = {
        "schema": SCHEMA,
        "kind": kind,
        "version": __version__,
        "model": model,
        **body,
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
        "sources": {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in model_files(text)},
    }
    write_aside(directory / "certificate.json", json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    return directory / "certificate.json"
