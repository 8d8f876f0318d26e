"""Pins that the server says where it is."""

import socket

import pytest

from explorer.runtime import addresses
from explorer.streamlit_patches import sessions

OPTIONS = {"server.address": None, "server.port": 8501, "server.baseUrlPath": "", "server.sslCertFile": None}


@pytest.fixture
def options(monkeypatch):
    """The server's options, by default those of `streamlit run app.py` on a machine without a network."""
    found = dict(OPTIONS)
    monkeypatch.setattr(addresses.st, "get_option", found.__getitem__)
    monkeypatch.setattr(addresses, "on_the_network", lambda: None)
    monkeypatch.delenv("EXPLORER_COPIES", raising=False)
    monkeypatch.setattr(sessions, "is_server_of_the_command", lambda: True)
    return found


@pytest.mark.parametrize(
    ("changed", "address"),
    [
        ({}, "http://localhost:8501"),
        ({"server.address": "0.0.0.0"}, "http://localhost:8501"),
        ({"server.address": "10.0.0.7", "server.port": 80}, "http://10.0.0.7:80"),
        ({"server.address": "::1"}, "http://[::1]:8501"),
        ({"server.baseUrlPath": "/explorer/", "server.sslCertFile": "cert.pem"}, "https://localhost:8501/explorer"),
    ],
)
def test_the_address_is_the_one_that_opens_it(options, changed, address):
    options.update(changed)
    assert addresses.welcome() == f"Transformer Explorer is at {address}"


def test_where_there_is_a_network_its_address_is_for_the_board(options, monkeypatch):
    monkeypatch.setattr(addresses, "on_the_network", lambda: "192.168.0.3")
    assert "http://192.168.0.3:8501" in addresses.welcome()
    options["server.address"] = "127.0.0.1"
    assert "192.168.0.3" not in addresses.welcome()


def test_one_of_several_copies_says_nothing(options, monkeypatch):
    monkeypatch.setenv("EXPLORER_COPIES", "2")
    assert addresses.welcome() is None


def test_another_server_says_itself_where_it_is(options, monkeypatch):
    monkeypatch.setattr(sessions, "is_server_of_the_command", lambda: False)
    assert addresses.welcome() is None, "the port is not Streamlit's"


def test_an_address_on_the_network_is_found_without_sending_anything(monkeypatch):
    def refuse(*_):
        raise AssertionError("something was sent")

    for name in ("send", "sendto", "sendall"):
        monkeypatch.setattr(socket.socket, name, refuse)
    found = addresses.on_the_network()
    assert found is None or socket.inet_aton(found)
