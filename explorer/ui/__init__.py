"""The building blocks of pages and their parts."""
