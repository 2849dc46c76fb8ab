"""Makes specs/tla, the text of every model as TLA+, a folder for each family: python -m tools.reports.tla.

One family, specs/tla/async_isr, is kept in git.
"""

import sys
from pathlib import Path

from isrcheck.catalogue import family_of, models_by_name
from isrcheck.files import write_aside
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.tla.export import to_tla

FOLDER = Path(__file__).parents[2] / "specs" / "tla"


def families() -> list[str]:
    return sorted({family_of(cls) for cls in models_by_name().values()})


def texts(family: str) -> dict[str, str]:
    """Every file of a family by its path under specs/tla. Raises ValueError if two disagree on what they share."""
    files: dict[str, str] = {}
    for cls in models_by_name().values():
        if family_of(cls) == family:
            for name, source in to_tla(bind(read_model(cls), {})).files.items():
                path = f"{family}/{name}"
                if files.setdefault(path, source) != source:
                    raise ValueError(f"{cls.__name__} has another {path} than the models before it.")
    return files


def main() -> int:
    wanted = {path: source for family in families() for path, source in texts(family).items()}
    for file in FOLDER.rglob("*.*"):
        if file.is_file() and file.relative_to(FOLDER).as_posix() not in wanted:
            file.unlink()
    for path, source in wanted.items():
        write_aside(FOLDER / path, source)
    print(f"{len(wanted)} files in specs/tla")
    return 0


if __name__ == "__main__":
    sys.exit(main())
