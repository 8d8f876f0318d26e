"""The parts of the page “Embeddings and positions”."""
