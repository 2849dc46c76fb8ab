"""TLA+: models as modules for people and for TLC; TLC's configurations and traces read back."""
