/** The two pages beside the text: the explorer of each model, and the latest counterexample. */

import * as vscode from "vscode";
import { type Counterexamples, pageOf } from "./counterexamples";
import { explorerPage } from "./theme";

const VIEW = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };

export class Panels implements vscode.Disposable {
  private readonly explorers = new Map<string, vscode.WebviewPanel>();
  private trace: vscode.WebviewPanel | undefined;
  private latest: Counterexamples | undefined;
  private first = "";
  private readonly listening = vscode.window.onDidChangeActiveColorTheme(() => this.paint());

  /** One panel for each model; the page brings its own policy, which allows its own script and no network. */
  explore(uri: string, model: string, page: string): void {
    const key = `${uri} ${model}`;
    const panel = this.explorers.get(key) ?? this.made("isrcheck.explorer", `Explore ${model}`, true);
    this.explorers.set(key, panel);
    panel.onDidDispose(() => this.explorers.delete(key));
    panel.webview.html = explorerPage(page, isDark());
    panel.reveal(undefined, true);
  }

  /** A run without a counterexample replaces what the panel shows, and opens none. */
  show(found: Counterexamples): void {
    this.latest = found;
    if (found.drawings.length > 0) this.reveal();
    else this.paint();
  }

  /** False if that run is not the latest. */
  reveal(uri?: string, model?: string, property?: string): boolean {
    const shown = this.latest;
    if (shown === undefined || (uri !== undefined && (shown.uri !== uri || shown.model !== model))) return false;
    if (this.trace === undefined) {
      this.trace = this.made("isrcheck.counterexample", "Counterexample", false);
      this.trace.onDidDispose(() => (this.trace = undefined));
    }
    this.first = property ?? "";
    this.paint();
    this.trace.reveal(undefined, true);
    return true;
  }

  private paint(): void {
    if (this.trace !== undefined && this.latest !== undefined) {
      this.trace.webview.html = pageOf(this.latest, isDark(), this.first);
    }
  }

  dispose(): void {
    this.listening.dispose();
    for (const panel of [...this.explorers.values(), this.trace]) panel?.dispose();
  }

  private made(kind: string, title: string, enableScripts: boolean): vscode.WebviewPanel {
    const options = { enableScripts, localResourceRoots: [], retainContextWhenHidden: enableScripts };
    return vscode.window.createWebviewPanel(kind, title, VIEW, options);
  }
}

function isDark(): boolean {
  const { kind } = vscode.window.activeColorTheme;
  return kind === vscode.ColorThemeKind.Dark || kind === vscode.ColorThemeKind.HighContrast;
}
