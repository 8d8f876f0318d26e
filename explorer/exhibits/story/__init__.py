"""The story: ten short steps, whose sentences are computed from the data of the pictures."""
