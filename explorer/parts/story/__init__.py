"""The story: nine short steps. Its sentences are read from the pictures."""
