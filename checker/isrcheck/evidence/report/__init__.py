"""Reports of several runs."""
