"""A user's own files, sent along with a cell: nothing but the installed package needs to be on a worker."""

import hashlib
import sys
import tempfile
from pathlib import Path

from isrcheck.errors import UsageError
from isrcheck.files import write_aside
from isrcheck.place import source_text

_MOST_BYTES = 8 << 20


def sources_of(model: str) -> dict[str, str]:
    """The texts, by path below the model's folder, of FILE.py:Class and of what it imported from there.

    Empty for a model of the list. The model must have been loaded. Raises UsageError if they are too much to send.
    """
    if ".py" not in model:
        return {}
    folder = Path(model.partition(":")[0]).resolve().parent
    loaded = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    files = sorted(
        {Path(f).resolve() for f in loaded if f and f.endswith(".py") and Path(f).resolve().is_relative_to(folder)}
    )
    texts = {str(f.relative_to(folder)): source_text(f) for f in files if _is_own(f)}
    if sum(map(len, texts.values())) > _MOST_BYTES:
        raise UsageError(
            f"{model} has more than {_MOST_BYTES >> 20} MiB of Python beside it: give it a folder of its own."
        )
    return texts


def _is_own(file: Path) -> bool:
    """Whether a file belongs to the user, and not to an environment that happens to lie below the folder."""
    return "site-packages" not in file.parts and not file.is_relative_to(Path(__file__).parents[1])


def placed(model: str, texts: dict[str, str]) -> str:
    """The name under which a worker finds the model: the same, or that of a copy of its files."""
    if not texts:
        return model
    path, _, class_name = model.partition(":")
    content = hashlib.sha256("\0".join(f"{n}\0{t}" for n, t in sorted(texts.items())).encode()).hexdigest()
    folder = Path(tempfile.gettempdir()) / f"isrcheck-{content[:32]}"
    for name, text in texts.items():
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != text:
            write_aside(folder / name, text)
    return f"{folder / Path(path).name}:{class_name}"
