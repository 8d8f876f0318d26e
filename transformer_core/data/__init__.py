"""Data to learn from: vocabularies, corpora, tasks and their batches."""
