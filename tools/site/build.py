"""Makes the site: python -m tools.site.build [FOLDER].

Pages are gathered, isrcheck makes the matrix and the bugs, and MkDocs makes the site of them; any warning is an error.
It needs no network. What it made is then checked: no link leads nowhere.
"""

import logging
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from mkdocs.commands.build import build
from mkdocs.config import load_config
from tools.reports import matrix
from tools.site.bugs import write_bugs
from tools.site.links import links_to_nowhere
from tools.site.matrix_page import matrix_page
from tools.site.repository import ROOT, navigation
from tools.site.sources import write_sources

SITE = ROOT / "site"


def build_site(out: Path = SITE) -> None:
    """Makes the whole site in a folder. Raises mkdocs.exceptions.Abort on a warning, ValueError on a broken link."""
    with TemporaryDirectory() as folder:
        sources = Path(folder)
        write_pages(sources)
        write_bugs(sources / "bugs")
        matrix.main(sources / "matrix")
        render(sources, out)
    if wrong := links_to_nowhere(out):
        raise ValueError("links that lead nowhere:\n" + "\n".join(wrong))


def write_pages(sources: Path) -> None:
    """The pages that take no run of a model."""
    write_sources(sources)
    (sources / "matrix.md").write_text(matrix_page(), encoding="utf-8")


def render(sources: Path, out: Path) -> None:
    """Makes a site of a folder of pages."""
    config = load_config(
        str(ROOT / "mkdocs.yml"), docs_dir=str(sources), site_dir=str(out), nav=navigation(), strict=True
    )
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    config.plugins.on_shutdown()


def main(folder: str = str(SITE)) -> None:
    """Makes the site, and says where it is."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    build_site(Path(folder))
    sys.stdout.write(f"{Path(folder) / 'index.html'}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
