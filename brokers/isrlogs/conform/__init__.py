"""Is what brokers did a behaviour of a model? `isrcheck conform` (docs/conform.md)."""
