"""The story: nine short steps, whose sentences are computed from the data of the pictures."""
