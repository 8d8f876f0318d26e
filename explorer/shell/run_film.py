"""The route of the pictures of a run's attention after all kept steps, of which the browser makes a film.

Whoever knows a run's id may watch it, and so ask for these.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from explorer import i18n, resources
from explorer.components import matrices, route_of
from explorer.components.shared.arrays import frame
from explorer.pictures.run_attention import ROUTE, Watched, film


def route() -> Route:
    return Route(route_of(f"{ROUTE}/{{run}}"), _pictures)


def _pictures(request: Request) -> Response:
    """Returns {frames: [{step, numbers}]}, framed; runs in a thread of Starlette's pool."""
    run = next((each for each in resources.training_scheduler().runs() if each.id == request.path_params["run"]), None)
    language = i18n.find_language(request.query_params.get("lang", "")) or i18n.ENGLISH
    if run is None:
        return Response(status_code=404)
    try:
        with i18n.speaking(language):
            drawn = film(run, _watched(request.query_params))
    except ValueError:
        return Response(status_code=400)
    frames = [{"step": step, "numbers": matrices.numbers(picture)} for step, picture in drawn]
    return Response(frame({"frames": frames}), media_type="application/octet-stream")


def _watched(said: Any) -> Watched:
    """Parses what is asked for; whether the run has it, `film` finds out. Raises ValueError."""
    try:
        return Watched(int(said["row"]), said["kind"], int(said["layer"]), said["heads"])
    except KeyError as error:
        raise ValueError("this names no attention") from error
