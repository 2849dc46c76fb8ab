/** Stands in for the editor where there is none: what the extension asks of it, and a record of what it was told. */

const Module = require("node:module");

const event = () => {
  const listeners = [];
  const on = (listener) => {
    listeners.push(listener);
    return { dispose: () => listeners.splice(listeners.indexOf(listener), 1) };
  };
  return [on, (value) => listeners.forEach((listener) => listener(value))];
};
const [onDidChangeActiveColorTheme, changeTheme] = event();

const told = { panels: [], messages: [], picks: [], clients: [], commands: [], settings: {}, changeTheme };

const createWebviewPanel = (kind, title, _column, options) => {
  const [onDidDispose, disposed] = event();
  const panel = { kind, title, options, webview: { html: "" }, revealed: 0, onDidDispose };
  panel.reveal = () => (panel.revealed += 1);
  panel.dispose = () => disposed();
  told.panels.push(panel);
  return panel;
};

const say = (message) => {
  told.messages.push(message);
  return Promise.resolve(undefined);
};

const vscode = {
  ViewColumn: { Beside: -2 },
  ColorThemeKind: { Light: 1, Dark: 2, HighContrast: 3, HighContrastLight: 4 },
  window: {
    activeColorTheme: { kind: 1 },
    activeTextEditor: undefined,
    onDidChangeActiveColorTheme,
    createWebviewPanel,
    showInformationMessage: say,
    showErrorMessage: say,
    showQuickPick: (names) => {
      told.picks.push(names);
      return Promise.resolve(names[1]);
    },
  },
  commands: {
    executeCommand: (...words) => {
      told.commands.push(words);
      return Promise.resolve(undefined);
    },
  },
  workspace: { getConfiguration: () => ({ get: (name, given) => told.settings[name] ?? given }), workspaceFolders: undefined },
  told,
};

/** A server that is there if its command is "isrcheck". */
class Client {
  constructor(_id, _name, { command }) {
    this.command = command;
    this.running = false;
    told.clients.push(this);
  }
  onNotification() {}
  isRunning() {
    return this.running;
  }
  start() {
    this.running = this.command === "isrcheck";
    return this.running ? Promise.resolve() : Promise.reject(new Error(`spawn ${this.command} ENOENT`));
  }
  dispose() {
    if (!this.running) return Promise.reject(new Error("it is not running"));
    this.running = false;
    return Promise.resolve();
  }
}

const load = Module._load;
Module._load = (name, ...rest) => {
  if (name === "vscode") return vscode;
  // the client's library needs a real editor; what it does is tested there
  if (name === "vscode-languageclient/node") return { LanguageClient: Client, RevealOutputChannelOn: {} };
  return load(name, ...rest);
};
