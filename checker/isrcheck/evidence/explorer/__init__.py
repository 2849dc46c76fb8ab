"""The page on which one walks through a model by hand, from a file or from a server on this machine."""
