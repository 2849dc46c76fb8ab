"""TLA+: the text of a model as modules for people and for TLC, and TLC's configurations and traces read back."""
