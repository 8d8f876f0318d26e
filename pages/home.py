"""Start: a translator at work on one sentence, whose lines can be cut; the ways on; and below, the whole model."""

import streamlit as st

from explorer.exhibits.home import every_page, first_screen, ways_on

shown = first_screen.draw()
with st.container(key="below-first-screen"):  # seen when the screen has been drawn
    ways_on.draw(shown)
    every_page.draw(shown)
