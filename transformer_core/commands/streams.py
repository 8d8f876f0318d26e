"""The standard streams of commands, in UTF-8."""

import io
import sys


def use_utf8() -> None:
    """Has all signs arrive: files and other programs are read and written in UTF-8; a terminal gets its own signs, with a ? for
    those that it lacks.

    Python would take the encoding of the country's settings, which on Windows lacks most signs of the world: the first of them
    would end the command.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=stream.encoding if stream.isatty() else "utf-8", errors="replace")
