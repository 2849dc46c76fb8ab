"""Cells run in a kernel of its own, as a notebook runs them, without any network."""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from traitlets.config import Config

SECONDS = 300  # for one cell, on a machine that is busy
ALONE = """
import socket
def refused(*_, **__): raise OSError("this notebook asks for the network")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refused
"""


def run(notebook: NotebookNode, folder: Path, allow_errors: bool = False) -> list[NotebookNode]:
    """Runs a notebook in a folder, without a network; its code cells with their outputs."""
    notebook.cells.insert(0, new_code_cell(ALONE))
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


def cells(texts: Iterable[str], folder: Path) -> list[list[dict[str, Any]]]:
    """The outputs of each cell; errors are outputs."""
    found = run(new_notebook(cells=list(map(new_code_cell, texts))), folder, allow_errors=True)
    return [list(cell.outputs) for cell in found]
