"""Reports of several runs: a matrix of verdicts, facts apart from noise, how two differ."""
