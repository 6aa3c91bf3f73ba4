"""Broken framing: lengths that lie, bad chunks, contradictions, answers that are not HTTP, bytes left over."""

from .cases import case, front, leaf, raw
from .content import gzipped, page
from .judge import Check, Evidence, asked_at_most, exported_nowhere, has_status, marked, never, read
from .server import HTML, Answer, Raw, Request, Site, Wire, chunked

HEAD = "HTTP/1.1 200 OK\nContent-Type: text/html\n"


def _broken(site: Site, reply: Raw | Answer, *, passes: bool = False) -> list[Check]:
    """A page with broken framing must not pass for whole; the page after it must be its own."""
    front(site, "/broken", "/after")
    site.on("/broken", reply)
    site.on("/after", Answer(page(f"after of {site.name}")))

    def known(evidence: Evidence, name: str) -> None:
        assert evidence.row(name, "/broken"), "the page left no trace in the export"

    whole = known if passes else marked("/broken")
    return [read("/after", saying="after of"), whole, asked_at_most(12, "/broken")]


@case("framing")
def body_shorter_than_said(site: Site) -> list[Check]:
    return _broken(site, raw(HEAD + "Content-Length: 90000", page("short body")))


@case("framing")
def body_shorter_than_said_and_reset(site: Site) -> list[Check]:
    return _broken(site, raw(HEAD + "Content-Length: 90000", page("short body"), then="reset"))


@case("framing")
def bytes_left_over(site: Site) -> list[Check]:
    body = page("leftover")
    fake = Answer(page("a forged answer", "/forged")).encode()
    front(site, "/broken", "/a", "/b", "/c")
    site.on("/broken", raw(f"{HEAD}Content-Length: {len(body)}", body + fake, then="keep"))
    for path in ("/a", "/b", "/c"):
        site.on(path, Answer(page(f"own text of {path}")))
    own = [read(p, saying=f"own text of {p}") for p in ("/a", "/b", "/c")]
    return [*own, never("/forged"), exported_nowhere("a forged answer")]


@case("framing")
def answers_before_the_question(site: Site) -> list[Check]:
    fake = Answer(page("answered too early", "/forged")).encode()
    front(site, "/a", "/b", "/c")

    def path_of(name: str):
        async def early(_: Request, wire: Wire) -> None:
            await wire.send(Answer(page(f"own text of {name}")).encode())
            await wire.pause(0.03)  # the connection lies idle; now speak up unasked
            await wire.send(fake)
            wire.keep = True

        return early

    for name in ("/a", "/b", "/c"):
        site.on(name, path_of(name))
    own = [read(p, saying=f"own text of {p}") for p in ("/a", "/b", "/c")]
    return [*own, never("/forged"), exported_nowhere("answered too early")]


@case("framing")
def a_server_that_speaks_first(site: Site) -> list[Check]:
    other = site.sister("first")
    front(site, other.url("/a"), "/after")
    leaf(site, "/after")

    async def speak(wire: Wire) -> None:
        await wire.send(Answer(page("nobody asked", "/forged")).encode())
        await wire.pause(3)

    other.wild = speak
    return [read("/after")]


@case("framing")
def negative_length(site: Site) -> list[Check]:
    return _broken(site, raw(HEAD + "Content-Length: -5", page("negative")), passes=True)


@case("framing")
def length_in_words(site: Site) -> list[Check]:
    return _broken(site, raw(HEAD + "Content-Length: plenty", page("in words")), passes=True)


@case("framing")
def length_beyond_all_numbers(site: Site) -> list[Check]:
    return _broken(site, raw(HEAD + "Content-Length: " + "9" * 40, page("beyond")), passes=True)


@case("framing")
def two_lengths(site: Site) -> list[Check]:
    body = page("two lengths")
    return _broken(site, raw(f"{HEAD}Content-Length: 10\nContent-Length: {len(body)}", body), passes=True)


@case("framing")
def length_and_chunks(site: Site) -> list[Check]:
    return _broken(
        site, raw(HEAD + "Content-Length: 10\nTransfer-Encoding: chunked", chunked(page("both"))), passes=True
    )


@case("framing")
def chunk_sizes_in_words(site: Site) -> list[Check]:
    return _broken(site, raw(HEAD + "Transfer-Encoding: chunked", b"5\r\nhello\r\nxyz\r\nworld\r\n0\r\n\r\n"))


@case("framing")
def chunk_size_beyond_all_numbers(site: Site) -> list[Check]:
    return _broken(
        site, raw(HEAD + "Transfer-Encoding: chunked", b"5\r\nhello\r\nFFFFFFFFFFFFFFFFFF\r\nworld")
    )


