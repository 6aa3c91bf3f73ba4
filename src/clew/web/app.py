"""The application: routes of pages and of /api/v1, errors as answers, and the guard around all of it."""

import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from clew.errors import ClewError, ConfigError, FolderBusy
from clew.store.outbox import shard_folders
from clew.web import render
from clew.web.cached import StillReading
from clew.web.crawls import UnknownCrawl
from clew.web.events import crawl_events
from clew.web.guard import LOOPBACK, Guard, TooLarge, same_token, set_cookie
from clew.web.hooks import HookWatcher
from clew.web.metrics import metrics_text
from clew.web.openapi import describe
from clew.web.operations import Call, MissingThing, Operation, WebPage
from clew.web.pages import keep_of
from clew.web.routes import OPERATIONS, PAGES
from clew.web.server_state import ServerState

API = "/api/v1"

Handler = Callable[[Request], Awaitable[Response]]


def make_app(server: ServerState, hosts: Sequence[str] = LOOPBACK) -> Guard:
    """Return the application for some crawls, called by one of `hosts`."""
    site = WebSite(server)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> Any:  # noqa: ANN401 - an async context manager
        watcher = HookWatcher(server)
        watcher.start()
        try:
            yield
        finally:
            watcher.stop()

    async def too_large(_: Request, __: Exception) -> Response:
        return PlainTextResponse("the request is too large", 413)

    app = Starlette(routes=site.routes(), lifespan=lifespan, exception_handlers={TooLarge: too_large})
    return Guard(app, tuple(hosts), server.token)


class WebSite:
    """Answer requests with the operations and pages."""

    def __init__(self, server: ServerState) -> None:
        self.server = server
        self.templates = render.environment()
        self.static = render.static_files()

    def routes(self) -> list[Route]:
        """Return a route for everything that can be asked."""
        routes = [
            Route("/static/{file}", self.send_static, methods=["GET"]),
            Route("/login", self.login, methods=["GET", "POST"]),
            Route("/metrics", self.send_metrics, methods=["GET"]),
            Route(f"{API}/openapi.json", self.send_description, methods=["GET"]),
            Route(f"{API}/crawls/{{name}}/events", self.send_events, methods=["GET"]),
            Route("/favicon.ico", self.send_icon, methods=["GET"]),
        ]
        routes += [Route(page.path, partial(self.show, page), methods=["GET"]) for page in PAGES]
        by_path: dict[str, dict[str, Operation]] = {}
        for each in OPERATIONS:
            by_path.setdefault(each.path, {})[each.method] = each
        routes += [
            Route(API + path, partial(self.answer, methods), methods=list(methods))
            for path, methods in by_path.items()
        ]
        return [*routes, Route("/{rest:path}", self.missing, methods=["GET", "POST", "PUT", "DELETE"])]

    # ---- pages and operations ----------------------------------------------------------------------

    async def show(self, page: WebPage, request: Request) -> Response:
        """Answer with a page."""
        try:
            query = page.query.model_validate(dict(request.query_params))
        except ValidationError as error:
            return self._error_page(request, 400, _first_error(error))
        call = Call(
            server=self.server, name=request.path_params.get("name", ""), ids=request.path_params, query=query
        )

        def fill() -> Response:
            if page.of_shards and (shards := shard_folders(call.folder)):
                return RedirectResponse(_shard_url(request, call.name, shards[0].name), 307)
            values = page.run(call)
            if isinstance(values, Response):
                return values
            values = {**_frame(call, page, request), **values}
            return HTMLResponse(render.fill(self.templates, page.template, values))

        try:
            return await run_in_threadpool(fill)
        except StillReading:
            waiting = {**_frame(call, page, request), "message": "Reading a large crawl for the first time …"}
            return HTMLResponse(
                render.fill(self.templates, "waiting.html", waiting), 503, {"Retry-After": "2"}
            )
        except (UnknownCrawl, MissingThing):
            return self._error_page(request, 404, "There is nothing at this address.")
        except ClewError as error:
            return self._error_page(request, 400, str(error))

    async def answer(self, methods: dict[str, Operation], request: Request) -> Response:
        """Answer an operation with JSON, or with the response it returns."""
        operation = methods.get("GET" if request.method == "HEAD" else request.method)
        if operation is None:
            return _failure(405, "method not allowed")
        try:
            query = operation.query.model_validate(dict(request.query_params))
            body = await _body(operation.body, request) if operation.body else None
            call = Call(
                server=self.server,
                name=request.path_params.get("name", ""),
                ids=request.path_params,
                query=query,
                body=body,
            )
            result = await run_in_threadpool(_run, operation, call)
        except (ValidationError, UnknownCrawl, MissingThing, StillReading, ClewError) as error:
            return _failure(*_status_of(error))
        return result if isinstance(result, Response) else _json(result)

    # ---- everything else ---------------------------------------------------------------------------

    async def send_static(self, request: Request) -> Response:
        """Send a file of the package; names are looked up, so no path can leave it."""
        found = self.static.get(request.path_params["file"])
        if found is None:
            return PlainTextResponse("not found", 404)
        return Response(found[0], media_type=found[1], headers={"Cache-Control": "no-cache"})

    async def send_icon(self, _: Request) -> Response:
        """Send the icon."""
        return Response(self.static["icon.svg"][0], media_type="image/svg+xml")

    async def send_metrics(self, _: Request) -> Response:
        """Send the metrics of all crawls for Prometheus."""
        text = await run_in_threadpool(metrics_text, self.server)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def send_description(self, _: Request) -> Response:
        """Send the description of the REST interface."""
        return JSONResponse(describe(OPERATIONS, API))

    async def send_events(self, request: Request) -> Response:
        """Send what happens in a crawl, as it happens."""
        try:
            folder = self.server.crawls.folder(request.path_params["name"])
        except UnknownCrawl:
            return _failure(404, "there is no such crawl")
        return crawl_events(self.server, folder, request)

    async def login(self, request: Request) -> Response:
        """Ask for the token, and keep it in a cookie."""
        if request.method == "POST":
            try:
                given = str((await request.json()).get("token", ""))
            except (ValueError, AttributeError):
                return _failure(400, "send the token as JSON")
            if not self.server.token or not same_token(given, self.server.token):
                return _failure(401, "this is not the token; clew serve prints it when it starts")
            answer = _json({"ok": True})
            set_cookie(answer, self.server.token)
            return answer
        if not self.server.token:
            return RedirectResponse("/", 303)
        return HTMLResponse(render.fill(self.templates, "login.html", {"title": "Token", "here": ""}))

    async def missing(self, request: Request) -> Response:
        """Answer for addresses that lead nowhere."""
        if request.url.path.startswith(API):
            return _failure(404, "there is no such thing; see /api/v1/openapi.json")
        return self._error_page(request, 404, "There is nothing at this address.")

    def _error_page(self, request: Request, status: int, message: str) -> Response:
        name = request.path_params.get("name", "")
        try:
            known = bool(name and self.server.crawls.folder(name))
        except UnknownCrawl:
            known = False
        values = {
            "title": "Not possible",
            "here": "",
            "message": message,
            "status": status,
            "name": name if known else "",
            "back": f"/crawls/{quote(name, safe='')}" if known else "/",
        }
        return HTMLResponse(render.fill(self.templates, "error.html", values), status)


