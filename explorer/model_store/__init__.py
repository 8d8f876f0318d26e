"""Trained models that can be opened, within a memory limit."""
