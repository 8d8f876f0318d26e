"""The pages before a room: the one that opens a room, with a check of the script, and the one that asks for the host's key."""

from html import escape

from starlette.responses import HTMLResponse, Response

from explorer import i18n, limits
from explorer.i18n import _, n_
from explorer.rooms import outcomes
from explorer.rooms.lesson import led
from explorer.rooms.script import Step, script_of
from explorer.shell.room_bundle import template
from transformer_core.errors import InputError


def opening(language: str, lesson: str = "") -> Response:
    """Returns the page that opens a room, which goes through a packed lesson if one is given. Raises ScriptError for a script
    that cannot be led.
    """
    script = led(lesson, language) if lesson else script_of(language)
    whole, short = (
        round(sum(minutes))
        for minutes in ((step.minutes for step in script if not step.extra), (step.short for step in script if not step.extra))
    )
    with i18n.speaking(language):
        told = [
            _("Phones follow your lesson: each of its {n} steps is a page of the explorer.").format(n=len(script) - 1)
            if lesson
            else _("Phones follow, guess and vote before anybody is shown what the model does; then it decides one new case."),
            _(
                "You get a window with words to say, a window for the projector, and a square that phones open. "
                "No names are asked."
            ),
        ]
        button = '<button class="{css}" name="short" value="{value}">{text}</button>'
        ways = [
            button.format(
                css="first",
                value="",
                text=escape(n_("Open a room of {n} minute", "Open a room of {n} minutes", whole).format(n=whole)),
            )
        ]
        if short:
            ways.append(
                button.format(
                    css="",
                    value="1",
                    text=escape(n_("the short cut: {n} minute", "the short cut: {n} minutes", short).format(n=short)),
                )
            )
        kept = f'<input type="hidden" name="lesson" value="{escape(lesson)}">' if lesson else ""
        form = f'<form method="post"><input type="hidden" name="lang" value="{escape(language)}">{kept}{"".join(ways)}</form>'
        body = "".join(f"<p>{escape(each)}" for each in told) + form + ("" if lesson else _checked(script, language))
        return page(_("A room for your class"), body, language)


def asks_for_key(language: str) -> Response:
    """Returns the page on which another computer of the host enters the key."""
    with i18n.speaking(language):
        sentence = _("This room is led in another browser. To lead it from here, enter the key that the host's window shows.")
        field = f'<input name="key" autocomplete="off" required maxlength="40" aria-label="{escape(_("the room’s key"))}">'
        form = f'<form method="post">{field}<button class="first">{escape(_("Lead this room"))}</button></form>'
        return page(_("The host's window"), f"<p>{escape(sentence)}{form}", language, 403)


def refusal(words: str, status: int) -> Response:
    return page(words, "", i18n.current_language(), status)


def page(title: str, body: str, language: str, status: int = 200) -> Response:
    filled = template("door.html").replace("{language}", language.replace("_", "-")).replace("{title}", escape(title))
    return HTMLResponse(filled.replace("{body}", body), status, headers={"cache-control": "no-store"})


def _checked(script: tuple[Step, ...], language: str) -> str:
    """Returns what is wrong with a teacher's own script, as far as it can be known before the class."""
    if not limits.ROOM_SCRIPT:
        return ""
    faults = problems(script, language)
    if not faults:
        return f"<p>{escape(_('Your script was checked: the model reads its sentences, and each outcome has a choice.'))}"
    rows = "".join(f"<li>{escape(step)}: {escape(i18n.error(error))}" for step, error in faults)
    return f"<p>{escape(_('Your script was checked. Look at this before the class:'))}<ul>{rows}</ul>"


def problems(script: tuple[Step, ...], language: str) -> list[tuple[str, InputError]]:
    """Returns what in a script will not come out: the number and title of the step, and the reason."""
    faults = []
    for number, step in enumerate(script, 1):
        wrong = outcomes.unreadable(step.sentence, language) if step.asked is None and step.sentence else []
        for case in (step.asked, step.new):
            wrong += outcomes.problems(case, language) if case is not None else []
        faults += [(f"{number}. {step.title}", error) for error in wrong]
    return faults
