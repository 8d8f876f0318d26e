"""A page whose runs are held up for as long as a file is there, and that notes in another what happens to it."""

import os
import time
from pathlib import Path

import streamlit as st

from explorer.runtime.turns import Kind, fragment, turn
from explorer.streamlit_patches import script_run, sessions

FOLDER = Path(os.environ["HELD_PAGE"])


def note(words: str) -> None:
    with (FOLDER / "notes").open("a", encoding="utf-8") as file:
        file.write(f"{words}\n")


def hold() -> None:
    while (FOLDER / "shut").exists():
        time.sleep(0.01)


@fragment
def inner() -> None:
    note("inner runs")
    hold()
    st.button("inner again")
    st.button("press", on_click=note, args=("pressed",))
    if st.button("tell"):
        st.text("a long message " * 1000)


@fragment(kind=Kind.PAGE)
def outer() -> None:
    st.button("outer again")
    inner()


def count() -> None:
    note(f"windows {sessions.count()[0]}")


def main() -> None:
    note("asked")
    with turn(Kind.PAGE):
        outer()
        st.slider("knob", 0, 9)
        st.button("count", on_click=count)


if script_run.of_this_thread() is None:  # the server, before it has begun; see app.py
    app = st.App(__file__)
else:
    main()
