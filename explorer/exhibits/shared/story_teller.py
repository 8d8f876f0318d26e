"""The decoder alone that tells stories in the visitor's language, and the text that it goes on with."""

from dataclasses import replace

from explorer.model_on_screen.settings import ModelSettings, of_task
from explorer.session import current, model_choice

# By task, beginnings whose next word the story decides; without the person that it stands for, another one is likeliest.
BEGINNINGS = {
    "stories-en": (
        "emma wants to buy a red flower . it costs two euros , but",
        "lucy is very hungry . tom cooks rice for",
        "anna and paul are by the sea . it is raining , but anna has no umbrella . paul has a green umbrella .",
        "anna wants to read an old book . it is in chinese and",
    ),
    "stories-zh": (
        "今天 杰克 很 饿 。 汤姆 给",
        "玛丽 想 买 一 张 大 照片 。 这 张 照片 要 四 块 钱 ， 可是",
        "汤姆 病 了 ， 不 能 去 学校 。",
    ),
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
