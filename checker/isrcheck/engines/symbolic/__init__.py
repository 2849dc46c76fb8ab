"""z3 over the scalar transition system: the only room that imports z3."""
