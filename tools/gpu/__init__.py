"""What is needed around the search on a GPU: a device that this processor plays, and the checks and times on one."""
