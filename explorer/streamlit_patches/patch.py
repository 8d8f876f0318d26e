"""Replaces functions of Streamlit, unless they differ from those that the replacement was written for."""

import inspect
import logging
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import streamlit as st

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Function:
    """A function of Streamlit that the app needs.

    Attributes:
        owner: the module or class that has it: "streamlit.runtime.runtime:Runtime".
        name: its name there.
        signature: the names of its parameters: "self, session_info, msg".
    """

    owner: str
    name: str
    signature: str

    @property
    def original(self) -> Callable[..., Any]:
        """Returns the function as Streamlit has it. Raises ImportError or AttributeError where there is none."""
        function = getattr(pkgutil.resolve_name(self.owner), self.name)
        original: Callable[..., Any] = getattr(function, "streamlits_own", function)
        return original

    @property
    def is_as_expected(self) -> bool:
        try:
            return ", ".join(inspect.signature(self.original).parameters) == self.signature
        except (ImportError, AttributeError, TypeError, ValueError):
            return False


@dataclass(frozen=True)
class Patch(Function):
    """A function of Streamlit and its replacement.

    Attributes:
        new: the replacement. It is called with the original, followed by the arguments.
    """

    new: Callable[..., Any]

    def install(self) -> None:
        """Puts the replacement in its place. Installing it again changes nothing."""
        original, new = self.original, self.new

        @wraps(original)
        def replacement(*args: Any, **kwargs: Any) -> Any:
            return new(original, *args, **kwargs)

        replacement.streamlits_own = original  # type: ignore[attr-defined]
        setattr(pkgutil.resolve_name(self.owner), self.name, replacement)

    def remove(self) -> None:
        """Puts the original back."""
        setattr(pkgutil.resolve_name(self.owner), self.name, self.original)


def patch(*functions: Function) -> bool:
    """Installs those that are patches, if Streamlit has all of them as expected.

    Otherwise Streamlit stays as it is, and the log says so in one line. Returns whether they are as expected.
    """
    missing = [f"{each.owner}.{each.name}({each.signature})" for each in functions if not each.is_as_expected]
    if missing:
        _log.warning("Streamlit %s is used as it is, for it has no %s", st.__version__, " and no ".join(missing))
        return False
    for each in functions:
        if isinstance(each, Patch):
            each.install()
    return True
