"""The start and the end of a server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from explorer.runtime import addresses
from explorer.streamlit_patches.all_patches import patch_streamlit
from explorer.streamlit_patches.options import take_shipped


def prepare_streamlit() -> None:
    """Gives Streamlit the app's options, and patches it. Call it before the app is made."""
    take_shipped()
    patch_streamlit()


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Loads what the first page needs, prints the address, and stops all training at the end."""
    from explorer import resources
    from explorer.exhibits.home import every_page, first_screen, ways_on  # noqa: F401  imported before a visitor comes
    from explorer.many_machines.ray_workers import cluster_address
    from explorer.model_on_screen.forward import warm_up
    from explorer.model_on_screen.shared_cache import forget_all
    from explorer.runtime import memory, share_resources, tidying
    from explorer.shell import main, preloading  # noqa: F401  likewise

    def rest() -> None:
        forget_all()
        resources.model_store().rest()
        resources.training_scheduler().rest()

    memory.few_arenas()
    share_resources()
    cluster_address()  # logs now what a cluster lacks
    warm_up()  # before a visitor comes
    resources.model_store()  # logs now what EXPLORER_MODELS names, if that is no folder
    prepared = asyncio.create_task(preloading.prepare())
    tidies = asyncio.create_task(tidying.free_memory_as_windows_close(rest))
    if words := addresses.welcome():
        print(words, flush=True)
    try:
        yield
    finally:
        tidies.cancel()
        prepared.cancel()
        resources.stop()
