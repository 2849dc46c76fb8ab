"""The checkout in which the gate runs, and whether a file is the user's own text in it."""

import os
import sys
from pathlib import Path

_INSTALLED = frozenset({"site-packages", "dist-packages"})


def checkout_root() -> Path:
    """Return the folder that has .git, at or above the working directory; without one, the working directory."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def is_own_text(file: str) -> bool:
    """Whether a file lies in the checkout and belongs to no installed package."""
    path = Path(file).resolve()
    return path.is_relative_to(checkout_root().resolve()) and _INSTALLED.isdisjoint(path.parts)


def checkout_path(file: str) -> str:
    """Return the path of a file relative to the checkout, with slashes; it begins with .. outside."""
    return Path(os.path.relpath(Path(file).resolve(), checkout_root().resolve())).as_posix()


def library_path(file: str) -> str:
    """Return the path of a file of a library relative to the folder from which Python imports it, with slashes."""
    path = Path(file).resolve()
    folders = [Path(folder).resolve() for folder in sys.path if folder]
    above = max((f for f in folders if path.is_relative_to(f)), key=lambda f: len(f.parts), default=path.parent)
    return path.relative_to(above).as_posix()
