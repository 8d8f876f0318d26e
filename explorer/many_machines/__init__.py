"""Training on the cores of other machines, through Ray: only this package names it."""
