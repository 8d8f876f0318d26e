"""Trained models that can be opened, within a bound in memory."""
