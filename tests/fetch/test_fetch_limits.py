"""Every limit, and every way an answer can break off: a value, in time, with what came."""

import socket
import threading
import time

import pytest

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"

CUT = {
    "short length": (OK + b"Content-Length: 20\r\n\r\nhi", "close", "incomplete body"),
    "short length, reset": (OK + b"Content-Length: 20\r\n\r\nhi", "reset", "incomplete body"),
    "no last chunk": (CHUNKED + b"2\r\nhi\r\n", "close", "incomplete body"),
    "in the middle of a chunk": (CHUNKED + b"20\r\nhi", "close", "incomplete body"),
    "no end after the last chunk": (CHUNKED + b"2\r\nhi\r\n0\r\n", "close", "incomplete body"),
    "chunk size is a word": (CHUNKED + b"2\r\nhi\r\nzz\r\n", "hold", "bad chunk"),
    "chunk longer than it says": (CHUNKED + b"2\r\nhixx\r\n0\r\n\r\n", "hold", "bad chunk"),
    "body held back": (OK + b"Content-Length: 20\r\n\r\nhi", "hold", "timeout"),
    "chunk held back": (CHUNKED + b"2\r\nhi\r\n", "hold", "timeout"),
}

NOTHING = {
    "closed at once": (b"", "close", "connection closed"),
    "reset at once": (b"", "reset", "connection reset"),
    "silence": (b"", "hold", "timeout"),
    "half a status line": (b"HTTP/1.1 20", "close", "connection closed"),
    "half a header": (OK + b"Content-Ty", "close", "incomplete headers"),
    "no blank line": (OK + b"Content-Type: a\r\n", "close", "incomplete headers"),
    "no blank line, reset": (OK + b"Content-Type: a\r\n", "reset", "incomplete headers"),
    "headers held back": (OK + b"Content-Type: a\r\n", "hold", "timeout"),
    "only an interim answer": (b"HTTP/1.1 100 Continue\r\n\r\n", "close", "connection closed"),
    "garbage": (b"\0\1\2garbage\r\n\r\n", "hold", "not http"),
    "another protocol": (b"SSH-2.0-OpenSSH_9.9\r\n", "hold", "not http"),
    "a page without headers": (b"<html>hi</html>", "close", "not http"),
    "two lengths": (OK + b"Content-Length: 2\r\nContent-Length: 5\r\n\r\nhixxx", "hold", "bad header"),
    "negative length": (OK + b"Content-Length: -2\r\n\r\nhi", "hold", "bad header"),
    "zero byte in a header": (OK + b"X: a\0b\r\n\r\nhi", "hold", "bad header"),
    "unknown transfer coding": (OK + b"Transfer-Encoding: rot13\r\n\r\nhi", "hold", "bad header"),
    "another protocol from here": (b"HTTP/1.1 101 Go\r\nUpgrade: x\r\n\r\n", "hold", "switched protocols"),
    "one header line without end": (OK + b"X: " + b"a" * 200_000, "hold", "headers too large"),
}


@pytest.mark.parametrize("name", CUT)
def test_a_body_cut_short_keeps_what_came(lab, name):
    data, then, error = CUT[name]
    visit = lab.answer(data, then=then, timeout=1.0)
    assert (visit.status, visit.body, visit.error, visit.truncated) == (200, b"hi", error, True)
    assert visit.head.startswith(OK)
    assert visit.ended - visit.started < 20


@pytest.mark.parametrize("name", NOTHING)
def test_no_answer_is_a_phrase(lab, name):
    data, then, error = NOTHING[name]
    visit = lab.answer(data, then=then, timeout=1.0)
    assert (visit.status, visit.head, visit.body, visit.error, visit.truncated) == (0, b"", b"", error, False)
    assert visit.ended - visit.started < 20


def test_connection_refused(lab):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    (visit,) = lab.get(f"http://127.0.0.1:{port}/")
    assert (visit.status, visit.error, visit.address) == (0, "connection refused", "")


def test_a_connection_that_is_never_accepted(lab):
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        place = deaf.getsockname()
        fillers = [socket.socket() for _ in range(3)]
        try:
            for filler in fillers:
                filler.setblocking(False)
                filler.connect_ex(place)
            (visit,) = lab.get(f"http://127.0.0.1:{place[1]}/", timeout=0.5)
        finally:
            for filler in fillers:
                filler.close()
    assert visit.error == "timeout"


@pytest.mark.parametrize(
    "url", ["ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1:70/", "dict://127.0.0.1/"]
)
def test_other_schemes_are_not_even_tried(lab, url):
    (visit,) = lab.get(url)
    assert (visit.status, visit.body, visit.error) == (0, b"", "only http and https")


@pytest.mark.parametrize(
    "url",
    ["http://a:b@127.0.0.1/", "http://", "http://[::1/", "http://127.0.0.1:99999/", "http://ü.example/ü"],
)
def test_a_bad_address_is_a_phrase(lab, url):
    (visit,) = lab.get(url)
    assert (visit.status, visit.error) == (0, "bad address")


def test_a_name_that_does_not_exist(lab):
    (visit,) = lab.get("http://no-such-name.invalid/", timeout=8)
    assert visit.status == 0
    assert visit.error in ("dns: name not found", "timeout")  # the latter where no name server answers


