/** isrcheck's pages and drawings are light or dark as the editor is, which may differ from what the system prefers. */

const PREFERS_DARK = "(prefers-color-scheme: dark)";

export function themed(text: string, isDark: boolean): string {
  return text.replaceAll(`@media ${PREFERS_DARK}`, isDark ? "@media all" : "@media not all");
}

/** The explorer's page for a panel, where its address leads nowhere, so that there is no link to copy. */
export function explorerPage(page: string, isDark: boolean): string {
  return themed(page, isDark).replace("</head>", "<style>#copy{display:none}</style>\n</head>");
}
