"""The translators that Start and Look closer speak to, and their first sentences."""

from dataclasses import replace

from explorer.model_on_screen.settings import ModelSettings, defaults, first_task, of_task
from explorer.session import current, model_choice

# By translator, the first sentence: its lines cross, and a strong one that does changes words when it is cut.
FIRST = {"everyday-fr": "the black cat sleeps on the bed", "everyday-zh": "my brother sleeps in the small car"}
EXAMPLES = (*FIRST.values(), "i love you", "the happy dog eats a big apple")


def translator() -> ModelSettings:
    """Returns the settings of the translator into the visitor's language, with the sentence that somebody chose, if any."""
    session = current()
    chosen = session.settings
    task = chosen.task if session.task.is_chosen and chosen.task in FIRST else first_task(session.language)
    is_chosen = chosen.task == task and chosen.src != defaults(task)["src"]
    return replace(of_task(task), src=chosen.src if is_chosen else FIRST[task])


def say(task: str, sentence: str) -> None:
    """Puts a sentence that was typed here on every page (called in a callback)."""
    if current().settings.task != task:
        model_choice.open_task(task)
    model_choice.choose("src", sentence)
