"""What is left of a room to keep: a page that outlives it, and the same as one file to download. Both print on two sheets."""

from html import escape
from typing import Any

from explorer.i18n import _, n_
from explorer.model_on_screen.settings import first_task
from explorer.rooms.room import Room
from explorer.rooms.rooms import DAYS
from explorer.session.lesson import link_of
from explorer.shell import room_words
from explorer.shell.room_bundle import as_script, bundled, style
from explorer.shell.room_links import explorer_address

_LINES = 4  # to write on


def kept_page(room: Room, base: str, browser: str | None, address: str, square: str) -> str:
    """Returns the page. `browser`: whose own votes it shows; None: nobody's, as in the file to download. Called in the language
    of whoever reads it."""
    number = str(room.people.get(browser or "", ""))
    asked, pictures = [*room.asked()], list[dict[str, Any]]()
    parts = [_question(room, each, number, pictures, base if browser is not None else "") for each in asked]
    parts += _pages(room, None if browser is None else base)
    title, people = escape(_("What we asked, and what happened")), len(room.people)
    here = n_("{n} phone", "{n} phones", people).format(n=people)
    head = f'<p class="when">Transformer Explorer · {escape(room.day)} · {escape(here)} · {room.code}'
    ways = ""
    if browser is not None:
        stays = _("This page stays for {n} days after the room has ended. Print it, or keep it as a file.").format(n=DAYS)
        link = f'<a href="{base}/room/{room.code}/file" download>{escape(_("Download"))}</a>'
        ways = f'<p class="when">{escape(stays)}<p class="ways">{link}'
    empty = f"<p>{escape(_('Nothing has been asked yet.'))}"
    own = f"<section><h2>{escape(_('What surprised me most'))}</h2>{'<hr>' * _LINES}</section>"
    link = f'<div class="leads"><div class="square">{square}</div><p class="when">{escape(address)}</div>' if address else ""
    told = as_script({"pictures": pictures, "words": room_words.words()})
    page = (
        f'<!doctype html><html lang="{room.language.replace("_", "-")}"><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{style("kept.css", "pictures.css")}</style>'
        f"<h1>{title}</h1>{head}{ways}{''.join(parts) or empty}{own}{link}"
        f'<script type="module">\nconst given = {told};\n{bundled("pictures.js", "kept.js")}</script>'
    )
    return page.encode("utf-8", "replace").decode()


def file_name(room: Room) -> str:
    return f"room-{room.code}-{room.day}.html"


def _pages(room: Room, base: str | None) -> list[str]:
    """Returns the steps of a lesson that the room has come to, each with a link to its page; `base` None: without."""
    came = [step for at, step in enumerate(room.script) if step.page and str(at) in room.reached]
    parts = []
    for step in came:
        said = " ".join(escape(text) for text in (step.show, step.question) if text)
        address = escape(f"{base}/{link_of(step.page, step.view).removeprefix('./')}")
        more = "" if base is None else f' <a href="{address}">{escape(_("Open the explorer"))}</a>'
        parts.append(f"<section><h2>{escape(step.title)}</h2><p>{said}{more}</section>")
    return parts


def _question(room: Room, asked: dict[str, Any], number: str, pictures: list[dict[str, Any]], base: str) -> str:
    """Returns one question: its picture, both votes beside what happened, and one's own votes."""
    outcome, choices = asked["outcome"], [choice.text for choice in asked["case"].choices]
    words = escape(" ".join(outcome.words(room.language))) if outcome is not None else ""
    if asked["is_new"]:
        happened = escape(choices[asked["found"]]) if asked["found"] is not None else "–"
        mine = _mine(room, asked, number, ("new",))
        return f'<p class="new">{escape(_("New case:"))} {escape(asked["question"])} → <b>{happened}</b>. {words} {mine}'
    drawn = ""
    if outcome is not None and outcome.picture:
        seed = int(number) - 1 if number and outcome.curves and int(number) <= len(outcome.curves) else None
        drawn = f'<div class="picture" data-at="{len(pictures)}"></div>'
        pictures.append({"picture": outcome.picture, "curves": outcome.curves} | ({} if seed is None else {"mine": seed}))
    rows = "".join(_choice(asked, at, text) for at, text in enumerate(choices))
    sentence = asked["case"].sentence
    link = explorer_address(base, first_task(room.language), sentence)
    more = f' <a href="{escape(link)}">{escape(_("Open the explorer"))}</a>' if base and sentence else ""
    return (
        f"<section><h2>{escape(asked['title'])}</h2><p>{escape(asked['question'])}"
        f'<div class="both">{drawn or "<div></div>"}<div>{rows}</div></div>'
        f"<p>{words}{more}{_mine(room, asked, number, ('ask', 'talk'))}</section>"
    )


def _choice(asked: dict[str, Any], at: int, text: str) -> str:
    names = {"ask": _("first vote"), "talk": _("second vote")}
    most = max((count for counts in asked["counts"].values() for count in counts), default=0) or 1
    bars = "".join(
        f'<div class="bar {name}" title="{escape(names[name])}"><span><i style="width:{100 * counts[at] / most:.0f}%"></i>'
        f"</span>{counts[at]}</div>"
        for name, counts in asked["counts"].items()
    )
    is_found = at == asked["found"]
    mark = f"<b>{escape(_('what happens'))}</b>" if is_found else ""
    return f'<div class="choice{" found" if is_found else ""}"><div>{escape(text)}{mark}</div><div>{bars}</div></div>'


def _mine(room: Room, asked: dict[str, Any], number: str, rounds: tuple[str, ...]) -> str:
    """Returns one's own votes and reason in a sentence; "" for somebody who did not vote."""
    choices, told = asked["case"].choices, []
    for name in rounds:
        vote = room.votes.get(f"{asked['at']} {name}", {}).get(number)
        if vote is not None:
            words = {"ask": _("first vote: {choice}"), "talk": _("second vote: {choice}"), "new": _("vote: {choice}")}[name]
            told.append(words.format(choice=choices[vote].text))
    reason = room.reasons.get(str(asked["at"]), {}).get(number)
    if told and reason is not None and not asked["is_new"] and reason < len(asked["because"]):
        told[0] += f" ({asked['because'][reason]})"
    return f"<br>{escape(_('You:'))} {escape('; '.join(told))}" if told else ""
