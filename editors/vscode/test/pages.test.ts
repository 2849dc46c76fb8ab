import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { counterexamplesOf, pageOf } from "../src/counterexamples";
import { Panels } from "../src/panels";
import type { OutcomeMessage } from "../src/protocol";
import { explorerPage, themed } from "../src/theme";
import { stub } from "./stub";

const DARK = "<style>@media (prefers-color-scheme: dark){a{b:c}}</style>";

function message(changed: Partial<OutcomeMessage> = {}): OutcomeMessage {
  const violated = { kind: "invariant", verdict: "violated" };
  return {
    uri: "file:///a.py",
    model: "Lamp",
    command: "check",
    outcome: {
      verdict: "violated",
      properties: [
        { name: "counted", kind: "invariant", verdict: "holds", trace: null },
        { name: "seldom_on", ...violated, trace: { length: 4 } },
        { name: "<b>", ...violated, trace: { length: 2 } },
        { name: "undrawn", ...violated, trace: { length: 9 } },
        { name: "worn", kind: "reachable", verdict: "holds", trace: { length: 6 } },
      ],
    },
    traces: { seldom_on: { svg: "/on.svg" }, "<b>": { svg: "/b.svg" }, worn: { svg: "/worn.svg" }, undrawn: {} },
    ...changed,
  };
}

const read = (file: string): Promise<string> => Promise.resolve(`<svg id="${file}"/>`);
const GREEN = { verdict: "holds", properties: [] };

beforeEach(() => stub.told.panels.splice(0));

test("counterexamples are what is violated and drawn, in steps", async () => {
  const found = await counterexamplesOf(message(), read);
  assert.equal(found.title, "check Lamp: violated");
  assert.deepEqual(
    found.drawings.map(({ title }) => title),
    ["seldom_on is violated in 3 steps", "<b> is violated in 1 step"],
  );
});

test("a page has its drawings as images, that of the lens first, and nothing that runs", async () => {
  const found = await counterexamplesOf(message(), read);
  const page = pageOf(found, false, "<b>");
  const images = [...page.matchAll(/base64,([^"]+)"/gu)].map((match) => Buffer.from(match[1] ?? "", "base64").toString());
  assert.deepEqual(images, ['<svg id="/b.svg"/>', '<svg id="/on.svg"/>']);
  assert.match(page, /default-src 'none'/u);
  assert.doesNotMatch(page, /<b>|<script/u);
});

test("pages are as dark as the editor, whatever the system prefers", () => {
  assert.equal(themed(DARK, true), "<style>@media all{a{b:c}}</style>");
  assert.equal(themed(DARK, false), "<style>@media not all{a{b:c}}</style>");
  assert.match(explorerPage("<head></head>", true), /#copy\{display:none\}<\/style>\n<\/head>/u);
});

test("a panel opens for a counterexample, and shows later that there is none", async () => {
  const panels = new Panels();
  panels.show(await counterexamplesOf(message({ outcome: GREEN }), read));
  assert.equal(stub.told.panels.length, 0);
  panels.show(await counterexamplesOf(message(), read));
  panels.show(await counterexamplesOf(message(), read));
  assert.equal(stub.told.panels.length, 1);
  const [panel] = stub.told.panels;
  assert.equal(panel?.options.enableScripts, false);
  panels.show(await counterexamplesOf(message({ outcome: GREEN }), read));
  assert.match(panel?.webview.html ?? "", /check Lamp: holds<\/h1>\n<p>There is no counterexample\.<\/p>/u);
  panels.dispose();
});

test("a lens shows its own model's latest run, or nothing", async () => {
  const panels = new Panels();
  assert.equal(panels.reveal(), false);
  panels.show(await counterexamplesOf(message(), read));
  assert.equal(panels.reveal("file:///a.py", "Lamp", "<b>"), true);
  assert.equal(panels.reveal("file:///a.py", "Other", "<b>"), false);
  assert.equal(panels.reveal("file:///b.py", "Lamp", "<b>"), false);
  stub.told.panels[0]?.dispose();
  assert.equal(panels.reveal("file:///a.py", "Lamp", "<b>"), true);
  assert.equal(stub.told.panels.length, 2);
  panels.dispose();
});

test("a counterexample follows the editor's theme", async () => {
  const panels = new Panels();
  panels.show(await counterexamplesOf(message(), () => Promise.resolve(DARK)));
  const light = stub.told.panels[0]?.webview.html;
  stub.window.activeColorTheme.kind = 2;
  stub.told.changeTheme();
  assert.notEqual(stub.told.panels[0]?.webview.html, light);
  stub.window.activeColorTheme.kind = 1;
  panels.dispose();
});

test("each model has one explorer, in which its own script runs", () => {
  const panels = new Panels();
  for (const model of ["Lamp", "Lamp", "Door"]) panels.explore("file:///a.py", model, "<head></head>");
  assert.deepEqual(
    stub.told.panels.map(({ title, options }) => [title, options.enableScripts]),
    [
      ["Explore Lamp", true],
      ["Explore Door", true],
    ],
  );
  stub.told.panels[0]?.dispose();
  panels.explore("file:///a.py", "Lamp", "<head></head>");
  assert.equal(stub.told.panels.length, 3);
  panels.dispose();
});
