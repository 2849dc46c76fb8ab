/** Which model a command means that was not given one. */

import * as vscode from "vscode";
import type { DocumentSymbol } from "vscode-languageclient/node";

export type Outline = (uri: string) => Promise<readonly DocumentSymbol[]>;
export type Target = readonly [uri: string, model: string];

/** The arguments as they came, or a model of the file in the editor: the only one, or the one that is chosen. */
export async function targetOf(given: readonly unknown[], outline: Outline): Promise<Target | undefined> {
  const [uri, model] = given;
  if (typeof uri === "string" && typeof model === "string") return [uri, model];
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== "python") {
    void vscode.window.showInformationMessage("isrcheck: open the file of a model first.");
    return undefined;
  }
  const address = document.uri.toString();
  const names = (await outline(address)).map((symbol) => symbol.name);
  if (names.length === 0) {
    void vscode.window.showInformationMessage("isrcheck: this file has no model that can be read.");
    return undefined;
  }
  const chosen = names.length === 1 ? names[0] : await vscode.window.showQuickPick(names, { title: "Which model?" });
  return chosen === undefined ? undefined : [address, chosen];
}

