"""z3 over the scalar transition system: bounded search and symbolic constants."""

from isrcheck.extras import need

need("z3")  # for this folder
