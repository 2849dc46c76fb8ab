/** One file with the extension and the libraries that it uses, and one with the licences of those libraries. */

import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const { metafile } = await build({
  entryPoints: ["src/extension.ts"],
  outfile: "out/extension.js",
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
  metafile: true,
  logLevel: "warning",
});

/** The folder of the package that a file belongs to; none for the extension's own. */
function packageOf(file) {
  const parts = file.split("/");
  const at = parts.lastIndexOf("node_modules");
  if (at < 0) return undefined;
  return parts.slice(0, at + (parts[at + 1].startsWith("@") ? 3 : 2)).join("/");
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/iu.test(each));
  if (file === undefined || !existsSync(path.join(folder, file))) throw new Error(`${name} has no text of its licence.`);
  return `${name} ${version} (${license})\n\n${readFileSync(path.join(folder, file), "utf8").trim()}\n`;
}

const folders = new Set(Object.keys(metafile.inputs).map(packageOf));
folders.delete(undefined);
writeFileSync("out/licences.txt", [...folders].sort().map(licenceOf).join(`\n${"-".repeat(80)}\n\n`));
