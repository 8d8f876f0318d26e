"""Pieces that parts of several pages share."""
