"""The route of the pictures of a run's attention after all kept steps, of which the browser makes a film.

Whoever knows a run's id may watch it, and so ask for these.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from explorer import i18n, resources
from explorer.components import matrices, route_of
from explorer.components.shared.arrays import frame
from explorer.pictures.run_attention import ROUTE, Watched, film


def route() -> Route:
    """Returns the route of such addresses as `Watched.address` gives."""
    return Route(route_of(f"{ROUTE}/{{run}}/{{row:int}}/{{kind}}/{{layer:int}}/{{heads}}/{{language}}"), _pictures)


def _pictures(request: Request) -> Response:
    """Returns {frames: [{step, numbers}]}, framed; runs in a thread of Starlette's pool."""
    asked = request.path_params
    run = next((each for each in resources.training_scheduler().runs() if each.id == asked["run"]), None)
    if run is None:
        return Response(status_code=404)
    try:
        with i18n.speaking(asked["language"]):
            drawn = film(run, Watched(asked["row"], asked["kind"], asked["layer"], asked["heads"]))
    except ValueError:
        return Response(status_code=400)
    frames = [{"step": step, "numbers": matrices.numbers(picture)} for step, picture in drawn]
    return Response(frame({"frames": frames}), media_type="application/octet-stream")
