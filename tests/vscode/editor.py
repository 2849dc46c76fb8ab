"""VS Code in a browser (code-server) with the extension, and a model open in it."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import FrameLocator, Locator, Page, expect

ROOT = Path(__file__).parents[2]
SETTINGS = {
    "isrcheck.command": str(Path(sys.executable).with_name("isrcheck")),
    "telemetry.telemetryLevel": "off",
    "workbench.startupEditor": "none",
    "chat.disableAIFeatures": True,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "editor.minimap.enabled": False,
    "editor.autoClosingBrackets": "never",
    "extensions.autoUpdate": False,
}
PATIENCE = 120_000  # ms: the editor, its extension host and a server start on a machine that does other things too


@contextmanager
def code_server(program: str, vsix: Path, room: Path, settings: dict[str, object]) -> Iterator[str]:
    """The address of an editor that has this extension alone; nothing of the user's."""
    kept = ["--user-data-dir", str(room / "data"), "--extensions-dir", str(room / "extensions")]
    environment = {**os.environ, "XDG_CONFIG_HOME": str(room / "config"), "XDG_DATA_HOME": str(room / "share")}
    (room / "data" / "User").mkdir(parents=True)
    (room / "data" / "User" / "settings.json").write_text(json.dumps({**SETTINGS, **settings}), encoding="utf-8")
    subprocess.run([program, *kept, "--install-extension", str(vsix)], env=environment, check=True, timeout=600)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [program, *kept, "--auth", "none", "--bind-addr", f"127.0.0.1:{port}"]
    words += ["--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"]
    log = (room / "code-server.log").open("w")
    with log, subprocess.Popen(words, env=environment, stdout=log, stderr=log, start_new_session=True) as running:
        try:
            yield f"127.0.0.1:{port}"
        finally:
            os.killpg(running.pid, 15)


@dataclass
class Editor:
    """What a person does and sees."""

    page: Page
    pictures: Path

    def open(self, host: str, folder: Path, name: str) -> None:
        self.visit(host, folder, name)
        try:
            self.lens("check").wait_for()
        except Exception:
            self.shoot("failed")
            raise

    def visit(self, host: str, folder: Path, name: str) -> None:
        opened = json.dumps([["openFile", f"vscode-remote://{host}{folder / name}"]])
        self.page.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        self._until_it_answers(f"http://{host}/?folder={quote(str(folder))}&payload={quote(opened)}")

    def _until_it_answers(self, address: str) -> None:
        for _ in range(60):
            try:
                self.page.goto(address)
                return
            except Exception:  # nobody listens yet
                self.page.wait_for_timeout(500)
        raise TimeoutError(f"no editor at {address}")

    def lens(self, text: str) -> Locator:
        return self.page.locator(".codelens-decoration a", has_text=re.compile(f"^{text}")).first

    def panel(self, text: str) -> FrameLocator:
        """The page in the panel that shows this text."""
        self.page.locator(".tab", has_text=text).wait_for()
        return self.page.frame_locator("iframe.webview.ready:visible").last.frame_locator("iframe#active-frame")

    def word(self, line: str, word: str) -> Locator:
        """A word in the line of the text that has this."""
        return self.page.locator(".view-line", has_text=line).first.locator("span span", has_text=word).first

    def command(self, title: str) -> None:
        self.page.keyboard.press("F1")
        self.page.keyboard.type(title)
        self.page.locator(".quick-input-list .monaco-list-row", has_text=title).first.click()

    def shoot(self, name: str) -> None:
        self.page.wait_for_timeout(700)
        self.page.screenshot(path=self.pictures / f"{name}.png")


def vsix() -> Path | None:
    """The latest that `./dev vsix` made."""
    found = sorted((ROOT / "dist").glob("isrcheck-*.vsix"), key=lambda file: file.stat().st_mtime)
    return found[-1] if found else None


def program() -> str | None:
    return shutil.which(os.environ.get("CODE_SERVER", "code-server"))
