"""The reading of model files for an editor, in processes that are thrown away (docs/adr/037)."""
