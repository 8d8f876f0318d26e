"""Pins that a page which is not connected says so, in the visitor's language and in no other, and only then."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks import harness

BLOCKED = {"en-GB": "something lets no WebSockets through", "zh-CN": "WebSocket"}
AWAY = "The server does not answer"


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page whose clock stands still but for what a test lets pass."""
    page = browser.new_page()
    page.clock.install()
    yield page
    page.close()


def begin(page: Any, address: str) -> None:
    """Opens a page, and returns when its seconds have begun to count."""
    page.goto(address)
    page.locator("[data-testid=stApp]").wait_for(state="attached")


def alert(page: Any) -> Any:
    return page.locator("body > [role=alert]")


@pytest.mark.parametrize("language", BLOCKED)
def test_where_websockets_are_blocked_the_page_says_so(page: Any, server: harness.Server, language: str) -> None:
    page.set_extra_http_headers({"Accept-Language": language})
    page.route_web_socket(re.compile("_stcore/stream"), lambda socket: socket.close())
    begin(page, f"{server.url}/heads")
    page.clock.run_for(6_000)
    assert alert(page).count() == 0
    page.clock.run_for(4_000)
    alert(page).get_by_text(BLOCKED[language]).wait_for()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 720})
        box = alert(page).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width


def test_where_the_server_does_not_answer_either_it_says_that(page: Any, server: harness.Server) -> None:
    page.route_web_socket(re.compile("_stcore/stream"), lambda socket: socket.close())
    page.route(re.compile("_stcore/health"), lambda route: route.abort())
    begin(page, server.url)
    page.clock.run_for(10_000)
    alert(page).get_by_text(AWAY).wait_for()


def test_a_page_that_connects_says_nothing_also_where_it_connects_late(page: Any, server: harness.Server) -> None:
    blocked = True

    def connect(socket: Any) -> None:
        if blocked:
            socket.close()
        else:
            socket.connect_to_server()

    page.route_web_socket(re.compile("_stcore/stream"), connect)
    begin(page, server.url)
    page.clock.run_for(10_000)
    alert(page).wait_for()
    blocked = False
    page.clock.resume()
    page.locator("[data-testid=stApp][data-test-connection-state=CONNECTED]").wait_for()
    alert(page).wait_for(state="detached")
    page.reload()
    page.locator("h1").wait_for()
    page.clock.run_for(10_000)
    assert alert(page).count() == 0


def test_where_the_connection_is_lost_it_says_so_in_the_language_that_was_chosen(page: Any, server: harness.Server) -> None:
    open_now: list[Any] = []
    asked: list[str] = []

    def refuse(route: Any) -> None:
        asked.append(route.request.url)
        route.abort()

    def connect(socket: Any) -> None:
        if asked:
            socket.close()
            return
        socket.connect_to_server()
        open_now.append(socket)

    page.route_web_socket(re.compile("_stcore/stream"), connect)
    begin(page, f"{server.url}/heads?lang=zh_CN")
    page.locator("h1", has_text="注意力头").wait_for()
    page.route(re.compile("_stcore/(health|host-config)"), refuse)
    asked.append("")
    open_now[0].close()
    page.locator("[data-testid=stApp]:not([data-test-connection-state=CONNECTED])").wait_for(state="attached")
    while len(asked) < 20:  # Streamlit says so after the sixth time that it has asked two addresses
        page.clock.run_for(1_000)
    assert alert(page).inner_text() == "与服务器的连接已断开。连接恢复后，本页会自动继续。"
    assert page.locator("[data-testid=stDialog]").count() == 0
    assert page.locator("#root[inert]").count() == 0
    assert "Connect" not in page.locator("[data-testid=stStatusWidget]").inner_text()
    page.unroute(re.compile("_stcore/(health|host-config)"))
    asked.clear()
    page.clock.resume()
    alert(page).wait_for(state="detached")
