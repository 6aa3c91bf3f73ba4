"""What came, as it came: odd but readable answers, requests, kept connections."""

import asyncio
import threading
import time

import pytest

from clew.fetch import CurlFetcher

OK = b"HTTP/1.1 200 OK\r\n"
TWO = b"Content-Length: 2\r\n\r\nhi"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"

READABLE = {
    "plain": OK + TWO,
    "bare line feeds": b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi",
    "no reason": b"HTTP/1.1 200\r\n" + TWO,
    "no reason, blank": b"HTTP/1.1 200 \r\n" + TWO,
    "lower case": b"http/1.1 200 ok\r\ncontent-length:2\r\n\r\nhi",
    "folded header": OK + b"X-A: a\r\n  b\r\n\tc\r\n" + TWO,
    "empty header name": OK + b": x\r\n" + TWO,
    "raw bytes in a header": OK + b"X: \xff\xfe\x01\r\n" + TWO,
    "same length twice": OK + b"Content-Length: 2\r\n" + TWO,
    "same length in a list": OK + b"Content-Length: 2, 2\r\n\r\nhi",
    "length beside chunks": OK
    + b"Content-Length: 20\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    "blank before the colon": OK + b"Content-Length : 2\r\n\r\nhi",
    "identity coding": OK + b"Transfer-Encoding: identity\r\n" + TWO,
    "chunks": CHUNKED + b"1\r\nh\r\n1\r\ni\r\n0\r\n\r\n",
    "chunk extension": CHUNKED + b'2;a="b;c"\r\nhi\r\n0\r\n\r\n',
    "chunks in bare line feeds": CHUNKED + b"2\nhi\n0\n\n",
    "chunk size with zeros and blanks": CHUNKED + b"0002 \r\nhi\r\n000\r\n\r\n",
    "trailers": CHUNKED + b"2\r\nhi\r\n0\r\nX-Sum: 1\r\nSet-Cookie: a=b\r\n\r\n",
    "interim answers": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: </x>\r\n\r\n" + OK + TWO,
    "status 999": b"HTTP/1.1 999 Whatever\r\n" + TWO,
}

UP_TO_THE_CLOSE = {
    "old protocol": b"HTTP/1.0 200 OK\r\n\r\nhi",
    "no length": OK + b"\r\nhi",
    "old protocol, chunked": b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    "length beyond all numbers": OK + b"Content-Length: 99999999999999999999999\r\n\r\nhi",
}


@pytest.mark.parametrize("name", READABLE)
def test_reads_an_odd_answer_whole_and_without_waiting(lab, name):
    visit = lab.answer(READABLE[name], then="hold")  # waiting for more would be a time-out
    assert (visit.body, visit.error, visit.truncated) == (b"hi", "", False)
    assert visit.status == (999 if "999" in name else 200)


@pytest.mark.parametrize("name", UP_TO_THE_CLOSE)
def test_reads_up_to_the_close(lab, name):
    visit = lab.answer(UP_TO_THE_CLOSE[name])
    assert (visit.status, visit.body, visit.error, visit.truncated) == (200, b"hi", "", False)


def test_head_is_the_final_answer_as_received(lab):
    head = b"HTTP/1.1 200 Fine  enough\r\nX-B: 1\r\nx-a:  2 \r\nTransfer-Encoding: chunked\r\n\r\n"
    visit = lab.answer(b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + head + b"2\r\nhi\r\n0\r\nX-T: 1\r\n\r\n")
    assert visit.head == head
    assert visit.header("X-A") == "2"


def test_content_coding_is_left_alone(lab):
    visit = lab.answer(OK + b"Content-Encoding: gzip\r\n" + TWO)
    assert visit.body == b"hi"


def test_a_redirect_is_a_visit(lab):
    server = lab.serve(lab.say(b"HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"))
    (visit,) = lab.get(server.url("/a"))
    assert (visit.status, visit.header("Location"), len(server.requests)) == (302, "/b", 1)


@pytest.mark.parametrize("status", [401, 407, 417, 204, 304])
def test_no_status_makes_us_ask_twice(lab, status):
    extra = b"WWW-Authenticate: Negotiate\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n"
    server = lab.serve(lab.say(b"HTTP/1.1 %d X\r\n" % status + extra, then="keep"))
    (visit,) = lab.get(server.url("/a"))
    assert (visit.status, visit.error, len(server.requests)) == (status, "", 1)


def test_the_request_is_recorded_as_sent(lab):
    server = lab.serve(lab.say(OK + b"Set-Cookie: a=b; Path=/\r\n" + TWO, then="keep"))
    first, second = lab.get(
        server.url("/x/../y%2F?q=%zz|{}"), server.url("/z"), agent="clew/1 (+https://c.org)"
    )
    assert [first.request, second.request] == server.requests
    lines = second.request.decode().split("\r\n")
    assert lines[:2] == ["GET /z HTTP/1.1", f"Host: {server.place}"]
    assert "User-Agent: clew/1 (+https://c.org)" in lines
    assert "Accept-Encoding: gzip, deflate, br, zstd" in lines
    assert "Cookie: a=b" in lines
    assert b"Cookie" not in first.request
    assert first.request.startswith(b"GET /x/../y%2F?q=%zz|{} HTTP/1.1\r\n")


