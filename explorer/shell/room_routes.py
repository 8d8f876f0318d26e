"""The routes of rooms: pages for phones, for a projector and for the host, their events, votes, and what is left to keep.

These pages need no Streamlit session: each is one file of some 20 kB, and is told the whole state, with a version, when it
connects and at each change (server-sent events). A browser is known by the app's cookie, which no script can read.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, quote, urlsplit

import segno
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from explorer import i18n, limits, resources
from explorer.components import route_of
from explorer.i18n import _
from explorer.inference.settings import first_task
from explorer.rooms import board, outcomes
from explorer.rooms.outcomes import Outcome
from explorer.rooms.room import HOURS, MOST_PAPER, Room, RoomError, Rooms, digest, of_server
from explorer.rooms.script import ScriptError, Step
from explorer.runtime import addresses
from explorer.runtime.allowance import Allowance
from explorer.runtime.browser_token import token_of
from explorer.streamlit_patches.origins import is_origin_allowed
from explorer.training.plan import TrainingPlan
from transformer_core.errors import InputError

_log = logging.getLogger(__name__)
T = TypeVar("T")
_HERE = Path(__file__).parent / "room_page"
_LONGEST = 2048  # bytes of a request's body
_ACTIONS = (20, 4)  # actions of one browser: at once, and per second
_TOGETHER = 0.03  # seconds that changes wait for each other: forty votes are one event
_ALIVE = 15  # seconds after which a silent stream says that it is there
_LOOK = 0.5  # seconds between two looks at what is computed
_LISTENERS = 260  # streams of one room
_AGAIN = 10_000  # milliseconds after which a browser asks again for a stream that it could not have


def routes() -> list[BaseRoute]:
    """Returns the routes of rooms; the server's rooms are made with them."""
    rooms = RoomRoutes(of_server())
    get: dict[str, Callable[[Request], Any]] = {
        "new": rooms.new, "{code}": rooms.phone, "{code}/screen": rooms.screen, "{code}/host": rooms.host,
        "{code}/events": rooms.events, "{code}/kept": rooms.kept,
    }  # fmt: skip
    post: dict[str, Callable[[Request], Any]] = {
        "{code}/join": rooms.join,
        "{code}/vote": rooms.vote,
        "{code}/pair": rooms.pair,
        "{code}/lead": rooms.lead,
    }
    return [
        *(Route(route_of(f"room/{path}"), answer) for path, answer in get.items()),
        *(Route(route_of(f"room/{path}"), answer, methods=["POST"]) for path, answer in post.items()),
    ]


