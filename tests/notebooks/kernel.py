"""Cells run in a kernel of its own, as a notebook runs them, without any network."""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbformat import NotebookNode

SECONDS = 300  # for one cell, on a machine that is busy
ALONE = """
import socket
def refused(*_, **__): raise OSError("this notebook asks for the network")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refused
"""


def run(notebook: "NotebookNode", folder: Path, allow_errors: bool = False) -> "list[NotebookNode]":
    """Runs a notebook in a folder, without a network; its code cells with their outputs."""
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from traitlets.config import Config

    notebook.cells.insert(0, _cell(ALONE))
    with TemporaryDirectory(prefix="k") as sockets:  # a socket's path has 107 letters at the most
        config = Config()
        config.AsyncKernelManager.transport = "ipc"
        config.AsyncKernelManager.connection_file = f"{sockets}/k.json"
        NotebookClient(
            notebook,
            timeout=SECONDS,
            startup_timeout=SECONDS,
            allow_errors=allow_errors,
            kernel_name="python3",
            kernel_manager_class=AsyncKernelManager,
            resources={"metadata": {"path": str(folder)}},
            config=config,
        ).execute()
    return [cell for cell in notebook.cells[1:] if cell.cell_type == "code"]


def read(file: Path) -> "NotebookNode":
    import nbformat

    notebook: NotebookNode = nbformat.read(file, as_version=4)
    return notebook


def cells(texts: Iterable[str], folder: Path) -> list[list[dict[str, Any]]]:
    """The outputs of each cell; errors are outputs."""
    notebook = _node({"cells": list(map(_cell, texts)), "metadata": {}, "nbformat": 4, "nbformat_minor": 4})
    return [list(cell.outputs) for cell in run(notebook, folder, allow_errors=True)]


def _cell(source: str) -> "NotebookNode":
    return _node({"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": None})


def _node(data: dict[str, Any]) -> "NotebookNode":
    from nbformat import from_dict

    node: NotebookNode = from_dict(data)
    return node
