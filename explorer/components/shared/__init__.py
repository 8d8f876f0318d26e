"""Code that the views share."""
