/** What `isrcheck lsp` says beyond the protocol; docs/editor.md describes it. */

export const OUTCOME = "isrcheck/outcome";
export const SHOW_TRACE = "isrcheck.showTrace";
export const EXPLORE = "isrcheck.explore";
/** Commands of the server whose arguments are a file's address and the name of a model in it. */
export const OF_A_MODEL: readonly string[] = ["isrcheck.check", EXPLORE, "isrcheck.prove"];

export interface PropertyOutcome {
  readonly name: string;
  readonly kind: string;
  readonly verdict: string;
  readonly trace: { readonly length: number } | null;
}

/** The notification. The files of a trace lie in a folder that the server removes when it ends. */
export interface OutcomeMessage {
  readonly uri: string;
  readonly model: string;
  readonly command: string;
  readonly outcome: { readonly verdict: string; readonly properties: readonly PropertyOutcome[] };
  readonly traces: Readonly<Record<string, { readonly svg?: string } | undefined>>;
}
