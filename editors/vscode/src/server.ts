/** The server's process, and what passes between it and the editor. */

import * as vscode from "vscode";
import { DocumentSymbolRequest, LanguageClient, RevealOutputChannelOn } from "vscode-languageclient/node";
import type { DocumentSymbol, LanguageClientOptions } from "vscode-languageclient/node";
import { counterexamplesOf } from "./counterexamples";
import { type Target, targetOf } from "./models";
import type { Panels } from "./panels";
import { missing, programOf } from "./program";
import { EXPLORE, OF_A_MODEL, OUTCOME, type OutcomeMessage } from "./protocol";

type Read = (file: string) => Promise<string>;
type Next = (command: string, given: unknown[]) => unknown;

/** Says nothing of a start that fails: that is said once, with what to do. */
class Client extends LanguageClient {
  override error(message: string, data?: unknown, showNotification?: boolean | "force"): void {
    super.error(message, data, this.isRunning() ? showNotification : false);
  }
}

export class Server {
  private client: LanguageClient | undefined;
  private starting: Promise<void> | undefined;

  constructor(
    private readonly panels: Panels,
    private readonly read: Read,
  ) {}

  get isStarted(): boolean {
    return this.starting !== undefined;
  }

  /** Once, however often it is asked. */
  start(): Promise<void> {
    this.starting ??= this.begin();
    return this.starting;
  }

  async stop(): Promise<void> {
    const [client, starting] = [this.client, this.starting];
    this.client = this.starting = undefined;
    await starting;
    await setRunning(false);
    if (client?.isRunning() === true) await client.dispose(); // one that did not start refuses to stop
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  private async begin(): Promise<void> {
    const settings = vscode.workspace.getConfiguration("isrcheck");
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const command = programOf(settings.get("command", "isrcheck"), folder);
    const args = ["lsp", ...settings.get<string[]>("arguments", [])];
    const options = folder === undefined ? {} : { cwd: folder };
    const client = new Client("isrcheck", "isrcheck", { command, args, options }, this.options());
    this.client = client;
    client.onNotification(OUTCOME, (message: OutcomeMessage) => this.show(message));
    try {
      await client.start();
      await setRunning(true);
    } catch (error) {
      void this.failed(command, error); // which waits for the user
    }
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [{ language: "python", scheme: "file" }],
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      middleware: { executeCommand: (command, given, next) => this.execute(command, given, next) },
    };
  }

  /** A command of the server: with the model it means, and with what becomes of its answer. */
  async execute(command: string, given: unknown[], next: Next): Promise<unknown> {
    if (!OF_A_MODEL.includes(command)) return next(command, given);
    const target = await targetOf(given, (uri) => this.outline(uri));
    if (target === undefined) return undefined;
    const answer = await next(command, [...target]);
    if (command === EXPLORE) await this.explore(target, answer);
    return answer;
  }

  private async explore([uri, model]: Target, answer: unknown): Promise<void> {
    const page = answer !== null && typeof answer === "object" && "path" in answer ? answer.path : undefined;
    if (typeof page === "string") this.panels.explore(uri, model, await this.read(page));
  }

  private async show(message: OutcomeMessage): Promise<void> {
    this.panels.show(await counterexamplesOf(message, this.read));
  }

  private async outline(uri: string): Promise<readonly DocumentSymbol[]> {
    const found = await this.client?.sendRequest(DocumentSymbolRequest.type, { textDocument: { uri } });
    return (found ?? []).filter((symbol): symbol is DocumentSymbol => "selectionRange" in symbol);
  }

  private async failed(command: string, error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    const settings = "Open Settings";
    const chosen = await vscode.window.showErrorMessage(`isrcheck: ${missing(command, reason)}`, settings);
    if (chosen === settings) await vscode.commands.executeCommand("workbench.action.openSettings", "isrcheck.command");
  }
}

async function setRunning(running: boolean): Promise<void> {
  await vscode.commands.executeCommand("setContext", "isrcheck.running", running);
}