class RoomRoutes:
    """The pages, actions and streams of all rooms of a server."""

    def __init__(self, rooms: Rooms):
        self.rooms = rooms
        self._news: dict[str, asyncio.Event] = {}  # by room: set when it has changed
        self._told: dict[tuple[str, bool], tuple[tuple[int, bool], str]] = {}  # the newest state, as text
        self._listeners: dict[str, int] = {}
        self._hosts: dict[str, int] = {}  # streams of the hosts' windows
        self._allowances: dict[str, Allowance] = {}
        self._working: dict[str, asyncio.Task[None]] = {}

    # --- Pages ---

    async def new(self, request: Request) -> Response:
        """Leads a host into a room of its own."""
        browser = _browser(request)
        language = i18n.find_language(_asked_for(request).get("lang", [""])[0]) or i18n.ENGLISH
        if browser is None:  # the cookie comes with this page, which asks again
            return HTMLResponse('<!doctype html><meta http-equiv="refresh" content="0">')
        try:
            room = self.rooms.made_by(browser, language)
            self._ahead = asyncio.create_task(asyncio.to_thread(_translate_ahead, room))
            if limits.COPIES > 1:
                self.rooms.leave(room)
        except ScriptError as error:
            return _refusal(f"{limits.ROOM_SCRIPT}: {error}", 503)
        except RoomError:
            with i18n.speaking(language):
                return _refusal(_("There are too many rooms on this server. Try again when one of them is over."), 503)
        return RedirectResponse(f"{room.code}/host", 303, headers={"cache-control": "no-store"})

    async def phone(self, request: Request) -> Response:
        return self._page(request, "phone")

    async def screen(self, request: Request) -> Response:
        return self._page(request, "screen")

    async def host(self, request: Request) -> Response:
        return self._page(request, "host")

    def _page(self, request: Request, kind: str) -> Response:
        code = request.path_params["code"]
        if (room := self.rooms.get(code)) is None:
            return _no_room(request)
        if code != room.code:  # typed in small letters
            return RedirectResponse(f"{_base(request)}/room/{room.code}{'' if kind == 'phone' else f'/{kind}'}", 303)
        with i18n.speaking(room.language):
            if kind == "host" and _browser(request) != room.host:
                return _refusal(_("This room is led in another browser."), 403)
            address = _address(request, room)
            square = segno.make(address).svg_inline(scale=1, border=2, omitsize=True) if kind != "phone" else ""
            told = {
                "kind": kind,
                "base": f"{_base(request)}/room/{room.code}",
                "task": first_task(room.language),
                "words": _words(),
            }
            page = _template().replace("{language}", room.language.replace("_", "-")).replace("{kind}", kind)
            title = escape(_("Transformer Explorer: room {code}").format(code=room.code))
            given = json.dumps(told, ensure_ascii=False).replace("<", "\\u003c")
            page = page.replace("{title}", title).replace("{address}", escape(address)).replace("{square}", square)
            return HTMLResponse(page.replace("{told}", given), headers={"cache-control": "no-store"})

    async def kept(self, request: Request) -> Response:
        """Shows what a room has asked and seen, to be printed."""
        if (room := self.rooms.get(request.path_params["code"])) is None:
            return _no_room(request)
        with i18n.speaking(room.language):
            return HTMLResponse(_worksheet(room, _base(request)), headers={"cache-control": "no-store"})

    # --- Events ---

    async def events(self, request: Request) -> Response:
        room = self.rooms.get(request.path_params["code"])
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        if room is None or self._listeners.get(room.code, 0) >= _LISTENERS:  # a browser never asks again after an error
            told = {"over": True} if room is None else {"full": True}
            return Response(f"retry: {_AGAIN}\ndata: {json.dumps(told)}\n\n", media_type="text/event-stream", headers=headers)
        leads = "host" in _asked_for(request) and _browser(request) == room.host
        return StreamingResponse(self._stream(room.code, leads), media_type="text/event-stream", headers=headers)

    async def _stream(self, code: str, leads: bool) -> AsyncIterator[str]:
        counts = [self._listeners, *([self._hosts] if leads else [])]
        for each in counts:
            each[code] = each.get(code, 0) + 1
        if (room := self.rooms.get(code)) is not None:
            self._prepare(room)
            self.announce(room)
        sent: tuple[int, bool] | None = None
        try:
            while (room := self.rooms.get(code)) is not None:
                if sent != (now := (room.version, self._hosts.get(code, 0) > 0)):
                    sent = now
                    yield f"data: {self._as_text(room, leads)}\n\n"
                    continue
                news = self._news.setdefault(code, asyncio.Event())
                try:
                    await asyncio.wait_for(news.wait(), _ALIVE)
                    await asyncio.sleep(_TOGETHER)
                except TimeoutError:
                    yield ": \n\n"
            yield 'data: {"over": true}\n\n'
        finally:
            for each in counts:
                each[code] -= 1
            if self._listeners[code] == 0:
                for known in (self._listeners, self._hosts, self._news):
                    known.pop(code, None)
                for who in (True, False):
                    self._told.pop((code, who), None)
            if leads and room is not None:
                self.announce(room)

    def _as_text(self, room: Room, leads: bool) -> str:
        here = self._hosts.get(room.code, 0) > 0
        version, text = self._told.get((room.code, leads), (None, ""))
        if version != (room.version, here):
            text = json.dumps((room.led() if leads else room.seen()) | {"host": here}, ensure_ascii=False)
            self._told[room.code, leads] = (room.version, here), text
        return text

    def announce(self, room: Room) -> None:
        """Wakes all who listen."""
        if (news := self._news.pop(room.code, None)) is not None:
            news.set()

    # --- What people do ---

    async def join(self, request: Request) -> Response:
        return await self._act(request, lambda room, browser, _said: {"number": room.join(browser)})

    async def vote(self, request: Request) -> Response:
        return await self._act(request, lambda room, browser, said: room.vote(browser, said.get("step"), said.get("choice")))

    async def pair(self, request: Request) -> Response:
        return await self._act(request, lambda room, browser, said: room.send(browser, said.get("source"), said.get("answer")))

    async def lead(self, request: Request) -> Response:
        def act(room: Room, browser: str, said: dict[str, Any]) -> None:
            if browser != room.host:
                raise RoomError("not the host")
            match said:
                case {"paper": counts}:
                    room.enter_paper(counts)
                case {"collect": bool(on)}:
                    room.collect(on)
                case {"pick": at, "on": on}:
                    room.pick(at, on)
                case {"go": "end"}:
                    self.rooms.end(room)
                    if (task := self._working.get(room.code)) is not None:
                        task.cancel()
                    return
                case {"go": "recorded"}:
                    self._use_recorded(room)
                case {"go": str(way)}:
                    room.go(way)
                case _:
                    raise RoomError("nonsense")
            self._prepare(room)

        return await self._act(request, act)

    async def _act(self, request: Request, do: Callable[[Room, str, dict[str, Any]], Any]) -> Response:
        """Does what a browser asks, within its allowance; answers with a name of what is wrong otherwise."""
        room, browser = self.rooms.get(request.path_params["code"]), _browser(request)
        if not is_origin_allowed(request.headers.get("origin"), request.headers.get("host")):
            return JSONResponse({"error": "origin"}, 403)
        if room is None:
            return JSONResponse({"error": "over"}, 404)
        if browser is None:
            return JSONResponse({"error": "cookies"}, 403)
        if not self._may_act(browser):
            return JSONResponse({"error": "too fast"}, 429)
        try:
            said = json.loads(await _body(request))
            if not isinstance(said, dict):
                raise ValueError
            answer = do(room, browser, said) or {}
        except RoomError as error:
            return JSONResponse({"error": str(error)}, 409)
        except InputError as error:  # about what was written
            with i18n.speaking(room.language):
                return JSONResponse({"error": i18n.error(error)}, 409)
        except ValueError:
            return JSONResponse({"error": "nonsense"}, 400)
        if self.rooms.get(room.code) is not None:
            self.rooms.keep(room)
        self.announce(room)
        return JSONResponse(answer)

    def _may_act(self, browser: str) -> bool:
        if browser not in self._allowances and len(self._allowances) >= 20 * _LISTENERS:
            self._allowances.clear()
        allowance = self._allowances.setdefault(browser, Allowance(*_ACTIONS))
        allowance.use(1)
        return not allowance.is_used_up

    # --- What is computed for a step ---

    def _prepare(self, room: Room) -> None:
        """Computes in the background what the step on screen shows."""
        key = f"{room.at} {room.phase}"
        if (task := self._working.get(room.code)) is not None:
            if task.get_name() == key:
                return
            task.cancel()
        self._working[room.code] = task = asyncio.create_task(self._compute(room), name=key)
        task.add_done_callback(lambda done: self._working.get(room.code) is done and self._working.pop(room.code))

    async def _compute(self, room: Room) -> None:
        try:
            if room.step.answer == "steps":
                resources.training_scheduler().prepare()  # while people vote
                await self._estimate(room)
            await self._draw(room)
            if room.is_open:
                await self._answer(room)
        except InputError as error:
            with i18n.speaking(room.language):
                room.trouble = i18n.error(error)
            room.touch()
            self.announce(room)
        except Exception:
            _log.exception("a step of a room could not be computed")

    async def _computed(self, room: Room, function: Callable[..., T], *given: object, **named: object) -> T:
        """Computes in a thread. Raises CancelledError if the room has gone on meanwhile, or is over: what was computed belongs
        to another step then."""
        before = room.at, room.phase
        found = await asyncio.to_thread(function, *given, **named)
        if (room.at, room.phase) != before or self.rooms.get(room.code) is not room:
            raise asyncio.CancelledError
        return found

    async def _estimate(self, room: Room) -> None:
        if not room.is_shown:
            room.estimate = await self._computed(room, board.estimate, self._plans(room))
            room.touch()
            self.announce(room)

    async def _draw(self, room: Room) -> None:
        step = room.step
        if not step.sentence or room.picture is not None:
            return
        lines, is_cut = room.is_shown or step.answer == "cut", step.answer == "cut" and room.phase == "shown"
        room.picture = await self._computed(room, outcomes.sentence_picture, step, room.language, lines=lines, cut=is_cut)
        room.touch()
        self.announce(room)

    async def _answer(self, room: Room) -> None:
        """Asks the model what happens, and tells it. Models that the room trains are told as they learn."""
        step, viewer = room.asked_about, f"room {room.code}"
        if step.answer == "steps":
            await self._train(room, viewer)
            return
        while (found := await self._computed(room, _found, step, room.language, viewer)) is None:
            await asyncio.sleep(_LOOK)
        self._happened(room, found)

    async def _train(self, room: Room, viewer: str) -> None:
        if room.board is None or room.board.at != room.about or room.board.stopped:
            room.close_board()
            room.board = board.Board(viewer, room.about, self._plans(room))
        runs = room.board
        while True:
            drawn = board.curves(await self._computed(room, runs.look))
            if drawn != room.curves.get(str(room.about)):
                room.draw_curves(drawn)
                self.announce(room)
            if runs.is_over:
                break
            await asyncio.sleep(_LOOK)
        stopped = runs.stopped
        room.close_board()
        if stopped:
            raise InputError(
                "The server stopped {k} of these {n} models before they had learned. Go back and on again to train them anew.",
                k=stopped, n=len(drawn),
            )  # fmt: skip
        needed = board.steps_needed(drawn)
        with i18n.speaking(room.language):
            step = room.asked_about
            self._happened(room, outcomes.spread(step, needed) if step.vary else outcomes.steps(needed))

    def _plans(self, room: Room) -> list[TrainingPlan]:
        return board.plans(len(room.people), room.asked_about.vary, room.asked_about.values)

    def _use_recorded(self, room: Room) -> None:
        """Shows recorded runs of the same plan, and ends those that the room trains; nothing where these are over."""
        if not room.may_use_recorded:
            return
        if (task := self._working.get(room.code)) is not None:
            task.cancel()
        room.close_board()
        recorded = board.recorded()
        with i18n.speaking(room.language):
            found = outcomes.steps(board.steps_needed(recorded.curves))
            words = _("Recorded on {day}, not trained now: {n} models of the same plan, with seeds 1 to {n}.")
        words = words.format(day=recorded.day, n=len(recorded.curves))
        room.draw_curves(recorded.curves)
        self._happened(room, Outcome(found.found, f"{words}\n{found.words}"))

    def _happened(self, room: Room, found: Outcome) -> None:
        room.happened(found)
        self.rooms.keep(room)
        self.announce(room)


