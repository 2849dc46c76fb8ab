"""Reports of several runs: a matrix of verdicts with its evidence, facts apart from noise, and how two differ."""
