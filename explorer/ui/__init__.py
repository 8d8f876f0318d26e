"""What pages and their parts are written with, so that all of them read alike."""