def _run(operation: Operation, call: Call) -> Any:  # noqa: ANN401 - as the operation
    if operation.whole and call.divided:
        msg = f"{call.name} is a shard; this is for the whole crawl, {call.name.rpartition(':')[0]}"
        raise ConfigError(msg)
    return operation.run(call)


def _frame(call: Call, page: WebPage, request: Request) -> dict[str, Any]:
    """Return what every page shows around its content."""
    return {
        "title": page.title,
        "name": call.name,
        "here": page.template.removesuffix(".html"),
        "query": call.query,
        "trust": call.server.trust,
        "has_token": bool(call.server.token),
        "path": request.url.path,
        "keep": keep_of(call.folder) if call.name else 0.5,
        **_shards_beside(call, request),
    }


def _shards_beside(call: Call, request: Request) -> dict[str, Any]:
    """Return of a page of a shard the crawl, and where the same page of each shard is."""
    if not call.name or not call.divided:
        return {"shard_of": "", "siblings": {}}
    crawl = call.name.rpartition(":")[0]
    numbers = [path.name for path in shard_folders(call.divided)]
    return {"shard_of": crawl, "siblings": {each: _shard_url(request, crawl, each) for each in numbers}}


def _shard_url(request: Request, crawl: str, number: str) -> str:
    """Return the address of a page for a shard of a crawl."""
    _, slash, rest = request.scope["path"].removeprefix("/crawls/").partition("/")
    query = f"?{request.url.query}" if request.url.query else ""
    return f"/crawls/{quote(f'{crawl}:{number}', safe='')}{slash}{quote(rest)}{query}"


async def _body(model: type[BaseModel], request: Request) -> BaseModel:
    data = await request.body()
    return model.model_validate_json(data or b"{}")


def _status_of(error: Exception) -> tuple[int, str]:
    """Return the status and the sentence for something that went wrong."""
    if isinstance(error, ValidationError):
        return 422, _first_error(error)
    if isinstance(error, UnknownCrawl | MissingThing):
        return 404, "there is no such thing"
    if isinstance(error, StillReading):
        return 503, "the crawl is being read for the first time; try again in a moment"
    return (409 if isinstance(error, FolderBusy) else 400), str(error)


def _json(result: object) -> Response:
    text = json.dumps(result, ensure_ascii=False, allow_nan=False, default=str)
    return Response(text.encode("utf-8", "replace"), media_type="application/json")


def _failure(status: int, message: str) -> Response:
    return JSONResponse({"error": message}, status)


def _first_error(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg']}" if where else str(first["msg"])
