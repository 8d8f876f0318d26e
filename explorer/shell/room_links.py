"""The addresses of a room: what its square leads to, and where the app shows the same."""

from urllib.parse import quote, urlsplit

from starlette.requests import Request

from explorer import limits
from explorer.runtime import addresses


def base_of(request: Request) -> str:
    """Returns the path that the app is served under, without the last slash: what stands before /room/."""
    return request.url.path.rpartition("/room/")[0]


def address_of(request: Request, code: str) -> str:
    """Returns the address that phones open: the public one if the server is told one; "" where no phone could reach it."""
    path = f"{base_of(request)}/room/{code}"
    if public := limits.PUBLIC_ADDRESS:
        return f"{public.rstrip('/')}/room/{code}"
    scheme = request.headers.get("x-forwarded-proto", request.url.scheme)
    name, port = host_of(request.headers.get("host", ""))
    if name in ("localhost", "::1") or name.startswith("127."):
        name = "" if addresses.is_for_this_machine_alone() else addresses.on_the_network() or ""
    if not name:
        return ""
    return f"{scheme}://{f'[{name}]' if ':' in name else name}{f':{port}' if port else ''}{path}"


def host_of(header: str) -> tuple[str, int | None]:
    """Returns the name and the port of a Host header; "" for one that is none."""
    try:
        parts = urlsplit(f"//{header}")
        return parts.hostname or "", parts.port
    except ValueError:
        return "", None


def explorer_address(base: str, task: str, sentence: str) -> str:
    """Returns the address in the app that shows the same."""
    return f"{base}/?task={task}&src={quote(sentence)}" if sentence else f"{base}/"
