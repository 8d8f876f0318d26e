"""One step of learning, seen from within."""
