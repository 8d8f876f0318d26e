"""What the pages show: a folder for each page, a file for each of its parts, with one `draw`. The file's name is the part's id.

A file holds what a visitor sees as one thing: its numbers, their drawing, its controls and words (`pictures/exhibit.py`).
"""
