"""The routes of rooms: pages for phones, for a projector and for the host, their events, votes, and what is left to keep.

These pages need no Streamlit session: each is one file of some 50 kB. A browser is known by the app's cookie, which no script
can read. Nothing that a browser sends ends in an error of the server: it is done, or refused with a name.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from html import escape
from typing import Any
from urllib.parse import parse_qs

import segno
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from explorer import i18n, limits
from explorer.components import route_of
from explorer.i18n import _
from explorer.model_on_screen.settings import first_task
from explorer.rooms import outcomes
from explorer.rooms.lesson import LONGEST_LINK
from explorer.rooms.preparation import Preparation
from explorer.rooms.room import CODE, Room, RoomError, digest, text_of
from explorer.rooms.rooms import DAYS, Rooms, of_server
from explorer.rooms.script import ScriptError
from explorer.runtime.allowance import Allowance
from explorer.runtime.browser_token import token_of
from explorer.shell import room_door, room_keep, room_words
from explorer.shell.room_bundle import as_script, bundled, style, template
from explorer.shell.room_links import address_of, base_of, host_of
from explorer.shell.room_stream import AGAIN, Streams, Window
from explorer.streamlit_patches.origins import is_origin_allowed
from transformer_core.errors import InputError

_LONGEST = 2048  # bytes of a request's body
_LONGEST_FORM = LONGEST_LINK + 200  # bytes of the form that opens a room
_KNOWN = 5000  # browsers, or addresses, whose allowances are kept
_ACTIONS = (20, 4)  # actions of one browser: at once, and per second
_JOINS = (120, 1)  # browsers from one address that join: a whole school may be behind one
_ROOMS = (8, 1 / 60)  # rooms from one address
_GUESSES = (40, 0.2)  # codes and keys from one address that were wrong
_COMPUTING = 2  # sentences of phones that are computed at once
_KEEP = 0.5  # seconds that what is written down may be behind
_MODULES = ("stream.js", "pictures.js", "host.js", "page.js")


def routes() -> list[BaseRoute]:
    """Returns the routes of rooms; the server's rooms are made with them."""
    rooms = RoomRoutes(of_server())
    get: dict[str, Callable[[Request], Any]] = {
        "new": rooms.new,
        "{code}": rooms.phone,
        "{code}/screen": rooms.screen,
        "{code}/host": rooms.host,
        "{code}/events": rooms.events,
        "{code}/kept": rooms.kept,
        "{code}/file": rooms.file,
        "{code}/answers.csv": rooms.answers,
    }
    post: dict[str, Callable[[Request], Any]] = {
        "new": rooms.make,
        "{code}/host": rooms.admit,
        "{code}/join": rooms.join,
        "{code}/vote": rooms.vote,
        "{code}/pair": rooms.pair,
        "{code}/say": rooms.say,
        "{code}/cut": rooms.cut,
        "{code}/look": rooms.look,
        "{code}/answer": rooms.answer,
        "{code}/lead": rooms.lead,
    }
    return [
        *(Route(route_of(f"room/{path}"), answer) for path, answer in get.items()),
        *(Route(route_of(f"room/{path}"), answer, methods=["POST"]) for path, answer in post.items()),
    ]


class Allowances:
    """How much each of many may do."""

    def __init__(self, at_once: float, per_second: float):
        self._each: dict[str, Allowance] = {}
        self._size = at_once, per_second

    def may(self, who: str, amount: float = 1) -> bool:
        """Uses some of what somebody may do. Returns whether there was enough."""
        if who not in self._each and len(self._each) >= _KNOWN:
            self._each.clear()
        allowance = self._each.setdefault(who, Allowance(*self._size))
        allowance.use(amount)
        return not allowance.is_used_up


