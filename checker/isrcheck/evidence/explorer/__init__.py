"""The page on which one walks through a model, from a file or from a server here."""
