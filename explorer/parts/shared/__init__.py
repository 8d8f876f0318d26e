"""What parts of several pages draw alike."""
