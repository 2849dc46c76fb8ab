"""Policies and the methods that fill them, by the text of files that nobody imports.

What a class is made of by calls, or by names that are assigned to, is not followed.
"""

import ast
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from isrcheck.editor.facts import Filling
from isrcheck.editor.reading.file_facts import location
from isrcheck.place import source_text, unsaved

_MOST_FILES = 5_000  # of a workspace: what there is beyond them is not looked at
_PASSED_OVER = {"node_modules", "site-packages", "__pycache__", "build", "dist"}
_POLICY = "isrcheck.policy"


@dataclass(frozen=True)
class _ClassText:
    name: str
    module: "_ModuleText"
    tree: ast.ClassDef

    @cached_property
    def methods(self) -> dict[str, ast.FunctionDef]:
        return {node.name: node for node in self.tree.body if isinstance(node, ast.FunctionDef)}

    def declares(self, name: str) -> bool:
        """Whether it has a policy of this name."""
        method = self.methods.get(name)
        return method is not None and any(self.module.means(each) == _POLICY for each in method.decorator_list)


@dataclass(frozen=True)
class _ModuleText:
    """`imports`: by the name used here, the dotted name of what it is; what stands here has the file for a module."""

    file: Path
    tree: ast.Module
    imports: dict[str, str] = field(default_factory=dict)

    @cached_property
    def classes(self) -> dict[str, _ClassText]:
        nodes = (node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef))
        return {node.name: _ClassText(node.name, self, node) for node in nodes}

    def means(self, node: ast.expr) -> str:
        """The dotted name of what an expression names; empty for the rest."""
        match node:
            case ast.Name(name):
                return self.imports.get(name, f"{self.file}.{name}")
            case ast.Attribute(value, name):
                owner = self.means(value)
                return owner and f"{owner}.{name}"
            case ast.Subscript(value):
                return self.means(value)
        return ""


class TextIndex:
    """The modules of some folders, under every name by which others may import them: the first of each name."""

    def __init__(self, folders: Iterable[Path], packages: dict[str, Path]) -> None:
        self._modules: dict[str, _ModuleText] = {}
        for name, folder in packages.items():
            self._add(folder, name)
        for folder in folders:
            self._add(folder, "")

    def _add(self, folder: Path, package: str) -> None:
        for file in _files(folder):
            if str(file) not in self._modules:
                names = (
                    [_module_name(file, folder, package)]
                    if package
                    else [_module_name(file, _top(file)), _module_name(file, folder)]
                )
                with suppress(OSError, SyntaxError, UnicodeDecodeError, RecursionError, ValueError):
                    module = _read(file, names[0])
                    for name in (str(file), *names):
                        self._modules.setdefault(name, module)

    def fillings(self) -> Iterator[Filling]:
        for module in {id(module): module for module in self._modules.values()}.values():
            for cls in module.classes.values():
                for name, method in cls.methods.items():
                    opened = None if method.decorator_list else self._class_that_declares(name, cls, set())
                    if opened is not None:
                        at = location(str(module.file), method)
                        yield Filling(name, opened.name, str(opened.module.file), cls.name, at)

    def _class_that_declares(self, name: str, cls: _ClassText, visited: set[int]) -> _ClassText | None:
        """The base class that declares this policy."""
        for base in cls.tree.bases:
            above = self._class(cls.module.means(base), cls.module)
            if above is None or id(above) in visited:
                continue
            visited.add(id(above))
            declaring = above if above.declares(name) else self._class_that_declares(name, above, visited)
            if declaring is not None:
                return declaring
        return None

    def _class(self, dotted: str, asks: _ModuleText, visited: frozenset[str] = frozenset()) -> _ClassText | None:
        """Find a class by its dotted name, through imports. A neighbour of the asking file goes first."""
        module_name, _, name = dotted.rpartition(".")
        beside = asks.file.parent.joinpath(*module_name.split("."))
        keys = (f"{beside}.py", str(beside / "__init__.py"), module_name)
        module = next((self._modules[key] for key in keys if key in self._modules), None)
        if module is None or dotted in visited:
            return None
        if name in module.classes:
            return module.classes[name]
        return self._class(module.imports.get(name, ""), module, visited | {dotted})


def _files(folder: Path) -> Iterator[Path]:
    """Hidden folders, environments and what is built are passed over."""
    waiting, count = [folder], 0
    while waiting and count < _MOST_FILES:
        with suppress(OSError):
            for path in sorted(waiting.pop().iterdir()):
                if path.name.startswith(".") or path.name in _PASSED_OVER:
                    continue
                if path.is_dir() and not path.is_symlink() and not (path / "pyvenv.cfg").exists():
                    waiting.append(path)
                elif path.suffix == ".py" and (path.is_file() or str(path) in unsaved):
                    count += 1
                    yield path


def _top(file: Path) -> Path:
    """The folder from which a file is imported: above all packages around it."""
    folder = file.parent
    while (folder / "__init__.py").exists() and folder.parent != folder:
        folder = folder.parent
    return folder


def _module_name(file: Path, root: Path, package: str = "") -> str:
    parts = file.relative_to(root).with_suffix("").parts
    return ".".join(filter(None, [package, *(parts if parts[-1] != "__init__" else parts[:-1])]))


def _read(file: Path, name: str) -> _ModuleText:
    """`name`: by which it is imported; relative imports begin there."""
    tree = ast.parse(source_text(file), str(file))
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    imported = _ModuleText(file, tree)
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                for each in names:
                    first = each.name.partition(".")[0]
                    imported.imports[each.asname or first] = each.name if each.asname else first
            case ast.ImportFrom(module, names, level):
                above = package.split(".")[: len(package.split(".")) - level + 1] if level else []
                origin = ".".join(filter(None, [*above, module]))
                imported.imports.update({a.asname or a.name: f"{origin}.{a.name}" for a in names})
    return imported
