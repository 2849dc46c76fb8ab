/** Which program the settings name. */

import * as path from "node:path";

/** A command with a slash is a file, relative to the workspace's folder; any other is looked for on the path. */
export function programOf(command: string, folder: string | undefined): string {
  const wanted = command.trim() || "isrcheck";
  const named = folder === undefined ? wanted : wanted.replaceAll("${workspaceFolder}", folder);
  const isFile = named.includes("/") || named.includes(path.sep);
  return isFile && folder !== undefined && !path.isAbsolute(named) ? path.join(folder, named) : named;
}

/** Whether a text is likely to have a model; for other Python files no server is started. */
export function mayHaveModels(text: string): boolean {
  return /^\s*(?:from|import)\s+(?:isrcheck|isrmodel)\b/mu.test(text);
}

/** One sentence for whoever has no isrcheck, or one without the server. */
export function missing(program: string, reason: string): string {
  const why = reason.includes("ENOENT") ? "there is no such program" : reason;
  return (
    `${program} lsp cannot be run (${why}). Install it with \`pip install "CHECKOUT[editor]"\` ` +
    "(CHECKOUT is a clone of isrcheck), " +
    "or set isrcheck.command to where it is."
  );
}