def _translate_ahead(room: Room) -> None:
    """Translates the sentences of a script while people join; the cache of the model on screen keeps them."""
    with i18n.speaking(room.language), suppress(InputError):
        for step in room.script:
            if step.sentence:
                outcomes.sentence_picture(step, room.language, lines=True, cut=step.answer == "cut")


def _found(step: Step, language: str, viewer: str) -> Outcome | None:
    with i18n.speaking(language):
        match step.answer:
            case "looks":
                return outcomes.looks(step, language)
            case "cut":
                return outcomes.cut(step, language)
            case "pronoun":
                return outcomes.pronoun()
            case _:
                return outcomes.peek(viewer)


def _asked_for(request: Request) -> dict[str, list[str]]:
    return parse_qs(request.url.query, keep_blank_values=True)


def _browser(request: Request) -> str | None:
    token = token_of(request.headers.get("cookie", ""))
    return None if token is None else digest(token)


async def _body(request: Request) -> bytes:
    """Returns a small body. Raises ValueError for a large one."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LONGEST:
            raise ValueError
    return body


def _base(request: Request) -> str:
    """Returns the path that the app is served under, without the last slash: what stands before /room/."""
    return request.url.path.rpartition("/room/")[0]


def _address(request: Request, room: Room) -> str:
    """Returns the address that phones open: the public one if the server is told one; never that of this machine alone."""
    path = f"{_base(request)}/room/{room.code}"
    if public := limits.PUBLIC_ADDRESS:
        return f"{public.rstrip('/')}/room/{room.code}"
    scheme = request.headers.get("x-forwarded-proto", request.url.scheme)
    host = request.headers.get("host", "")
    name = urlsplit(f"//{host}").hostname or ""
    if (name in ("localhost", "::1") or name.startswith("127.")) and (ours := addresses.on_the_network()):
        port = urlsplit(f"//{host}").port
        host = f"[{ours}]" if ":" in ours else ours
        host += f":{port}" if port else ""
    return f"{scheme}://{host}{path}"


def _no_room(request: Request) -> Response:
    with i18n.speaking(i18n.best_language(request.headers.get("accept-language", ""))):
        return _refusal(_("There is no room here. It may be over: ask for the address again."), 404)


def _refusal(words: str, status: int) -> Response:
    return HTMLResponse(
        f"<!doctype html><meta charset=utf-8><p style='font:20px sans-serif;margin:2em'>{escape(words)}", status
    )


@cache
def _template() -> str:
    style, script = ((_HERE / name).read_text(encoding="utf-8") for name in ("room.css", "room.js"))
    page = (_HERE / "room.html").read_text(encoding="utf-8")
    return page.replace("{style}", style).replace("{script}", script)


def _words() -> dict[str, str]:
    """Returns all that the pages of a room say by themselves."""
    return {
        "you": _("You are number {n}."), "people": _("{n} here"), "voted": _("{n} of {of} have voted."),
        "vote": _("Vote."), "talk": _("Talk to a neighbour about it."), "again": _("Vote again."),
        "wait": _("Wait for the host."), "thanks": _("Your vote is counted. You can change it."),
        "first": _("first vote"), "second": _("second vote"),
        "open": _("Open the explorer"), "kept": _("What we did"), "computing": _("The model is computing …"),
        "connecting": _("Connecting …"), "lost": _("The host's window is closed. This page goes on when it is back."),
        "next": _("Next"), "back": _("Back"),
        "projector": _("Open the projector's window"), "paper": _("Hands"), "enter": _("Enter the counts"),
        "end": _("End the room"), "minutes": _("about {n} min"),
        "sure": _("End the room for everybody? “What we did” can no longer be read then."),
        "after": _("then: {title}"),
        "close": _("Close the vote"), "reopen": _("Vote again"), "show": _("Show what happens"), "steps": _("step"),
        "estimate": _("They will take about {s} seconds."), "yours": _("yours: seed {n}"),
        "mine": _("yours: {setting} {value}, seed {n}"), "recorded": _("Use recorded runs"),
        "wifi": _("The same Wi-Fi as this screen"),
        "source": _("A sentence"), "answer": _("its answer"), "send": _("Send the pair"), "sent": _("Sent. Another one?"),
        "collect": _("Collect pairs of sentences"), "enough_now": _("Collect no more"),
        "teach": _("Teach a model the {n} pairs"), "pairs": _("{n} pairs have come."),
    } | _refusals()  # fmt: skip


def _refusals() -> dict[str, str]:
    """Returns a sentence for each name of what the server refuses, and for a server that does not answer."""
    return {
        "full": _("This room is full. You can watch."), "crowded": _("Too many windows show this room. Close one."),
        "over": _("This room is over."), "cookies": _("This browser keeps no cookies: its votes cannot be counted."),
        "too fast": _("That was too much at once. Wait a second and press again."),
        "origin": _("This page came from another address. Open the one that the projector shows."),
        "not the host": _("This room is led in another browser."),
        "unknown": _("The room no longer knows this phone. Load this page again."),
        "closed": _("This vote is closed. Wait for the next one."),
        "not asked": _("The host collects no pairs now."), "enough": _("There are enough pairs now."),
        "counts": _("Counts are whole numbers from 0 to {most}.").format(most=MOST_PAPER),
        "no answer": _("The server does not answer. Press again."),
        "nonsense": _("The server did not understand this page. Load it again."),
    }  # fmt: skip


def explorer_address(base: str, task: str, sentence: str) -> str:
    """Returns the address in the app that shows the same."""
    return f"{base}/?task={task}&src={quote(sentence)}" if sentence else f"{base}/"


def _worksheet(room: Room, base: str) -> str:
    """Returns the page that is left to keep."""
    parts, own = [], f'<div class="own"><p>{escape(_("Why? In your own words:"))}</p>{"<hr>" * 6}</div>'
    for asked in room.asked():
        (first, second), rows = asked["counts"], []
        for at, choice in enumerate(asked["choices"]):
            mark = "✓" if at == asked["found"] else ""
            rows.append(f"<tr><td>{escape(choice)}<td>{first[at]}<td>{second[at]}<td>{mark}")
        head = f"<tr><th><th>{escape(_('first vote'))}<th>{escape(_('second vote'))}<th>{escape(_('what happened'))}"
        link = explorer_address(base, first_task(room.language), asked["sentence"])
        more = f'<p><a href="{escape(link)}">{escape(_("Open the explorer"))}</a>' if asked["sentence"] else ""
        parts.append(
            f"<section><h2>{escape(asked['title'])}</h2><p>{escape(asked['question'])}<table>{head}{''.join(rows)}</table>"
            f'<p class="words">{escape(asked["words"])}</p>{more}{own}</section>'
        )
    title, empty = escape(_("What we did")), f"<p>{escape(_('Nothing has been asked yet.'))}"
    until = _("This page is here until the host ends the room, or {n} hours after the last step: print it, or save it.")
    note = f'<p class="note">{escape(until.format(n=round(HOURS)))}'
    style = (_HERE / "kept.css").read_text(encoding="utf-8")
    return (
        f'<!doctype html><html lang="{room.language.replace("_", "-")}"><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{style}</style><h1>{title}</h1>{note}'
        f"{''.join(parts) or empty}"
    )
