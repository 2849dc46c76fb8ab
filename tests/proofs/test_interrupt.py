"""Ctrl-C while z3 looks for a proof: the command ends, and never goes on as if z3 had not known."""

import os
import signal
import threading

import pytest
import z3

from isrcheck.proofs.solvers import SOLVERS, says


def test_the_user_ends_a_proof() -> None:
    x, y = z3.BitVec("x", 64), z3.BitVec("y", 64)
    factors = (x * y == 0x7FFFFFFFFFFFFFE7, z3.UGT(x, 1), z3.UGT(y, 1), z3.ULT(x, 1 << 32), z3.ULT(y, 1 << 33))
    solver = z3.Solver()
    solver.add(*factors)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            says(SOLVERS["z3"], solver.to_smt2(), 60.0)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
