/** What the stand-in of the editor was told. */

import * as vscode from "vscode";

export interface StubPanel {
  readonly kind: string;
  readonly title: string;
  readonly options: { readonly enableScripts: boolean };
  readonly webview: { readonly html: string };
  readonly revealed: number;
  dispose(): void;
}

interface Told {
  readonly panels: StubPanel[];
  readonly messages: string[];
  readonly picks: string[][];
  readonly clients: { readonly running: boolean }[];
  readonly settings: Record<string, unknown>;
  changeTheme(): void;
}

export const stub = vscode as unknown as {
  readonly told: Told;
  readonly window: { activeTextEditor: unknown; activeColorTheme: { kind: number } };
};
