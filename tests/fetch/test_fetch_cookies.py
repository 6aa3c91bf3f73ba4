"""Cookies go back to who set them, within limits, and carry nothing into a header."""

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.fetch import cookies
from clew.fetch.cookies import CookieJar

HOST = "http://a.example/dir/page"


def jar(*lines: bytes, url: str = HOST) -> CookieJar:
    made = CookieJar()
    made.store(url, lines, now=1_000)
    return made


def test_back_to_the_same_host_only():
    made = jar(b"a=1; Path=/; Domain=example; HttpOnly", b"b=2; Path=/; Domain=.a.example")
    assert made.header(HOST, now=1_001) == b"a=1; b=2"
    for other in ("http://b.example/", "http://www.a.example/", "http://example/", "http://a.example:81/"):
        assert made.header(other, now=1_001) == b""


def test_http_and_https_share_but_secure_stays_on_https():
    made = jar(b"s=1; Secure; Path=/", b"p=2; Path=/", url="https://a.example/")
    assert made.header("https://a.example/x", now=1_001) == b"s=1; p=2"
    assert made.header("http://a.example/x", now=1_001) == b"p=2"
    made.store("http://a.example/", [b"s=evil; Path=/"], now=1_002)
    assert made.header("https://a.example/x", now=1_003) == b"s=1; p=2"


@pytest.mark.parametrize(
    "line", [b"s=1; Secure", b"__Host-a=1; Path=/", b"__Secure-a=1", b"=", b"", b";", b"; Path=/"]
)
def test_not_kept_from_plain_http(line):
    assert not jar(line)


@pytest.mark.parametrize(
    ("path", "asked", "sent"),
    [
        ("", "/dir/x", True),
        ("", "/dir", True),
        ("", "/other", False),
        ("/", "/anything", True),
        ("/di", "/dir/x", False),
        ("/dir", "/dir/x?q", True),
        ("/dir/", "/dir/x", True),
        ("/dir/", "/dir", False),
        ("relative", "/dir/x", True),
    ],
)
def test_paths(path, asked, sent):
    made = jar(f"a=1; Path={path}".encode())
    assert made.header("http://a.example" + asked, now=1_001) == (b"a=1" if sent else b"")


def test_longer_paths_come_first():
    made = jar(b"a=root; Path=/", b"a=dir; Path=/dir")
    assert made.header(HOST, now=1_001) == b"a=dir; a=root"


def test_age_and_expiry():
    soon, past = formatdate(1_060, usegmt=True).encode(), formatdate(10, usegmt=True).encode()
    made = jar(
        b"age=1; Max-Age=60", b"date=2; Expires=" + soon, b"both=3; Max-Age=60; Expires=" + past,
        b"gone=4; Expires=" + past, b"never=5; Max-Age=0", b"odd=6; Expires=whenever", b"far=7; Max-Age=9" + b"9" * 30,
    )  # fmt: skip
    assert made.header(HOST, now=1_001) == b"age=1; date=2; both=3; odd=6; far=7"
    assert made.header(HOST, now=1_061) == b"odd=6; far=7"
    made.store(HOST, [b"odd=; Max-Age=-1", b"far=; Expires=" + past], now=1_062)
    assert made.header(HOST, now=1_063) == b""


def test_a_new_value_takes_the_place_of_the_old():
    made = jar(b"a=1", b"a=2")
    assert made.header(HOST, now=1_001) == b"a=2"


def test_limits():
    assert not jar(b"a=" + b"x" * 5_000)
    many = jar(*[b"c%d=1; Path=/" % n for n in range(60)])
    assert many.header(HOST, now=1_001).count(b"=") == cookies.PER_HOST
    assert b"c59=1" in many.header(HOST, now=1_001)
    large = jar(*[b"c%d=%s" % (n, b"x" * 3_000) for n in range(10)])
    assert 6_000 < len(large.header(HOST, now=1_001)) <= cookies.PER_REQUEST


def test_the_quietest_host_is_forgotten_first(monkeypatch):
    monkeypatch.setattr(cookies, "HOSTS", 3)
    made = CookieJar()
    for n in range(3):
        made.store(f"http://h{n}.example/", [b"a=1"], now=0)
    assert made.header("http://h0.example/", now=1)  # asked for: not quiet any more
    made.store("http://h3.example/", [b"a=1"], now=1)
    assert [bool(made.header(f"http://h{n}.example/", now=2)) for n in range(4)] == [True, False, True, True]
    monkeypatch.setattr(cookies, "TOTAL", 100)
    made.store("http://h4.example/", [b"a=" + b"x" * 99], now=3)
    assert made.size <= 100


@given(st.lists(st.binary(max_size=80), max_size=5))
def test_whatever_was_set_is_safe_in_a_header(lines):
    made = jar(*lines)
    value = made.header(HOST, now=1_001)
    assert not any(byte < 32 or byte == 127 for byte in value)
    made.store(HOST, [line + b"; Max-Age=0" for line in lines], now=1_002)
    assert not made
    assert made.size == 0, "what expires is no longer counted"


def test_on_the_wire(lab):
    first = (
        b"HTTP/1.1 200 OK\r\nSet-Cookie: id=7; Path=/\r\nset-cookie: raw=\xe9\r\nContent-Length: 0\r\n\r\n"
    )
    server = lab.serve(lab.say(first, b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", then="keep"))
    other = lab.serve(lab.say(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
    visits = lab.get(server.url("/1"), server.url("/2"), other.url("/3"), f"http://localhost:{server.port}/4")
    assert not any(v.error for v in visits)
    assert b"Cookie" not in server.requests[0]
    assert b"\r\nCookie: id=7; raw=\xe9\r\n" in server.requests[1]
    assert b"Cookie" not in other.requests[0]
    assert b"Cookie" not in server.requests[2]
    assert visits[1].request == server.requests[1]
