"""Commands for developers on the sources: `python -m tools.<name>`. The app itself uses none."""

from transformer_core.commands.streams import every_sign

every_sign()