class RoomRoutes:
    """The pages, actions and streams of all rooms of a server."""

    def __init__(self, rooms: Rooms):
        self.rooms, self.streams = rooms, Streams(rooms)
        self._preparations: dict[str, Preparation] = {}
        self._keeping: dict[str, asyncio.Task[None]] = {}
        self._actions, self._joins = Allowances(*_ACTIONS), Allowances(*_JOINS)
        self._made, self._guesses = Allowances(*_ROOMS), Allowances(*_GUESSES)
        self._computing = asyncio.Semaphore(_COMPUTING)

    # --- Pages ---

    async def new(self, request: Request) -> Response:
        """Shows the page that opens a room."""
        language, lesson = _language_asked(request), _asked_for(request).get("lesson", "")
        try:
            return await asyncio.to_thread(room_door.opening, language, lesson)
        except ScriptError as error:
            return _refused_script(error, lesson, language)

    async def make(self, request: Request) -> Response:
        """Leads a host into a room of its own."""
        browser, form = _browser(request), await _form(request, _LONGEST_FORM)
        language, lesson = i18n.find_language(form.get("lang", "")) or i18n.ENGLISH, form.get("lesson", "")
        with i18n.speaking(language):
            if not _is_from_here(request):
                return room_door.refusal(room_words.refusals()["origin"], 403)
            if browser is None:
                return room_door.refusal(
                    _("This browser keeps no cookies: it cannot lead a room. Allow them, and try again."), 403
                )
            if not self._made.may(_address_of_client(request)):
                return room_door.refusal(_("Many rooms were opened from here. Wait a minute, and try again."), 429)
            try:
                room = self.rooms.made_by(browser, language, short=bool(form.get("short")), lesson=lesson)
            except ScriptError as error:
                return _refused_script(error, lesson, language)
            except RoomError:
                words = _("There are too many rooms on this server. Try again when one of them is over.")
                return room_door.refusal(words, 503)
        self._prepare(room)
        if limits.COPIES > 1:
            self.rooms.leave(room)
        return RedirectResponse(f"{room.code}/host", 303, headers={"cache-control": "no-store"})

    async def admit(self, request: Request) -> Response:
        """Makes another browser one that leads a room, if it knows the key."""
        room, browser, form = self.rooms.get(request.path_params["code"]), _browser(request), await _form(request)
        if room is None:
            return self._no_room(request)
        language = _language_of(request, room)
        with i18n.speaking(language):
            refusals = room_words.refusals()
            if not _is_from_here(request):
                return room_door.refusal(refusals["origin"], 403)
            if browser is None:
                return room_door.refusal(refusals["cookies"], 403)
            try:
                room.admit(browser, form.get("key", ""))
            except RoomError as error:
                is_slow = not self._guesses.may(_address_of_client(request), 4)
                return room_door.refusal(refusals["too fast" if is_slow else str(error)], 429 if is_slow else 403)
        self._changed(room)
        return RedirectResponse("host", 303)

    async def phone(self, request: Request) -> Response:
        return self._page(request, "phone")

    async def screen(self, request: Request) -> Response:
        return self._page(request, "screen")

    async def host(self, request: Request) -> Response:
        return self._page(request, "host")

    def _page(self, request: Request, kind: str) -> Response:
        code = request.path_params["code"]
        if (room := self.rooms.get(code)) is None:
            return self._no_room(request, keeps=True)
        if code != room.code:  # typed in small letters
            return RedirectResponse(f"{base_of(request)}/room/{room.code}{'' if kind == 'phone' else f'/{kind}'}", 303)
        leads = _browser(request) in room.hosts
        if kind == "host" and not leads:
            return room_door.asks_for_key(_language_of(request, room))
        language = _language_of(request, room) if kind == "phone" else room.language
        address = address_of(request, room.code)
        with i18n.speaking(language):
            words = room_words.words()
            told = {
                "kind": kind,
                "base": f"{base_of(request)}/room/{room.code}",
                "task": first_task(room.language),
                "leads": leads,
                "language": language,
                "reachable": bool(address),
                "words": words | {"really": words["really"].format(n=DAYS)},
            }
            title = escape(_("Transformer Explorer: room {code}").format(code=room.code))
        drawn, keep = (
            square(each) if each and kind != "phone" else "" for each in (address, f"{address}/kept" * bool(address))
        )
        filled = template("room.html")
        for name, text in {
            "language": language.replace("_", "-"),
            "kind": kind,
            "title": title,
            "square": drawn,
            "keep": keep,
            "address": escape(address.partition("://")[2]),
            "style": style("room.css", "pictures.css"),
            "script": bundled(*_MODULES),
            "told": as_script(told),
        }.items():
            filled = filled.replace("{" + name + "}", text)
        return HTMLResponse(filled, headers={"cache-control": "no-store"})

    async def kept(self, request: Request) -> Response:
        """Shows what a room has asked and seen, with one's own votes; also when it is over."""
        return self._kept(request, _browser(request) or "")

    async def file(self, request: Request) -> Response:
        """Gives the same as a file, without anybody's own votes."""
        return self._kept(request, None)

    async def answers(self, request: Request) -> Response:
        """Sends the host the counts of the questions asked before and after, as CSV."""
        room = self.rooms.get(request.path_params["code"])
        if room is None or _browser(request) not in room.hosts:
            return self._no_room(request)
        headers = {"content-disposition": f'attachment; filename="room-{room.code}-{room.day}.csv"'}
        return Response(room.quiz_table(), media_type="text/csv; charset=utf-8", headers=headers)

    def _kept(self, request: Request, browser: str | None) -> Response:
        if (room := self.rooms.kept(request.path_params["code"])) is None:
            return self._no_room(request)
        address = address_of(request, room.code)
        address = f"{address}/kept" if address else ""
        with i18n.speaking(room.language):
            page = room_keep.kept_page(room, base_of(request), browser, address.partition("://")[2], square(address))
        headers = {"cache-control": "no-store"}
        if browser is None:
            headers["content-disposition"] = f'attachment; filename="{room_keep.file_name(room)}"'
        return HTMLResponse(page, headers=headers)

    def _no_room(self, request: Request, keeps: bool = False) -> Response:
        """Answers for a code that leads to no room; `keeps`: to what is kept of one that is over."""
        code = request.path_params["code"]
        if keeps and (over := self.rooms.kept(code)) is not None:
            return RedirectResponse(f"{base_of(request)}/room/{over.code}/kept", 303)
        with i18n.speaking(_language_of(request)):
            if len(code) == CODE and not self._guesses.may(_address_of_client(request)):
                return room_door.refusal(room_words.refusals()["too fast"], 429)
            return room_door.refusal(_("There is no room here. It may be over: ask for the address again."), 404)

    # --- Events ---

    async def events(self, request: Request) -> Response:
        room, asked = self.rooms.get(request.path_params["code"]), _asked_for(request)
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        browser, kind = _browser(request), asked.get("kind", "")
        if room is None or self.streams.is_full(room, browser):
            told = {"over": True} if room is None else {"full": True}
            return Response(f"retry: {AGAIN}\ndata: {json.dumps(told)}\n\n", media_type="text/event-stream", headers=headers)
        self._prepare(room)
        language = i18n.find_language(asked.get("lang", "")) or room.language
        window = Window(language, kind == "host" and browser in room.hosts, browser if kind == "phone" else None)
        return StreamingResponse(self.streams.tell(room, window), media_type="text/event-stream", headers=headers)

    # --- What people do ---

    async def join(self, request: Request) -> Response:
        def act(room: Room, browser: str, _said: dict[str, Any]) -> dict[str, Any]:
            if browser not in room.people and not self._joins.may(_address_of_client(request)):
                raise RoomError("too fast")
            return room.join(browser)

        return await self._act(request, act)

    async def vote(self, request: Request) -> Response:
        def act(room: Room, browser: str, said: dict[str, Any]) -> None:
            step, phase = said.get("step"), said.get("phase")
            if "because" in said:
                room.give_reason(browser, step, phase, said["because"])
            else:
                room.vote(browser, step, phase, said.get("choice"))

        return await self._act(request, act)

    async def pair(self, request: Request) -> Response:
        return await self._act(
            request, lambda room, browser, said: room.send_pair(browser, said.get("source"), said.get("answer"))
        )

    async def say(self, request: Request) -> Response:
        """Translates a sentence for a phone, and sends it to the host if the phone says so."""

        async def act(room: Room, browser: str, said: dict[str, Any]) -> dict[str, Any]:
            room.check_may_send(browser, "sentences")
            sentence = text_of(said.get("sentence"))
            picture = await self._computed(outcomes.sentence, sentence, room.language)
            if said.get("send"):
                room.send_sentence(browser, sentence, picture)
            return {"picture": picture}

        return await self._act(request, act)

    async def cut(self, request: Request) -> Response:
        """Cuts a line of the sentence on screen for a phone, and notes one that changes nothing."""

        async def act(room: Room, browser: str, said: dict[str, Any]) -> dict[str, Any]:
            room.check_may_send(browser, "lines")
            query, key = said.get("query"), said.get("key")
            if type(query) is not int or type(key) is not int:
                raise RoomError("nonsense")
            picture = await self._computed(outcomes.without_line, room.step.sentence, room.language, query, key)
            if picture["stays"]:
                room.find(browser, picture)
            return {"picture": picture}

        return await self._act(request, act)

    async def answer(self, request: Request) -> Response:
        """Takes a choice for a question of the bank."""

        def act(room: Room, browser: str, said: dict[str, Any]) -> dict[str, Any]:
            return {"answered": room.answer(browser, said.get("step"), said.get("question"), said.get("choice"))}

        return await self._act(request, act)

    async def look(self, request: Request) -> Response:
        """Takes where a phone lets its word look, and writes the word with the mean of all phones that have it."""

        async def act(room: Room, browser: str, said: dict[str, Any]) -> dict[str, Any]:
            at, query = room.take_look(browser, said.get("step"), said.get("keys"))
            while (weights := room.given_row(at, query)) != room.row_weights(at, query):
                sentence = room.script[at].sentence
                room.write_row(at, query, await self._computed(outcomes.row_written, sentence, room.language, query, weights))
            return {"word": room.rows[str(at)][str(query)]["word"]}

        return await self._act(request, act)

    async def lead(self, request: Request) -> Response:
        def act(room: Room, browser: str, said: dict[str, Any]) -> None:
            if browser not in room.hosts:
                raise RoomError("not the host")
            match said:
                case {"go": str(way)}:
                    room.go(way)
                case {"jump": at}:
                    room.jump(at)
                case {"paper": counts}:
                    room.enter_paper(counts)
                case {"again": True}:
                    room.start_again()
                case {"lock": bool(on)}:
                    room.lock(on)
                case {"show": number}:
                    room.put_on_screen(number)
                case {"remove": number}:
                    room.remove(number)
                case {"pick": number, "on": on}:
                    room.pick(number, on)
                case {"recorded": True}:
                    self._preparation(room).use_recorded()
                case {"end": True}:
                    self._end(room)
                case _:
                    raise RoomError("nonsense")

        return await self._act(request, act)

    async def _act(
        self, request: Request, do: Callable[[Room, str, dict[str, Any]], dict[str, Any] | Awaitable[dict[str, Any]] | None]
    ) -> Response:
        """Does what a browser asks, within its allowance; answers with a name of what is wrong otherwise."""
        room, browser = self.rooms.get(request.path_params["code"]), _browser(request)
        if not _is_from_here(request):
            return JSONResponse({"error": "origin"}, 403)
        if room is None:
            may_guess = self._guesses.may(_address_of_client(request))
            return JSONResponse({"error": "over" if may_guess else "too fast"}, 404 if may_guess else 429)
        if browser is None:
            return JSONResponse({"error": "cookies"}, 403)
        if not self._actions.may(browser):
            return JSONResponse({"error": "too fast"}, 429)
        try:
            message = json.loads(await _body(request))
            if not isinstance(message, dict):
                raise ValueError
            answer = do(room, browser, message)
            if isinstance(answer, Awaitable):
                answer = await answer
        except RoomError as error:
            return JSONResponse({"error": str(error)}, 429 if str(error) == "too fast" else 409)
        except InputError as error:  # about what was written
            with i18n.speaking(_language_of(request, room)):
                return JSONResponse({"error": i18n.error(error)}, 409)
        except (ValueError, RecursionError):
            return JSONResponse({"error": "nonsense"}, 400)
        self._changed(room)
        return JSONResponse(answer or {})

    async def _computed(self, function: Callable[..., outcomes.Picture], *given: object) -> outcomes.Picture:
        async with self._computing:
            return await asyncio.to_thread(function, *given)

    def _end(self, room: Room) -> None:
        if (preparation := self._preparations.pop(room.code, None)) is not None:
            preparation.stop()
        self.rooms.end(room)

    # --- What is computed, and what is kept ---

    def _preparation(self, room: Room) -> Preparation:
        for code in [code for code in self._preparations if self.rooms.get(code) is None]:
            self._preparations.pop(code).stop()
        return self._preparations.setdefault(room.code, Preparation(room, self._changed))

    def _prepare(self, room: Room) -> None:
        self._preparation(room).begin()

    def _changed(self, room: Room) -> None:
        self.streams.announce(room)
        if room.code not in self._keeping and not room.over:
            self._keeping[room.code] = asyncio.create_task(self._keep_soon(room))

    async def _keep_soon(self, room: Room) -> None:
        await asyncio.sleep(_KEEP)
        self._keeping.pop(room.code, None)
        if room.over:
            return
        was = room.unkept
        self.rooms.keep(room)
        if room.unkept != was:
            room.version += 1
            self.streams.announce(room)


