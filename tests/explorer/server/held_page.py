"""A page whose runs are held up for as long as a file is there, and that notes in another what happens to it."""

import os
import time
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer.server import messages, references
from explorer.server.tidying import windows
from explorer.server.turns import Kind, fragment, turn

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
    note(f"windows {windows()[0]}")


def main() -> None:
    note("asked")
    with turn(Kind.PAGE):
        outer()
        st.slider("knob", 0, 9)
        st.button("count", on_click=count)


if get_script_run_ctx(suppress_warning=True) is None:  # the server, before it has begun; see app.py
    messages.batch()
    references.keep_account()
    app = st.App(__file__)
else:
    main()
