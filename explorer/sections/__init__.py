"""Parts of pages that are too long to stand in the page's own file: each module draws one."""
