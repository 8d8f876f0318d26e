"""Commands for developers on the sources: `python -m tools.<name>`. The app itself uses none."""

from transformer_core.commands.streams import use_utf8

use_utf8()
