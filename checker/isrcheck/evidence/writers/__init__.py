"""The forms of a document: for a terminal, as Markdown, and as a page for a browser."""
