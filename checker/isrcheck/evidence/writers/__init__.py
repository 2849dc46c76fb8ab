"""The forms of a document."""
