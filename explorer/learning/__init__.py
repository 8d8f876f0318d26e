"""Models that learn: live runs on the server, and the models that have learned, with the store that keeps them."""
