"""The frame round every page: one rerun in order, the sidebar, and routes beside the pages."""
