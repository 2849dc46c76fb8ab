/** The latest counterexample, as a page. */

import type { OutcomeMessage, PropertyOutcome } from "./protocol";
import { themed } from "./theme";

export interface Drawing {
  readonly property: string;
  readonly title: string;
  readonly svg: string;
}

export interface Counterexamples {
  readonly uri: string;
  readonly model: string;
  readonly title: string;
  readonly drawings: readonly Drawing[];
}

type Read = (file: string) => Promise<string>;

/** Read at once: a later run may remove the files. */
export async function counterexamplesOf(message: OutcomeMessage, read: Read): Promise<Counterexamples> {
  const { uri, model, command, outcome, traces } = message;
  const drawings: Drawing[] = [];
  for (const property of outcome.properties) {
    const file = traces[property.name]?.svg;
    if (property.verdict === "violated" && file !== undefined) {
      drawings.push({ property: property.name, title: titleOf(property), svg: await read(file) });
    }
  }
  return { uri, model, title: `${command} ${model}: ${outcome.verdict}`, drawings };
}

/** With the number of steps, as everywhere in isrcheck: a trace of 12 states has 11. */
function titleOf(property: PropertyOutcome): string {
  if (property.trace === null) return `${property.name} is violated`;
  const steps = property.trace.length - 1;
  return `${property.name} is violated in ${steps} ${steps === 1 ? "step" : "steps"}`;
}

/** With the drawing of `first` before the others. A drawing is an image: nothing in it can run. */
export function pageOf(shown: Counterexamples, isDark: boolean, first = ""): string {
  const ordered = [...shown.drawings].sort((a, b) => Number(b.property === first) - Number(a.property === first));
  const figures = ordered.map(({ title, svg }) => {
    const drawn = Buffer.from(themed(svg, isDark), "utf8").toString("base64");
    return `<img alt="${escaped(title)}" src="data:image/svg+xml;base64,${drawn}">`;
  });
  const body = figures.length > 0 ? figures.join("\n") : "<p>There is no counterexample.</p>";
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<style>body{padding:0 12px 24px}h1{font-size:14px;font-weight:600}img{display:block;max-width:100%;margin:0 0 24px}</style>
</head>
<body>
<h1>${escaped(shown.title)}</h1>
${body}
</body>
</html>
`;
}

function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/gu, (letter) => names[letter] ?? letter);
}
