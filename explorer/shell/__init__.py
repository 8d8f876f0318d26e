"""The frame around every page: one rerun in order, bar, sidebar and CSS, and HTTP routes beside the pages."""
