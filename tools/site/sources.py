"""The pages that MkDocs reads: README.md, CHANGELOG.md and docs/ with everything in this checkout to which they link.

Pages keep their places, so that links work as they do on GitHub. A folder becomes a list of its files, and a file of
code or data becomes a page that shows it.
"""

import os
import re
import shutil
from pathlib import Path

from tools.site.repository import (
    LINK,
    PAGES,
    ROOT,
    files_in_git,
    folder,
    is_folder,
    links,
    markdown,
    prose,
    read_file,
    target,
    title,
)

_AS_IT_IS = (".md", ".png", ".svg")
_LANGUAGES = {
    ".py": "python",
    ".ipynb": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".toml": "toml",
    ".properties": "properties",
}
_PICTURE = re.compile(r"(?<!\[)(!\[[^\]]*\]\(([^)\s]+)\))")
_FENCE_WITH_NAME = re.compile(r"^(\s*```\w+) ([^\n\"]+)$", re.MULTILINE)


def first() -> list[str]:
    """The pages that are in the site whoever links to them."""
    pages = [path for path in files_in_git() if path.startswith("docs/") and not path.startswith("docs/pictures/")]
    return ["README.md", "CHANGELOG.md", *pages]


def pages_of_site() -> list[str]:
    """All files and folders of the checkout that the site shows."""
    waiting = first()
    for path in waiting:
        waiting += [other for other in dict.fromkeys(leads_to(path)) if other not in waiting]
    return waiting


def leads_to(path: str) -> list[str]:
    """The pages to which a page links, or the files of a folder without a README."""
    if path.endswith(PAGES):
        return links(path)
    return [source_of(path)] if has_readme(path) else folder(path)


def has_readme(path: str) -> bool:
    return f"{path}/README.md" in files_in_git()


def source_of(path: str) -> str:
    """The page that shows a file or a folder; pictures and the site's own parts are there as they are."""
    if is_folder(path):
        return f"{path}/README.md" if has_readme(path) else f"{path}/index.md"
    return path if path.endswith(_AS_IT_IS) or path.startswith("docs/assets/") else f"{path}.md"


def write_sources(out: Path) -> None:
    """Writes every page into an empty folder."""
    for path in pages_of_site():
        file = out / source_of(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        if is_folder(path):
            if not has_readme(path):
                file.write_text(list_of(path), encoding="utf-8")
        elif path.endswith(PAGES):
            file.write_text(page(path), encoding="utf-8")
        elif source_of(path) == path:
            shutil.copyfile(ROOT / path, file)
        else:
            file.write_text(page_of_file(path), encoding="utf-8")


def page(path: str) -> str:
    """A page of Markdown, with links to pages where it links to folders and code, and names over its named blocks."""
    lines = (_line(path, line) if is_prose else line for is_prose, line in prose(markdown(path)))
    return _FENCE_WITH_NAME.sub(r'\1 title="\2"', "".join(lines))


def _line(path: str, line: str) -> str:
    """A line of prose; a picture leads to itself, as on GitHub, to be seen whole."""
    return LINK.sub(lambda match: _link(path, match[1]), _PICTURE.sub(r"[\1](\2)", line))


def _link(path: str, link: str) -> str:
    return os.path.relpath(source_of(target(path, link)), Path(path).parent)


def list_of(path: str) -> str:
    """The page of a folder."""
    files = [file for file in folder(path) if not file.endswith("000-template.md")]
    rows = [f"- [{title(file)}]({os.path.relpath(source_of(file), path)})" for file in files]
    return "\n".join([f"# {_NAMES.get(path, path)}", "", *rows, ""])


_NAMES = {"docs/adr": "Decisions"}


def page_of_file(path: str) -> str:
    """A file of code or data, as a page."""
    return f"# {path}\n\n````{_LANGUAGES.get(Path(path).suffix, 'text')}\n{read_file(path).rstrip()}\n````\n"
