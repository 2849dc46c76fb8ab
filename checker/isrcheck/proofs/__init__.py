"""Proofs for any number of steps and of members: z3 and cvc5 over the relational system (docs/proofs.md)."""

from isrcheck.extras import need

need("z3")  # for this folder
