"""A device that this processor plays, and the checks and times of the search on a GPU."""
