"""What the first visitor of a server would otherwise wait for, prepared beside a server that answers already."""

import asyncio
import gc
import logging
from contextlib import suppress

from explorer.components.plot import compressed
from explorer.inference.first_aligned import first_aligned_step
from explorer.inference.settings import ModelSettings
from explorer.inference.shown_model import show_model
from explorer.inference.sources import check, lengths, reader_of
from transformer_core.errors import TextError
from transformer_core.model.accounting import training_bytes

_log = logging.getLogger(__name__)
_PAGE = 5.0  # seconds in which a browser that was opened with the server has its page, and needs the processor itself


async def prepare() -> None:
    """First what every page shows, and then what some need: tables, and a run that is to be trained."""
    gc.freeze()  # what is loaded now stays: collections need not look at it
    try:
        await asyncio.to_thread(_usual_model)
        await asyncio.to_thread(compressed)
        await asyncio.sleep(_PAGE)
        await asyncio.to_thread(_untaught)
        await asyncio.to_thread(_tables)
        await asyncio.to_thread(_training)
    except Exception:  # whoever asks for it is told by his page
        _log.exception("the first visit could not be prepared")
    await asyncio.to_thread(gc.collect)
    gc.freeze()


def _usual_model() -> None:
    settings = ModelSettings()
    shown = show_model(settings)
    shown.forward()
    lengths(reader_of(settings))
    if shown.course.model is not None:
        first_aligned_step(shown.course.model)


def _untaught() -> None:
    """Somebody will soon type a sentence of a kind that was never taught."""
    with suppress(TextError):
        check(reader_of(ModelSettings()), "cat cat dog", taught=True)


def _tables() -> None:
    """Streamlit imports pandas, and with it pyarrow, for the first table."""
    import pandas  # noqa: F401


def _training() -> None:
    """For the first model on "meta", torch imports its compiler."""
    training_bytes(ModelSettings().config(11), 1, 2, 2)
