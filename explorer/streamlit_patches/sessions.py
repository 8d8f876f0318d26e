"""The server's sessions: one for each browser window, also for a while after it was closed."""

from streamlit import config, runtime

_OF_THE_COMMAND = "starlette-app"  # how Streamlit names the server that `streamlit run` starts


def serves() -> bool:
    """Returns whether there is a server; there is none in a test."""
    return runtime.exists()


def is_open(session: str) -> bool:
    """Returns whether a browser window is connected."""
    return runtime.get_instance().is_active_session(session)


def count() -> tuple[int, int]:
    """Returns how many windows are open, and how many sessions there are, also of closed windows.

    Call it in the event loop. Streamlit keeps the session of a closed window for two minutes, in case its browser comes back;
    it drops it only when it is asked for its sessions, as here.
    """
    sessions = runtime.get_instance()._session_mgr
    return len(sessions.list_active_sessions()), len(sessions.list_sessions())


def is_server_of_the_command() -> bool:
    """Returns whether `streamlit run` has started the server: another one, such as uvicorn, ignores Streamlit's options."""
    return getattr(config, "_server_mode", _OF_THE_COMMAND) == _OF_THE_COMMAND
