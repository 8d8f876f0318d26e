"""Pins what a page's own runs leave out: what is chosen on a page draws the page again, and neither the menu nor the settings;
where a setting is changed on it, all is drawn. Visitors are light clients of a real server."""

import asyncio
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from benchmarks import harness
from benchmarks.person import Person
from explorer.ui.navigation import CONTENTS

pytestmark = pytest.mark.slow

# Elements and containers that a page may send when it is drawn again; a page of all its parts would have hundreds.
_MOST = 120


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[harness.Server]:
    folder = tmp_path_factory.mktemp("server")
    started = harness.start(folder, EXPLORER_MODELS=str(folder / "models"))
    try:
        yield started.wait(5 * 60)  # other tests may keep the machine busy
    finally:
        started.stop(60)


async def drawn_by(who: Person, act) -> Counter[str]:
    """What an action has drawn, on the page and beside it."""
    before = Counter(who.drawn)
    assert await act is not None
    assert not who.complaints
    return who.drawn - before


@pytest.mark.parametrize("name", CONTENTS)
def test_what_is_chosen_on_a_page_draws_the_page_alone(server, name):
    async def visit() -> None:
        async with Person(server.host, "" if name == "home" else name) as who:
            all_of_it = await drawn_by(who, who.look())
            assert 0 < all_of_it["main"] <= _MOST
            assert bool(all_of_it["sidebar"]) is bool(CONTENTS[name].settings)
            chance = random.Random(name)
            for _i in range(3):
                if await who.turn(chance) is None:
                    return  # nothing can be chosen on it
                assert not who.complaints
            alone = await drawn_by(who, who.turn(chance))
            assert 0 < alone["main"] <= _MOST
            assert not alone["sidebar"]

    asyncio.run(visit())


def test_the_address_follows_what_a_page_draws_alone(server):
    async def visit() -> None:
        async with Person(server.host, "masks", "more=on") as who:
            await drawn_by(who, who.move("padding behind the source", 3))
            assert "pad_src=3" in who.query
            await who.look()
            assert "pad_src=3" in who.query

    asyncio.run(visit())


def test_a_button_of_a_page_that_changes_a_setting_draws_the_settings_as_well(server):
    async def visit() -> None:
        async with Person(server.host, "positions", "part=no_positions&details-no_positions=on") as who:
            drawn = await drawn_by(who, who.press("Show a model that copies numbers"))
            assert drawn["main"] and drawn["sidebar"]
            assert "task=copy" in who.query
            assert (await drawn_by(who, who.look()))["sidebar"]
            assert "task=copy" in who.query

    asyncio.run(visit())


def test_a_button_of_a_page_that_changes_the_task_and_leads_to_another_page(server):
    async def visit() -> None:
        async with Person(server.host, "") as who:
            await who.press("Which noun is “it”?")
            await who.look()
            assert "task=pronoun-en" in who.query and "kind=encoder" in who.query

    asyncio.run(visit())
