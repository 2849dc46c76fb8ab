"""Values of the model written in scalars: the shapes that expressions have once composite values are taken apart.

A sequence's slots beyond its length, and an absent optional value, are all zero, so that equal values have equal nodes.
"""