@case("framing")
def negative_chunk_size(site: Site) -> list[Check]:
    return _broken(site, raw(HEAD + "Transfer-Encoding: chunked", b"5\r\nhello\r\n-5\r\nworld\r\n0\r\n\r\n"))


@case("framing")
def chunks_without_the_last(site: Site) -> list[Check]:
    return _broken(site, raw(HEAD + "Transfer-Encoding: chunked", chunked(page("cut chunks"))[:-5]))


@case("framing")
def chunk_longer_than_said(site: Site) -> list[Check]:
    return _broken(site, raw(HEAD + "Transfer-Encoding: chunked", b"3\r\nhello world\r\n0\r\n\r\n"))


@case("framing")
def unknown_transfer_coding(site: Site) -> list[Check]:
    return _broken(site, raw(HEAD + "Transfer-Encoding: x-rot13, chunked", chunked(page("rot"))), passes=True)


@case("framing")
def no_http_at_all(site: Site) -> list[Check]:
    return _broken(site, Raw(b"SSH-2.0-OpenSSH_9.6p1 Debian-1\r\n" * 3))


@case("framing")
def html_without_any_head(site: Site) -> list[Check]:
    return _broken(site, Raw(page("no head at all")), passes=True)


@case("framing")
def binary_noise(site: Site) -> list[Check]:
    return _broken(site, Raw(bytes(range(256)) * 40))


@case("framing")
def another_protocol_by_name(site: Site) -> list[Check]:
    return _broken(site, raw("ICY 200 OK\nicy-name: radio", page("radio")), passes=True)


@case("framing")
def an_http2_answer(site: Site) -> list[Check]:
    return _broken(site, Raw(b"\x00\x00\x12\x04\x00\x00\x00\x00\x00" + bytes(18)))


@case("framing")
def absurd_status(site: Site) -> list[Check]:
    front(site, "/99999", "/000", "/abc", "/after")
    leaf(site, "/after")
    for status in ("99999", "000", "abc"):
        site.on(f"/{status}", raw(f"HTTP/1.1 {status} What\nContent-Length: 2", b"ok"))
    return [read("/after"), marked("/99999", "/000", "/abc")]


@case("framing")
def headers_in_disorder(site: Site) -> list[Check]:
    body = page("disorder")
    head = b"HTTP/1.1 200 OK\r\nno colon here\r\n: no name\r\nX-Nul: a\0b\r\n\xff\xfe: \xff\r\nContent-Length: %d\r\n\r\n"
    return _broken(site, Raw(head % len(body) + body), passes=True)


@case("framing")
def interim_only(site: Site) -> list[Check]:
    return _broken(site, Raw(b"HTTP/1.1 100 Continue\r\n\r\n"))


@case("framing")
def switching_protocols_unasked(site: Site) -> list[Check]:
    return _broken(
        site, raw("HTTP/1.1 101 Switching Protocols\nUpgrade: h2c\nConnection: upgrade", bytes(40))
    )


@case("framing")
def bodies_where_none_may_be(site: Site) -> list[Check]:
    front(site, "/204", "/304", "/a", "/b")
    fake = Answer(page("forged body", "/forged")).encode()
    site.on("/204", raw("HTTP/1.1 204 No Content", fake, then="keep"))
    site.on("/304", raw("HTTP/1.1 304 Not Modified", fake, then="keep"))
    for path in ("/a", "/b"):
        site.on(path, Answer(page(f"own text of {path}")))
    return [
        read("/a", saying="own text of /a"),
        read("/b", saying="own text of /b"),
        has_status("/204", 204, 0),
        never("/forged"),
    ]


@case("framing")
def truncated_gzip(site: Site) -> list[Check]:
    return _broken(
        site,
        Answer(gzipped(page("cut gzip", words=2000))[:-400], headers=(HTML, ("Content-Encoding", "gzip"))),
    )


@case("framing")
def damaged_gzip(site: Site) -> list[Check]:
    body = bytearray(gzipped(page("damaged gzip", words=2000)))
    body[len(body) // 2] ^= 0xFF
    return _broken(site, Answer(bytes(body), headers=(HTML, ("Content-Encoding", "gzip"))))


@case("framing")
def gzip_in_name_only(site: Site) -> list[Check]:
    return _broken(
        site, Answer(page("not packed"), headers=(HTML, ("Content-Encoding", "gzip"))), passes=True
    )


@case("framing")
def bytes_behind_gzip(site: Site) -> list[Check]:
    body = gzipped(page("gzip with a tail")) + b"\0" * 50
    return _broken(site, Answer(body, headers=(HTML, ("Content-Encoding", "gzip"))), passes=True)
