import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { beforeEach, test } from "node:test";
import { type Outline, targetOf } from "../src/models";
import { Panels } from "../src/panels";
import { mayHaveModels, missing, programOf } from "../src/program";
import { Server } from "../src/server";
import { stub } from "./stub";

beforeEach(() => {
  stub.told.panels.splice(0);
  stub.told.messages.splice(0);
  stub.window.activeTextEditor = undefined;
});

function open(languageId = "python"): void {
  stub.window.activeTextEditor = { document: { languageId, uri: { toString: () => "file:///a.py" } } };
}

const outline = (...names: string[]): Outline => {
  const symbols = names.map((name) => ({ name }) as Awaited<ReturnType<Outline>>[number]);
  return () => Promise.resolve(symbols);
};

test("the program is on the path, or a file of the workspace", () => {
  assert.equal(programOf("isrcheck", "/models"), "isrcheck");
  assert.equal(programOf("  ", "/models"), "isrcheck");
  assert.equal(programOf(".venv/bin/isrcheck", "/models"), path.join("/models", ".venv/bin/isrcheck"));
  assert.equal(programOf("${workspaceFolder}/bin/isrcheck", "/models"), "/models/bin/isrcheck");
  assert.equal(programOf("/opt/isrcheck", "/models"), "/opt/isrcheck");
  assert.equal(programOf(".venv/bin/isrcheck", undefined), ".venv/bin/isrcheck");
});

test("a server is started for files that import isrcheck only", () => {
  assert.ok(mayHaveModels('"""A model."""\nfrom isrcheck import Model\n'));
  assert.ok(mayHaveModels("import isrmodel.published\n"));
  assert.ok(!mayHaveModels("import isrchecker\n"));
  assert.ok(!mayHaveModels("# from isrcheck import Model\nimport numpy\n"));
});

test("who has no isrcheck reads one sentence with the remedy", () => {
  assert.match(missing("isrcheck", "spawn isrcheck ENOENT"), /^isrcheck lsp cannot be run \(.*\)\. Install it with .* or set /u);
});

test("a command means the model of its lens, the only one of the file, or the one that is chosen", async () => {
  assert.deepEqual(await targetOf(["file:///b.py", "Lens"], outline()), ["file:///b.py", "Lens"]);
  assert.equal(await targetOf([], outline("One")), undefined);
  open("rust");
  assert.equal(await targetOf([], outline("One")), undefined);
  open();
  assert.deepEqual(await targetOf([], outline("One")), ["file:///a.py", "One"]);
  assert.deepEqual(await targetOf([], outline("One", "Two")), ["file:///a.py", "Two"]);
  assert.equal(await targetOf([], outline()), undefined);
  assert.deepEqual(stub.told.picks, [["One", "Two"]]);
  assert.deepEqual(stub.told.messages.slice(-1), ["isrcheck: this file has no model that can be read."]);
});

test("what explore answers is shown, and what it refuses is not", async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "isrcheck-")), "page.html");
  writeFileSync(file, "<head></head>the page");
  const read = (name: string): Promise<string> => Promise.resolve(name === file ? "<head></head>the page" : "");
  const server = new Server(new Panels(), read);
  const asked: unknown[] = [];
  const answering = (answer: unknown) => (command: string, given: unknown[]) => {
    asked.push([command, given]);
    return answer;
  };
  await server.execute("isrcheck.explore", ["file:///a.py", "Lamp"], answering({ path: file }));
  assert.match(stub.told.panels[0]?.webview.html ?? "", /the page/u);
  for (const answer of [{ error: "no" }, null, undefined, "x", { path: 3 }]) {
    await server.execute("isrcheck.explore", ["file:///a.py", "Lamp"], answering(answer));
  }
  await server.execute("isrcheck.check", ["file:///a.py", "Lamp"], answering({ path: file }));
  assert.equal(stub.told.panels.length, 1);
  await server.execute("another", [1], answering(null));
  assert.deepEqual(asked.at(-1), ["another", [1]]);
});

test("a server that was not found is started once the settings say where it is", async () => {
  const server = new Server(new Panels(), () => Promise.resolve(""));
  stub.told.settings["command"] = "nowhere";
  await Promise.all([server.start(), server.start()]);
  assert.equal(stub.told.clients.length, 1);
  assert.deepEqual(stub.told.messages.length, 1);
  assert.match(stub.told.messages[0] ?? "", /^isrcheck: nowhere lsp cannot be run \(there is no such program\)/u);
  delete stub.told.settings["command"];
  await server.restart();
  await server.restart();
  assert.deepEqual(
    stub.told.clients.map(({ running }) => running),
    [false, false, true],
  );
  await server.stop();
  await server.stop();
  assert.equal(stub.told.clients.some(({ running }) => running), false);
});
