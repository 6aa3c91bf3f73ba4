"""One question over HTTP and its answer: bounded in bytes and seconds, with every fault as a phrase.

libcurl runs in a thread, because an engine is asked once in a while, not a thousand times a second. A person
named the engine, so its address may be private, unlike those of pages.
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
from clew.domain.text import printable
from clew.version import __version__

MAX_BYTES = 8_000_000
"""Bytes of one answer, unpacked: a hundred results with long snippets are a hundredth of it."""

MAX_HEAD = 65_536
MAX_HOPS = 5

_FAULTS = {
    pycurl.E_COULDNT_RESOLVE_HOST: "its name {host} is not known",
    pycurl.E_COULDNT_CONNECT: "nothing answers at {origin}",
    pycurl.E_OPERATION_TIMEDOUT: "no answer within {timeout:g} s",
    pycurl.E_GOT_NOTHING: "the connection was closed without an answer",
    pycurl.E_RECV_ERROR: "the connection broke",
    pycurl.E_SEND_ERROR: "the connection broke",
    pycurl.E_PARTIAL_FILE: "the answer broke off",
    pycurl.E_SSL_CONNECT_ERROR: "no secure connection could be made",
    pycurl.E_PEER_FAILED_VERIFICATION: "its certificate cannot be trusted",
    pycurl.E_COULDNT_RESOLVE_PROXY: "the name of the proxy (seek.proxy) is not known",
    pycurl.E_BAD_CONTENT_ENCODING: "the answer is packed wrongly",
    pycurl.E_UNSUPPORTED_PROTOCOL: "the answer is not HTTP",
}
_CURES = {
    pycurl.E_COULDNT_RESOLVE_HOST: "check the spelling, and your network",
    pycurl.E_COULDNT_CONNECT: "start it, or correct its address in seek.search",
    pycurl.E_OPERATION_TIMEDOUT: "try again later, or raise seek.timeout",
    pycurl.E_PEER_FAILED_VERIFICATION: "use its real name, or http:// on your own computer",
    pycurl.E_COULDNT_RESOLVE_PROXY: "correct it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came: status, headers in lower case, the body unpacked; or `error`, cause and cure in words."""

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

    def rest(self) -> float:
        """Return the seconds the engine asks to be left alone; 0 when it does not say."""
        said = self.headers.get("retry-after", "").strip()
        if said.isascii() and said.isdigit():
            return float(said[:9])
        try:
            return max(0.0, parsedate_to_datetime(said).timestamp() - time()) if said else 0.0
        except (ValueError, TypeError, OverflowError):
            return 0.0


