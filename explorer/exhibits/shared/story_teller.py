"""The decoder alone that tells stories in the visitor's language, and the text that it goes on with."""

from dataclasses import replace

from explorer.model_on_screen.settings import ModelSettings, of_task
from explorer.session import current, model_choice

# By task, beginnings: the first word that is asked for is one that the story decides.
BEGINNINGS = {
    "stories-en": ("emma can not find her blue book .",),
    "stories-zh": ("艾玛 找不到 她 的 新 书 。",),
}


def teller() -> ModelSettings:
    """Returns the settings of the story teller in the visitor's language, with the text that somebody chose, if any."""
    session = current()
    chosen = session.settings
    is_told = session.task.is_chosen and chosen.task in BEGINNINGS
    task = chosen.task if is_told else first_stories(session.language)
    return replace(of_task(task), src=chosen.src if chosen.task == task else BEGINNINGS[task][0])


def first_stories(language: str) -> str:
    """Returns the stories of a language of the screen."""
    return "stories-zh" if language.startswith("zh") else "stories-en"


def tell(task: str, text: str) -> None:
    """Puts a text on every page (called in a callback)."""
    if current().settings.task != task:
        model_choice.open_task(task)
    model_choice.choose("src", text)
