"""The modelling language: what an author imports, and the reader of model text."""
