"""Slow and endless servers, at every stage of a fetch: each is let go in time and costs nobody else."""

from .cases import case, front, leaf
from .judge import Check, Evidence, asked_at_most, let_go, marked, never, read
from .server import Request, Site, Wire

FOREVER = 10**9
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def _slow(site: Site, handler, *, sent: int = 16 * 2**20) -> list[Check]:
    front(site, "/slow", "/after")
    leaf(site, "/after")
    site.on("/slow", handler)
    return [read("/after"), marked("/slow"), let_go(sent=sent)]


@case("slow")
def silence_after_the_request(site: Site) -> list[Check]:
    async def silent(_: Request, wire: Wire) -> None:
        await wire.pause(120)

    return _slow(site, silent)


@case("slow")
def a_status_line_byte_by_byte(site: Site) -> list[Check]:
    async def drip(_: Request, wire: Wire) -> None:
        await wire.drip(HEAD, every=0.9)

    return _slow(site, drip)


@case("slow")
def headers_without_end_slowly(site: Site) -> list[Check]:
    async def drip(_: Request, wire: Wire) -> None:
        await wire.send(HEAD)
        for n in range(FOREVER):
            await wire.send(b"X-%d: 1\r\n" % n)
            await wire.pause(0.2)

    return _slow(site, drip)


@case("slow")
def a_body_byte_by_byte(site: Site) -> list[Check]:
    async def drip(_: Request, wire: Wire) -> None:
        await wire.send(HEAD + b"Content-Length: 100000\r\n\r\n<title>drip</title>")
        await wire.drip(b"x" * 100_000, every=0.2)

    return _slow(site, drip)


@case("slow")
def chunks_without_end_slowly(site: Site) -> list[Check]:
    async def drip(_: Request, wire: Wire) -> None:
        await wire.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(FOREVER):
            await wire.send(b"5\r\nhello\r\n")
            await wire.pause(0.1)

    return _slow(site, drip)


@case("slow")
def a_body_without_end_fast(site: Site) -> list[Check]:
    async def flood(_: Request, wire: Wire) -> None:
        await wire.send(HEAD + b"\r\n<title>flood</title>")
        for _ in range(FOREVER):
            await wire.send(b"<p>more and more and more</p>\n" * 2_000)

    return _slow(site, flood, sent=32 * 2**20)


@case("slow")
def chunks_without_end_fast(site: Site) -> list[Check]:
    async def flood(_: Request, wire: Wire) -> None:
        await wire.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(FOREVER):
            await wire.send(b"1\r\nx\r\n" * 20_000)

    return _slow(site, flood, sent=80 * 2**20)  # six bytes on the wire for each of the body


@case("slow")
def trailers_without_end(site: Site) -> list[Check]:
    async def flood(_: Request, wire: Wire) -> None:
        await wire.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n")
        for n in range(FOREVER):
            await wire.send(b"X-Trailer-%d: 1\r\n" % n * 50)
            await wire.pause(0.01)

    front(site, "/slow", "/after")
    leaf(site, "/after")
    site.on("/slow", flood)
    return [read("/after"), let_go(sent=32 * 2**20)]


@case("slow")
def one_chunk_header_without_end(site: Site) -> list[Check]:
    async def flood(_: Request, wire: Wire) -> None:
        await wire.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5;")
        for _ in range(FOREVER):
            await wire.send(b"extension=" * 100)
            await wire.pause(0.01)

    return _slow(site, flood)


@case("slow")
def interim_answers_without_end(site: Site) -> list[Check]:
    async def flood(_: Request, wire: Wire) -> None:
        for _ in range(FOREVER):
            await wire.send(b"HTTP/1.1 100 Continue\r\n\r\n")
            await wire.pause(0.05)

    return _slow(site, flood)


@case("slow")
def early_hints_without_end_fast(site: Site) -> list[Check]:
    async def flood(_: Request, wire: Wire) -> None:
        for n in range(FOREVER):
            await wire.send(b"HTTP/1.1 103 Early Hints\r\nLink: </%d>; rel=preload\r\n\r\n" % n * 20)

    return _slow(site, flood, sent=32 * 2**20)


@case("slow")
def a_connection_never_accepted(site: Site) -> list[Check]:
    deaf = site.sister("deaf")
    deaf.deaf = True
    front(site, deaf.url("/a"), deaf.url("/b"), "/after")
    leaf(site, "/after")
    return [read("/after")]


@case("slow")
def silence_after_connecting(site: Site) -> list[Check]:
    quiet = site.sister("quiet")
    front(site, quiet.url("/a"), "/after")
    leaf(site, "/after")

    async def silent(wire: Wire) -> None:
        for _ in range(FOREVER):
            await wire.pause(120)

    quiet.wild = silent
    return [read("/after"), _connections_let_go("quiet")]


@case("slow")
def silence_in_the_tls_handshake(site: Site) -> list[Check]:
    quiet = site.sister("tls", scheme="https")
    front(site, quiet.url("/a"), "/after")
    leaf(site, "/after")

    async def stall(wire: Wire) -> None:
        await wire.pause(5)
        await wire.send(b"\x16\x03\x03\x40\x00")  # a record of 16 KiB is announced, and comes byte by byte
        await wire.drip(b"\0" * 16_384, every=0.3)

    quiet.wild = stall
    return [read("/after"), _connections_let_go("tls")]


def _connections_let_go(at: str) -> Check:
    def check(evidence: Evidence, name: str) -> None:
        found = [h for h in evidence.held if h.site == f"{name}/{at}"]
        assert found, "no connection was made"
        assert len(found) <= 12, f"{len(found)} connections"
        worst = max(h.closed - h.opened for h in found)
        assert worst <= 12, f"a connection was held for {worst:.1f} s"

    return check


@case("slow")
def a_whole_host_that_drips(site: Site) -> list[Check]:
    slow = site.sister("slow")
    front(site, *(slow.url(f"/p{n}") for n in range(2)), "/after")
    leaf(site, "/after")

    async def drip(_: Request, wire: Wire) -> None:
        await wire.send(HEAD + b"Content-Length: 100000\r\n\r\n")
        await wire.drip(b"x" * 100_000, every=0.5)

    slow.otherwise = drip
    return [read("/after"), asked_at_most(40, at="slow")]


@case("slow")
def rules_byte_by_byte(site: Site) -> list[Check]:
    slow = site.sister("rules")
    front(site, slow.url("/a"), "/after")
    leaf(site, "/after")
    leaf(slow, "/a")

    async def drip(_: Request, wire: Wire) -> None:
        await wire.drip(b"HTTP/1.1 200 OK\r\n\r\n" + b"User-agent: *\nDisallow: /\n" + b"#" * 1000, every=0.4)

    slow.on("/robots.txt", drip)
    return [read("/after"), never("/a", at="rules")]


@case("slow")
def half_closed_and_waiting(site: Site) -> list[Check]:
    async def half(_: Request, wire: Wire) -> None:
        await wire.send(HEAD + b"Content-Length: 5000\r\n\r\n<title>half</title>")
        wire.writer.write_eof()
        await wire.pause(60)

    return _slow(site, half)