def _refused_script(error: ScriptError, lesson: str, language: str) -> Response:
    if not lesson:
        return room_door.refusal(f"{limits.ROOM_SCRIPT}: {error}", 503)
    with i18n.speaking(language):
        return room_door.refusal(_("The lesson in this link cannot be read: {reason}.").format(reason=error), 400)


def square(address: str) -> str:
    """Returns an address as a square for cameras; "" for none."""
    return segno.make(address).svg_inline(scale=1, border=2, omitsize=True) if address else ""


def _asked_for(request: Request) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(request.url.query, keep_blank_values=True).items()}


def _language_asked(request: Request) -> str:
    return i18n.find_language(_asked_for(request).get("lang", "")) or i18n.ENGLISH


def _language_of(request: Request, room: Room | None = None) -> str:
    """Returns the language of the browser, if the app has it; else that of the room."""
    accepted = request.headers.get("accept-language", "")
    best = i18n.best_language(accepted)
    is_meant = best != i18n.ENGLISH or accepted.lower().startswith("en")  # English is also what it is where none fits
    return best if room is None or is_meant else room.language


def _browser(request: Request) -> str | None:
    token = token_of(request.headers.get("cookie", ""))
    return None if token is None else digest(token)


def _address_of_client(request: Request) -> str:
    return request.client.host if request.client is not None else ""


def _is_from_here(request: Request) -> bool:
    """Returns whether a request comes from a page of this server."""
    host, origin = request.headers.get("host", ""), request.headers.get("origin")
    is_readable = origin is None or bool(host_of(origin.partition("://")[2])[0])
    return bool(host_of(host)[0]) and is_readable and is_origin_allowed(origin, host)


async def _body(request: Request, most: int = _LONGEST) -> bytes:
    """Returns a small body. Raises ValueError for a large one."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise ValueError
    return body


async def _form(request: Request, most: int = _LONGEST) -> dict[str, str]:
    """Returns the fields of a small form; none for anything else."""
    try:
        fields = parse_qs((await _body(request, most)).decode())
    except ValueError:
        return {}
    return {name: values[0] for name, values in fields.items()}
