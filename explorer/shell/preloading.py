"""Loads and computes what the first visitor would otherwise wait for, while the server already answers."""

import asyncio
import gc
import logging
from contextlib import suppress

from explorer.components.plot import compressed
from explorer.exhibits.home import first_screen
from explorer.model_on_screen.first_aligned import first_aligned_step
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import show_model
from explorer.model_on_screen.sources import check, lengths, reader_of
from transformer_core.errors import TextError
from transformer_core.training.cost import training_bytes

_log = logging.getLogger(__name__)
_PAGE = 5.0  # seconds of rest, in which a browser that was opened with the server draws its first page


async def prepare() -> None:
    """Prepares what every page shows, then what some pages need: tables and training."""
    gc.freeze()  # what is loaded stays, so that the collector need not visit it
    try:
        await asyncio.to_thread(first_screen.prepare)
        await asyncio.to_thread(_usual_model)
        await asyncio.to_thread(compressed)
        await asyncio.sleep(_PAGE)
        await asyncio.to_thread(_untaught)
        await asyncio.to_thread(_tables)
        await asyncio.to_thread(_training)
    except Exception:  # the page that needs it will show the error
        _log.exception("the first visit could not be prepared")
    await asyncio.to_thread(gc.collect)
    gc.freeze()


def _usual_model() -> None:
    settings = ModelSettings()
    shown = show_model(settings)
    shown.forward()
    lengths(reader_of(settings))
    if shown.learning.model is not None:
        first_aligned_step(shown.learning.model)


def _untaught() -> None:
    """Checks a sentence of a kind that was never taught, as somebody will soon type; the first such check takes longest."""
    with suppress(TextError):
        check(reader_of(ModelSettings()), "cat cat dog", taught=True)


def _tables() -> None:
    """Imports pandas and pyarrow, as Streamlit does for the first table."""
    import pandas  # noqa: F401


def _training() -> None:
    """Counts the memory of a training on the "meta" device: at the first such model, torch imports its compiler."""
    training_bytes(ModelSettings().config(11), 1, 2, 2)
