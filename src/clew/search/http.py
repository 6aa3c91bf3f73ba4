"""HTTP requests to servers that the user named: bounded in bytes and seconds, with every error as a message.

libcurl runs in a thread, because search engines and teachers are queried rarely. Their addresses may be
private, unlike those of pages.
"""

import asyncio
import io
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from time import time
from urllib.parse import urljoin

import certifi
import pycurl

from clew import urls
from clew.domain.installation import __version__
from clew.domain.text import printable

MAX_BYTES = 8_000_000
"""Maximum bytes of one decompressed response: a hundred results with long snippets are a hundredth of it."""

MAX_HEAD = 65_536
MAX_HOPS = 5

_ERRORS = {
    pycurl.E_COULDNT_RESOLVE_HOST: "its name {host} is not known",
    pycurl.E_COULDNT_CONNECT: "nothing answers at {origin}",
    pycurl.E_OPERATION_TIMEDOUT: "no answer within {timeout:g} s",
    pycurl.E_GOT_NOTHING: "the connection was closed without an answer",
    pycurl.E_RECV_ERROR: "the connection broke",
    pycurl.E_SEND_ERROR: "the connection broke",
    pycurl.E_PARTIAL_FILE: "the answer broke off",
    pycurl.E_SSL_CONNECT_ERROR: "no secure connection could be made",
    pycurl.E_PEER_FAILED_VERIFICATION: "its certificate cannot be trusted",
    pycurl.E_COULDNT_RESOLVE_PROXY: "the name of the proxy ({proxy_key}) is not known",
    pycurl.E_BAD_CONTENT_ENCODING: "the answer is packed wrongly",
    pycurl.E_UNSUPPORTED_PROTOCOL: "the answer is not HTTP",
}
_HINTS = {
    pycurl.E_COULDNT_RESOLVE_HOST: "check the spelling, and your network",
    pycurl.E_COULDNT_CONNECT: "start it, or correct its address in {address_key}",
    pycurl.E_OPERATION_TIMEDOUT: "try again later, or raise {timeout_key}",
    pycurl.E_PEER_FAILED_VERIFICATION: "use its real name, or http:// on your own computer",
    pycurl.E_COULDNT_RESOLVE_PROXY: "correct it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A response: status, headers in lower case, decompressed body; or `error` with cause and remedy."""

    url: str
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    error: str = ""

    @property
    def mime(self) -> str:
        """The declared type, without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        """The body as text; what is not UTF-8 is replaced."""
        return self.body.decode("utf-8-sig", "replace")

    def retry_after(self) -> float:
        """Return the seconds of the Retry-After header; 0 if there is none."""
        text = self.headers.get("retry-after", "").strip()
        if text.isascii() and text.isdigit():
            return float(text[:9])
        try:
            return max(0.0, parsedate_to_datetime(text).timestamp() - time()) if text else 0.0
        except (ValueError, TypeError, OverflowError):
            return 0.0


@dataclass(frozen=True, slots=True)
class ClientKeys:
    """The keys of clew.toml that messages name: the address of the server, the proxy and the timeout."""

    address: str = "seek.search"
    proxy: str = "seek.proxy"
    timeout: str = "seek.timeout"


class HttpClient:
    """Send one request at a time over a persistent connection.

    Redirects are followed within the host only: a key must not be sent to another one.
    """

    def __init__(
        self,
        *,
        proxy: str = "",
        timeout: float = 20.0,
        keys: ClientKeys = ClientKeys(),
    ) -> None:
        self.proxy = proxy
        self.timeout = timeout
        self.keys = keys
        self._curl: pycurl.Curl | None = None
        self._lock = threading.Lock()
        self._cancelled = threading.Event()

    async def get(self, url: str, headers: Mapping[str, str] | None = None, login: str = "") -> Reply:
        """Fetch a URL; errors of the server are returned, not raised."""
        return await self._send(url, dict(headers or {}), login, None)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        """Send a body to a URL; errors of the server are returned, not raised."""
        return await self._send(url, dict(headers), "", body)

    async def _send(self, url: str, headers: dict[str, str], login: str, body: bytes | None) -> Reply:
        try:
            return await asyncio.to_thread(self._follow, url, headers, login, body)
        except asyncio.CancelledError:
            self._cancelled.set()  # the thread checks it within a second
            raise

    async def aclose(self) -> None:
        """Close the connection."""
        self._cancelled.set()
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        with self._lock:
            if self._curl is not None:
                self._curl.close()
                self._curl = None

    def _follow(self, url: str, headers: dict[str, str], login: str, sent: bytes | None) -> Reply:
        with self._lock:
            self._cancelled.clear()
            start = url
            for _ in range(MAX_HOPS + 1):
                reply = self._request(url, headers, login, sent)
                location_header = reply.headers.get("location", "")
                if not (300 <= reply.status < 400 and location_header):  # noqa: PLR2004
                    return reply
                target = urljoin(url, location_header)
                if not self._is_same_host(start, target):
                    location = printable(target.partition("?")[0], 100)
                    moved = f"it has moved to {location}; name that address in {self.keys.address}"
                    return Reply(url=url, error=moved)
                url = target
            return Reply(url=url, error=f"more than {MAX_HOPS} redirects in a row; correct its address")

    @staticmethod
    def _is_same_host(here: str, there: str) -> bool:
        """Return whether a redirect stays within the host, and does not go back from https to http."""
        safe = there.startswith("https://") or here.startswith("http://")
        return safe and urls.host(there.lower()) == urls.host(here.lower())

    def _request(self, url: str, headers: dict[str, str], login: str, sent: bytes | None) -> Reply:
        curl = self._curl = self._curl or pycurl.Curl()
        curl.reset()
        body, head = io.BytesIO(), _HeaderCollector()
        full = False

        def take(data: bytes) -> int | None:
            nonlocal full
            full = body.tell() + len(data) > MAX_BYTES
            if full:
                return -1
            body.write(data)
            return None

        try:
            self._set_options(curl, url, headers, login)
            if sent is not None:
                curl.setopt(pycurl.POST, 1)
                curl.setopt(pycurl.POSTFIELDS, sent)
            curl.setopt(pycurl.WRITEFUNCTION, take)
            curl.setopt(pycurl.HEADERFUNCTION, head.take)
            curl.perform()
        except pycurl.error as error:
            code = int(error.args[0])
            if full:
                text = f"the answer is larger than {MAX_BYTES // 1_000_000} MB; ask for fewer results"
            else:
                text = self._describe_error(code, url, str(error.args[1]) if len(error.args) > 1 else "")
            return Reply(url=url, error=text)
        except (ValueError, UnicodeError):  # for example a line break in the URL
            return Reply(url=url, error=f"its address cannot be used; correct it in {self.keys.address}")
        return Reply(
            url=url, status=int(curl.getinfo(pycurl.RESPONSE_CODE)), headers=head.fields, body=body.getvalue()
        )

    def _set_options(self, curl: pycurl.Curl, url: str, headers: dict[str, str], login: str) -> None:
        curl.setopt(pycurl.URL, url.encode("utf-8"))
        curl.setopt(pycurl.NOSIGNAL, 1)
        curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        curl.setopt(pycurl.TIMEOUT_MS, int(self.timeout * 1_000))
        curl.setopt(pycurl.CONNECTTIMEOUT_MS, int(min(self.timeout, 10.0) * 1_000))
        curl.setopt(pycurl.ACCEPT_ENCODING, "")
        curl.setopt(pycurl.CAINFO, certifi.where())
        curl.setopt(pycurl.USERAGENT, f"clew/{__version__}")
        curl.setopt(pycurl.PROXY, self.proxy)  # empty: no proxy, regardless of the environment
        if self.proxy:
            curl.setopt(pycurl.NOPROXY, "")
        if login:
            curl.setopt(pycurl.USERPWD, login)
        curl.setopt(pycurl.HTTPHEADER, [f"{name}: {value}" for name, value in headers.items()])
        curl.setopt(pycurl.NOPROGRESS, 0)
        curl.setopt(pycurl.XFERINFOFUNCTION, lambda *_: int(self._cancelled.is_set()))

    def _describe_error(self, code: int, url: str, text: str) -> str:
        keys = self.keys
        if self.proxy and code == pycurl.E_COULDNT_CONNECT:
            proxy = printable(self.proxy.rpartition("@")[2], 60)
            return f"the proxy {proxy} does not answer; correct {keys.proxy}"
        unknown = printable(text.lower(), 80).replace("{", "{{").replace("}", "}}")
        described = _ERRORS.get(code, unknown or "it cannot be reached")
        hint = _HINTS.get(code, "try again later, or name another one in {address_key}")
        return f"{described}; {hint}".format(
            host=urls.host(url), origin=printable(urls.origin(url), 80), timeout=self.timeout,
            address_key=keys.address, proxy_key=keys.proxy, timeout_key=keys.timeout,
        )  # fmt: skip


class _HeaderCollector:
    """Collect headers; those of intermediate responses (100, a proxy's 200) are dropped."""

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self._bytes_left = MAX_HEAD

    def take(self, line: bytes) -> None:
        self._bytes_left -= len(line)
        if self._bytes_left < 0:
            return
        if line.startswith(b"HTTP/"):
            self.fields.clear()
        name, colon, value = line.decode("latin-1").partition(":")
        if colon:
            self.fields[name.strip().lower()] = value.strip()
