"""The page that walks through a model."""
