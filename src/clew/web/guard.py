"""Reject unauthorised requests: check host, origin, token and size, and set the headers of each answer.

A page on the web can make a browser send requests to this computer. It cannot forge the Host header (so a
name that was pointed here is refused), nor the Origin header (so changes must come from our own pages), nor
send JSON to us without asking first (so bodies must be JSON).
"""

import hashlib
import hmac
import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "clew_token"
MAX_BODY = 8 << 20
"""Bytes of a request body: an uploaded table of examples fits, a film does not."""

READING = ("GET", "HEAD")
OPEN_PATHS = ("/login", "/static/")
"""What is shown without a token: the page that asks for it, and its style."""

POLICY = "; ".join(  # noqa: FLY002 - one directive a line
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "frame-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""Sent with every answer, unless the answer has its own, stricter ones."""

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    """Return whether an address to listen on can be reached from this computer only."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


class TooLarge(Exception):  # noqa: N818 - named as the status it becomes
    """A request body that is longer than allowed."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Middleware around the whole application. `hosts` are the names by which it may be called.

    `token` is empty only on loopback; then everyone on this computer may use it.
    """

    app: ASGIApp
    hosts: tuple[str, ...] = LOOPBACK
    token: str = ""
    max_body: int = MAX_BODY

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        sender = _with_headers(send)
        refused = self._refusal(scope, headers)
        if refused is not None:
            await refused(scope, receive, sender)
            return
        started = False

        async def tracked(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await sender(message)

        try:
            await self.app(scope, _bounded(receive, self.max_body), tracked)
        except TooLarge:
            if not started:
                await PlainTextResponse("the request is too large", 413)(scope, receive, sender)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Return the answer to a request that is refused, or None."""
        names = headers.getlist("host")
        if len(names) != 1 or not _is_named(names[0], self.hosts):
            return PlainTextResponse(
                "this name is not served here; open the address that clew serve has printed", 421
            )
        if scope["method"] not in (*READING, "POST", "PUT", "DELETE"):
            return PlainTextResponse("method not allowed", 405)
        if reason := _foreign(scope, headers, names[0]):
            return PlainTextResponse(reason, 403)
        if not headers.get("content-length", "0").isdecimal():
            return PlainTextResponse("Content-Length is not a number", 400)
        if int(headers.get("content-length", "0")) > self.max_body:
            return PlainTextResponse("the request is too large", 413)
        return self._without_token(scope, headers) if self.token else None

    def _without_token(self, scope: Scope, headers: Headers) -> Response | None:
        """Ask for the token; one in the address becomes a cookie and is taken out of the address."""
        path = scope["path"]
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in pairs if name == "token"]
        if given and scope["method"] == "GET" and same_token(given[0], self.token):
            rest = urlencode([pair for pair in pairs if pair[0] != "token"])
            answer = RedirectResponse(local_path(path) + (f"?{rest}" if rest else ""), 303)
            set_cookie(answer, self.token)
            return answer
        if any(same_token(each, self.token) for each in _tokens(headers)):
            return None
        if path.startswith(OPEN_PATHS):
            return None
        if path.startswith("/api/") or path == "/metrics" or scope["method"] != "GET":
            return PlainTextResponse("a token is needed: Authorization: Bearer TOKEN", 401)
        return RedirectResponse("/login", 303)


def local_path(path: str) -> str:
    """Return a path that cannot be taken for another server: `//name` and backslashes are not followed."""
    return "/" + path.replace("\\", "/").lstrip("/")


def same_token(given: str, token: str) -> bool:
    """Compare in a time that does not depend on how much is right."""
    return hmac.compare_digest(
        hashlib.sha256(given.encode()).digest(), hashlib.sha256(token.encode()).digest()
    )


def set_cookie(answer: Response, token: str) -> None:
    """Let the browser keep the token: not for scripts, not for requests from other sites."""
    answer.set_cookie(COOKIE, token, max_age=30 * 86_400, httponly=True, samesite="strict", path="/")


def _tokens(headers: Headers) -> Iterable[str]:
    kind, _, value = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        yield value.strip()
    for line in headers.getlist("cookie"):
        try:
            cookie = SimpleCookie(line)
        except CookieError:
            continue
        if COOKIE in cookie:
            yield cookie[COOKIE].value


def _is_named(host: str, names: Iterable[str]) -> bool:
    """Return whether a Host header names this server, with any port.

    >>> _is_named("localhost:8400", LOOPBACK), _is_named("[::1]:8400", LOOPBACK)
    (True, True)
    >>> _is_named("127.0.0.1.evil.example", LOOPBACK), _is_named("127.0.0.1:8400@evil", LOOPBACK)
    (False, False)
    """
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        name, port = host, "0"
    return port.isdecimal() and name.lower() in names


def _foreign(scope: Scope, headers: Headers, host: str) -> str:
    """Return why a request may have been made by another site; empty if it was not."""
    reading = scope["method"] in READING
    site = headers.get("sec-fetch-site", "none")
    navigates = (
        reading
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
    )
    if site not in ("none", "same-origin") and not navigates:
        return "this request was made by another site"
    if reading:
        return ""
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
        return "changes are accepted from the pages of this server only"
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        return "send JSON: Content-Type: application/json"
    return ""


def _with_headers(send: Send, more: Mapping[str, str] = HEADERS) -> Send:
    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in more.items():
                headers.setdefault(name, value)
        await send(message)

    return sender


def _bounded(receive: Receive, most: int) -> Receive:
    """Refuse a body that is longer than allowed, whatever its Content-Length says."""
    count = 0

    async def receiver() -> Message:
        nonlocal count
        message = await receive()
        count += len(message.get("body", b""))
        if count > most:
            raise TooLarge
        return message

    return receiver