def test_the_body_is_cut_at_the_limit_and_that_is_no_error(lab):
    talk = lab.flood(OK + b"\r\n", b"x" * 10_000)
    (visit,) = lab.get(lab.serve(talk).url("/"), max_bytes=100_000)
    assert (visit.status, len(visit.body), visit.error, visit.truncated) == (200, 100_000, "", True)


def test_a_known_length_above_the_limit_gives_the_beginning(lab):
    visit = lab.answer(OK + b"Content-Length: 50000\r\n\r\n" + b"x" * 50_000, max_bytes=20_000)
    assert (len(visit.body), visit.error, visit.truncated) == (20_000, "", True)


def test_a_body_of_exactly_the_limit_is_whole(lab):
    visit = lab.answer(OK + b"Content-Length: 20000\r\n\r\n" + b"x" * 20_000, max_bytes=20_000)
    assert (len(visit.body), visit.error, visit.truncated) == (20_000, "", False)


def test_chunks_without_end_are_cut_at_the_limit(lab):
    talk = lab.flood(CHUNKED, b"1000\r\n" + b"x" * 4096 + b"\r\n")
    (visit,) = lab.get(lab.serve(talk).url("/"), max_bytes=100_000)
    assert (len(visit.body), visit.error, visit.truncated) == (100_000, "", True)


def test_a_flood_of_tiny_chunks_is_stopped(lab):
    talk = lab.flood(CHUNKED, b"1\r\nx\r\n" * 1_000)
    (visit,) = lab.get(lab.serve(talk).url("/"), timeout=20)
    assert (visit.status, visit.error, visit.truncated) == (200, "too many tiny pieces", True)
    assert visit.body.startswith(b"xxx")
    assert talk.sent < 16 * 2**20


def test_a_page_in_tiny_chunks_is_read(lab):
    visit = lab.answer(CHUNKED + b"1\r\nx\r\n" * 5_000 + b"0\r\n\r\n")
    assert (visit.body, visit.error) == (b"x" * 5_000, "")


def test_a_chunk_extension_without_end_is_stopped(lab):
    talk = lab.flood(CHUNKED + b"5;", b"extension=" * 1_000)
    (visit,) = lab.get(lab.serve(talk).url("/"), timeout=20)
    assert (visit.status, visit.error, visit.truncated) == (200, "no progress", True)
    assert talk.sent < 100 * 2**20


def test_headers_without_end_are_stopped(lab):
    talk = lab.flood(OK, b"X-Header: and another one\r\n" * 100)
    (visit,) = lab.get(lab.serve(talk).url("/"), timeout=20)
    assert (visit.status, visit.error, visit.truncated) == (0, "headers too large", False)
    assert talk.sent < 16 * 2**20


def test_trailers_without_end_are_stopped(lab):
    talk = lab.flood(CHUNKED + b"2\r\nhi\r\n0\r\n", b"X-Trailer: and another one\r\n" * 100)
    (visit,) = lab.get(lab.serve(talk).url("/"), timeout=20)
    assert (visit.status, visit.body, visit.error, visit.truncated) == (200, b"hi", "headers too large", True)


def test_headers_just_within_the_limit_are_read(lab):
    lines = b"".join(b"X-%d: %s\r\n" % (n, b"v" * 1_000) for n in range(120))
    visit = lab.answer(OK + lines + b"Content-Length: 2\r\n\r\nhi")
    assert (visit.body, visit.error) == (b"hi", "")


def test_interim_answers_without_end_are_stopped(lab):
    talk = lab.flood(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
    (visit,) = lab.get(lab.serve(talk).url("/"), timeout=20)
    assert (visit.status, visit.error) == (0, "too many interim answers")


def test_twenty_interim_answers_are_borne(lab):
    visit = lab.answer(b"HTTP/1.1 102 P\r\n\r\n" * 20 + OK + b"Content-Length: 2\r\n\r\nhi")
    assert (visit.body, visit.error) == (b"hi", "")


@pytest.mark.parametrize(
    ("start", "drip", "status"),
    [(b"", b"H", 0), (OK, b"X-A: 1\r\n", 0), (OK + b"\r\n", b"x", 200), (CHUNKED, b"1\r\nx\r\n", 200)],
)
def test_the_deadline_holds_while_bytes_keep_coming(lab, start, drip, status):
    def talk(connection, _number):
        connection.sendall(start or b"HTTP/1.1")
        while True:
            connection.sendall(drip)
            time.sleep(0.05)

    started = time.monotonic()
    (visit,) = lab.get(lab.serve(talk).url("/"), timeout=1.0)
    assert time.monotonic() - started < 20
    assert visit.status == status
    assert visit.error in (("timeout", "not http") if not start else ("timeout",))
    assert visit.truncated == bool(status)


def test_a_tls_handshake_that_stalls_is_within_the_deadline(lab):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        done = threading.Event()

        def stall():
            connection, _ = listener.accept()
            with connection:
                done.wait(5)

        thread = threading.Thread(target=stall)
        thread.start()
        (visit,) = lab.get(f"https://127.0.0.1:{listener.getsockname()[1]}/", timeout=0.5)
        done.set()
        thread.join()
    assert (visit.status, visit.error) == (0, "timeout")
