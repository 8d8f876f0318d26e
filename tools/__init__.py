"""What developers run on the sources: `python -m tools.<name>`. Nothing that the app runs on lies here."""

from transformer_core.commands.streams import every_sign

every_sign()
