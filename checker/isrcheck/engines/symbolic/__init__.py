"""z3 over the scalar transition system: the only room that imports z3."""

from isrcheck.extras import need

need("z3")  # for this folder
