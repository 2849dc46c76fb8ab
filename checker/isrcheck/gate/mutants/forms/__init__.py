"""A survey of mutants in each form that it can be had in, made of its facts alone."""
