"""The search on a GPU of NVIDIA's, with its driver alone."""
