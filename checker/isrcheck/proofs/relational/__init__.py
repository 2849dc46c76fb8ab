"""A model's IR to a relational system: formulas over sorts without size, unbounded integers, functions and predicates.

The second lowering of the same text (docs/adr/032). Read `system.py`; `terms.py` has the formulas.
"""