class HttpClient:
    """Ask one engine at a time over a kept connection.

    Redirects are followed within the host only: a key must not travel to another one.
    """

    def __init__(self, *, proxy: str = "", timeout: float = 20.0) -> None:
        self.proxy = proxy
        self.timeout = timeout
        self._curl: pycurl.Curl | None = None
        self._busy = threading.Lock()
        self._gone = threading.Event()

    async def get(self, url: str, headers: Mapping[str, str] | None = None, login: str = "") -> Reply:
        """Fetch an address; never raises for what the engine did."""
        try:
            return await asyncio.to_thread(self._follow, url, dict(headers or {}), login)
        except asyncio.CancelledError:
            self._gone.set()  # the thread looks at it within a second
            raise

    async def aclose(self) -> None:
        """Close the connection."""
        self._gone.set()
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        with self._busy:
            if self._curl is not None:
                self._curl.close()
                self._curl = None

    def _follow(self, url: str, headers: dict[str, str], login: str) -> Reply:
        with self._busy:
            self._gone.clear()
            start = url
            for _ in range(MAX_HOPS + 1):
                reply = self._once(url, headers, login)
                target = reply.headers.get("location", "")
                if not (300 <= reply.status < 400 and target):  # noqa: PLR2004
                    return reply
                there = urljoin(url, target)
                if not self._same(start, there):
                    said = printable(there.partition("?")[0], 100)
                    return Reply(url=url, error=f"it has moved to {said}; name that address in seek.search")
                url = there
            return Reply(url=url, error=f"more than {MAX_HOPS} redirects in a row; correct its address")

    @staticmethod
    def _same(here: str, there: str) -> bool:
        """Tell a hop within a host, never back from https to http."""
        safe = there.startswith("https://") or here.startswith("http://")
        return safe and urls.host(there.lower()) == urls.host(here.lower())

    def _once(self, url: str, headers: dict[str, str], login: str) -> Reply:
        curl = self._curl = self._curl or pycurl.Curl()
        curl.reset()
        body, head = io.BytesIO(), _Head()
        full = False

        def take(data: bytes) -> int | None:
            nonlocal full
            full = body.tell() + len(data) > MAX_BYTES
            if full:
                return -1
            body.write(data)
            return None

        try:
            self._set(curl, url, headers, login)
            curl.setopt(pycurl.WRITEFUNCTION, take)
            curl.setopt(pycurl.HEADERFUNCTION, head.take)
            curl.perform()
        except pycurl.error as error:
            code = int(error.args[0])
            if full:
                said = f"the answer is larger than {MAX_BYTES // 1_000_000} MB; ask for fewer results"
            else:
                said = self._words(code, url, str(error.args[1]) if len(error.args) > 1 else "")
            return Reply(url=url, error=said)
        except (ValueError, UnicodeError):  # a line break in an address, say
            return Reply(url=url, error="its address cannot be used; correct it in seek.search")
        return Reply(
            url=url, status=int(curl.getinfo(pycurl.RESPONSE_CODE)), headers=head.fields, body=body.getvalue()
        )

    def _set(self, curl: pycurl.Curl, url: str, headers: dict[str, str], login: str) -> None:
        curl.setopt(pycurl.URL, url.encode("utf-8"))
        curl.setopt(pycurl.NOSIGNAL, 1)
        curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        curl.setopt(pycurl.TIMEOUT_MS, int(self.timeout * 1_000))
        curl.setopt(pycurl.CONNECTTIMEOUT_MS, int(min(self.timeout, 10.0) * 1_000))
        curl.setopt(pycurl.ACCEPT_ENCODING, "")
        curl.setopt(pycurl.CAINFO, certifi.where())
        curl.setopt(pycurl.USERAGENT, f"clew/{__version__}")
        curl.setopt(pycurl.PROXY, self.proxy)  # empty: no proxy, whatever the environment says
        if self.proxy:
            curl.setopt(pycurl.NOPROXY, "")
        if login:
            curl.setopt(pycurl.USERPWD, login)
        curl.setopt(pycurl.HTTPHEADER, [f"{name}: {value}" for name, value in headers.items()])
        curl.setopt(pycurl.NOPROGRESS, 0)
        curl.setopt(pycurl.XFERINFOFUNCTION, lambda *_: int(self._gone.is_set()))

    def _words(self, code: int, url: str, said: str) -> str:
        origin = urls.origin(url)
        if self.proxy and code == pycurl.E_COULDNT_CONNECT:
            return (
                f"the proxy {printable(self.proxy.rpartition('@')[2], 60)} does not answer; correct "
                "seek.proxy"
            )
        fault = _FAULTS.get(code, printable(said.lower(), 80) or "it cannot be reached")
        named = fault.format(host=urls.host(url), origin=printable(origin, 80), timeout=self.timeout)
        return f"{named}; {_CURES.get(code, 'try again later, or name another engine in seek.search')}"


class _Head:
    """Collect headers; those of an earlier answer on the way (100, a proxy's 200) are dropped."""

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self._room = MAX_HEAD

    def take(self, line: bytes) -> None:
        self._room -= len(line)
        if self._room < 0:
            return
        if line.startswith(b"HTTP/"):
            self.fields.clear()
        name, colon, value = line.decode("latin-1").partition(":")
        if colon:
            self.fields[name.strip().lower()] = value.strip()
