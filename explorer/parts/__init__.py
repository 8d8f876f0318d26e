"""The parts of the pages: a folder for each page, a file for each part, with one `draw`. The file's name is the part's id."""