def test_without_an_agent_no_such_header_is_sent(lab):
    server = lab.serve(lab.say(OK + TWO))
    (visit,) = lab.get(server.url("/"), agent="")
    assert b"user-agent" not in server.requests[0].lower()
    assert visit.request == server.requests[0]


def test_times_and_address(lab):
    server = lab.serve(lab.say(OK + TWO))
    before = time.time()
    (visit,) = lab.get(server.url("/"))
    assert before <= visit.started <= visit.ended <= time.time()
    assert visit.address == server.place


def test_a_connection_is_kept(lab):
    server = lab.serve(lab.say(OK + TWO, then="keep"))
    visits = lab.get(*[server.url(f"/{n}") for n in range(5)])
    assert [v.body for v in visits] == [b"hi"] * 5
    assert server.connections == 1


@pytest.mark.parametrize(
    "first",
    [
        OK + TWO + b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
        OK + TWO + b"\r\n\r\nrubbish",
        CHUNKED + b"2\r\nhi\r\n0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
        b"HTTP/1.1 204 None\r\nContent-Length: 4\r\n\r\nevil",
        b"HTTP/1.1 304 None\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
    ],
)
def test_bytes_left_over_do_not_reach_the_next_answer(lab, first):
    server = lab.serve(lab.say(first, OK + b"Content-Length: 4\r\n\r\ngood", then="keep"))
    visits = lab.get(server.url("/1"), server.url("/2"))
    assert visits[1].body == b"good"


def test_bytes_that_come_late_do_not_reach_the_next_answer(lab):
    read, sent = threading.Event(), threading.Event()

    def talk(connection, number):
        connection.sendall(OK + (TWO if number == 0 else b"Content-Length: 4\r\n\r\ngood"))
        if number == 0:
            read.wait()
            connection.sendall(OK + b"Content-Length: 4\r\n\r\nevil")
            sent.set()
        return True

    async def scene():
        fetcher = CurlFetcher(allow=lab.allow, timeout=5)
        first = await fetcher.fetch(lab.link(server.url("/1")))
        read.set()
        await asyncio.to_thread(sent.wait)
        second = await fetcher.fetch(lab.link(server.url("/2")))
        await fetcher.aclose()
        return first.body, second.body

    server = lab.serve(talk)
    assert asyncio.run(scene()) == (b"hi", b"good")


def test_a_connection_closed_between_two_requests_is_not_used(lab):
    server = lab.serve(lab.say(OK + TWO, then="close"))  # 1.1 and a length: it looks as if it were kept

    async def scene():
        fetcher = CurlFetcher(allow=lab.allow, timeout=5)
        visits = []
        for n in range(3):
            visits.append(await fetcher.fetch(lab.link(server.url(f"/{n}"))))
            await lab.until(lambda: not server.open)
        await fetcher.aclose()
        return visits

    assert [(v.status, v.error) for v in asyncio.run(scene())] == [(200, "")] * 3
    assert (len(server.requests), server.connections) == (3, 3)


@pytest.mark.parametrize("then", ["close", "reset"])
def test_a_kept_connection_that_dies_is_not_asked_again_behind_our_back(lab, then):
    def talk(connection, number):
        if number == 1:
            return lab.say(b"", then=then)(connection, 0)
        return lab.say(OK + TWO, then="keep")(connection, 0)

    server = lab.serve(talk)
    visits = lab.get(*[server.url(f"/{n}") for n in range(4)])
    assert [v.status for v in visits] == [200, 0, 200, 200]
    assert visits[1].error == "connection closed"
    assert len(server.requests) == 4  # one for each fetch
    # Two requests on the first, none on the one that libcurl opened to ask again, one on each from then on.
    assert server.connections == 4


def test_a_page_costs_little(lab):
    """A page over a kept connection takes some 80 to 125 µs of CPU; with the server in here, 800 is the limit."""
    page = OK + b"Content-Length: 30000\r\n\r\n" + b"x" * 30_000
    pages = 400

    async def scene():
        async def hello(reader, writer):
            try:
                while await reader.readuntil(b"\r\n\r\n"):
                    writer.write(page)
            except (asyncio.IncompleteReadError, ConnectionError):
                writer.close()

        server = await asyncio.start_server(hello, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        fetcher = CurlFetcher(allow=lab.allow)
        await asyncio.gather(*(fetcher.fetch(lab.link(url)) for _ in range(64)))
        started = time.process_time()
        visits = await asyncio.gather(*(fetcher.fetch(lab.link(url)) for _ in range(pages)))
        spent = time.process_time() - started
        await fetcher.aclose()
        server.close()
        assert all(len(v.body) == 30_000 for v in visits)
        return spent / pages

    assert asyncio.run(scene()) < 800e-6
