"""The part of the page “Make a lesson”."""
