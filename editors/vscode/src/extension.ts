/** Starts `isrcheck lsp` once a model is opened, and shows what it makes. */

import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { Server } from "./server";
import { mayHaveModels } from "./program";
import { Panels } from "./panels";
import { SHOW_TRACE } from "./protocol";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const panels = new Panels();
  const started = new Server(panels, (file) => readFile(file, "utf8"));
  server = started;
  const look = (document: vscode.TextDocument): void => {
    const isPython = document.languageId === "python" && document.uri.scheme === "file";
    if (isPython && mayHaveModels(document.getText())) void started.start();
  };
  context.subscriptions.push(
    panels,
    vscode.commands.registerCommand(SHOW_TRACE, (uri: string, model: string, property: string) => {
      if (!panels.reveal(uri, model, property)) {
        void vscode.window.showInformationMessage(`isrcheck: check ${model} again to see its counterexample.`);
      }
    }),
    vscode.commands.registerCommand("isrcheck.showCounterexample", () => {
      if (!panels.reveal()) void vscode.window.showInformationMessage("isrcheck: nothing was checked yet.");
    }),
    vscode.commands.registerCommand("isrcheck.restart", () => started.restart()),
    vscode.workspace.onDidOpenTextDocument(look),
    vscode.workspace.onDidSaveTextDocument(look),
    vscode.workspace.onDidChangeConfiguration((event) => {
      const matters = ["isrcheck.command", "isrcheck.arguments"].some((name) => event.affectsConfiguration(name));
      if (matters && started.isStarted) void started.restart();
    }),
  );
  vscode.workspace.textDocuments.forEach(look);
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
