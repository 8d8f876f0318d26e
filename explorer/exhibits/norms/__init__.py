"""The parts of the page “Norms and residual connections”."""
