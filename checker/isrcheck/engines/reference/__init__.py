"""The reference: CPython runs the model as it stands. What every other engine is compared with."""
