"""Values of the model written in scalars.

Slots beyond a sequence's length, and an absent optional value, are all zero: equal values have
equal nodes.
"""
