"""WARC records read back strictly, whatever the web put into heads and addresses."""

import io
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_kit import HEAD, REQUEST, some_link, some_visit, strict_records
from warcio.archiveiterator import ArchiveIterator

from clew.store.warc import (
    clean_response_head,
    pack,
    plain_address,
    read_file,
    stamp,
    truncation_reason,
    warcinfo,
)
from clew.types import Link, Response

URL = "https://site.test/a?b=1"


def written(path: Path, *visits: Response) -> list:
    parts = [warcinfo(path.name, software="clew/0", contact="https://people.org\r\nEvil: 1")]
    for visit in visits:
        packed = pack(visit)
        parts += [packed.response, packed.request]
    path.write_bytes(b"".join(parts))
    return strict_records(path)


def test_a_visit_is_kept_byte_for_byte(tmp_path):
    visit = some_visit(some_link(1, URL), body=bytes(range(256)) * 40)
    info, response, request = written(tmp_path / "one.warc.gz", visit)
    assert info[0] == "warcinfo"
    assert b"operator: https://people.org Evil: 1\r\n" in info[2]
    kind, url, body, _, record = response
    assert (kind, url, body) == ("response", URL, visit.body)
    header = record.rec_headers
    assert header.protocol == "WARC/1.1"
    assert header.get_header("WARC-Date") == "2023-11-14T22:13:20.250Z"
    assert header.get_header("WARC-IP-Address") == "192.0.2.7"
    assert header.get_header("WARC-Truncated") is None
    assert record.http_headers.get_statuscode() == "200"
    assert record.http_headers.headers == [("Content-Type", "text/html"), ("Server", "test")]
    assert request[0] == "request"
    asked = request[4].rec_headers
    assert asked.get_header("WARC-Concurrent-To") == header.get_header("WARC-Record-ID")
    assert request[4].http_headers.get_header("host") == "site.test"
    assert header.get_header("WARC-Payload-Digest") == pack(visit).digest


def test_every_record_is_a_member_of_its_own_and_read_back_by_us(tmp_path):
    path = tmp_path / "many.warc.gz"
    visits = [some_visit(some_link(i, f"{URL}{i}"), body=b"x" * i * 1_000) for i in range(5)]
    theirs = written(path, *visits)
    ours = list(read_file(path))
    assert [o.offset for o in ours] == [t[3] for t in theirs]
    assert [o.header["warc-type"] for o in ours] == ["warcinfo", *["response", "request"] * 5]
    assert [o.http for o in ours[1::2]] == [(HEAD, v.body) for v in visits]
    assert ours[2].http == (REQUEST, b"")
    assert [o.offset for o in read_file(path, end=ours[3].offset)] == [o.offset for o in ours[:3]]


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", b"12345", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nA: b\r\n\r\n", b"12345",
            b"HTTP/1.1 200 OK\r\nX-Crawler-Content-Length: 9\r\nA: b\r\nContent-Length: 5\r\n\r\n",
        ),
        (
            b"HTTP/1.1 200 OK\r\ntransfer-encoding:chunked\r\nContent-Encoding: gzip\r\n\r\n", b"1",
            b"HTTP/1.1 200 OK\r\nX-Crawler-transfer-encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n",
        ),
        (b"HTTP/2 200\r\na: b\r\n\r\n", b"", b"HTTP/1.1 200 \r\na: b\r\n\r\n"),
        (b"HTTP/1.0 200 Fine\na: b\n c\n\td\n\n", b"", b"HTTP/1.0 200 Fine\r\na: b c d\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\na\x00b: c\rEvil: 1\r\n\r\n", b"",
         b"HTTP/1.1 200 OK\r\nX-Crawler-Damaged-Header: a b: c Evil: 1\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n", b"", b"HTTP/1.1 200 OK\r\nX-Crawler-Damaged-Header: no colon here\r\n\r\n"),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nb: c\r\n\r\n", b"", b"HTTP/1.1 200 OK\r\nb: c\r\n\r\n"),
        (b"ICY 200 OK\r\n\r\n", b"", b"HTTP/1.1 200 \r\n\r\n"),
        (b"", b"x", b"HTTP/1.1 200 \r\n\r\n"),
    ],
)  # fmt: skip
def test_heads_are_tidied(head, body, expected):
    assert clean_response_head(head, 200, len(body)) == expected


@given(
    head=st.one_of(st.binary(max_size=200), st.binary(max_size=100).map(lambda noise: HEAD[:-2] + noise)),
    body=st.binary(max_size=100),
    request=st.one_of(
        st.just(b""), st.just(REQUEST), st.binary(max_size=100).map(lambda n: b"GET / HTTP/1.1\r\n" + n)
    ),
    url=st.text(max_size=40).map(lambda text: "http://a.test/" + text),
    address=st.text(max_size=10),
    status=st.integers(100, 999),
)
@settings(max_examples=300, deadline=None)
def test_no_answer_can_break_or_forge_a_record(*, head, body, request, url, address, status):
    link = Link(id=1, url=url, origin="http://a.test")
    packed = pack(some_visit(link, head=head, body=body, request=request, address=address, status=status))
    stream = io.BytesIO(warcinfo("x", software="clew") + packed.response + packed.request)
    kinds = []
    for record in ArchiveIterator(stream, verify_http=True, check_digests="raise"):
        kinds.append(record.rec_type)
        if record.rec_type == "response":
            assert record.raw_stream.read() == body
            assert record.http_headers.get_header("transfer-encoding") is None
            assert record.http_headers.get_header("content-length") in (None, str(len(body)))
            target = record.rec_headers.get_header("WARC-Target-URI")
            assert re.fullmatch(r"http://a\.test/[!-~]*", target)
            assert {name for name, _ in record.rec_headers.headers} <= {
                "WARC-Type", "WARC-Record-ID", "WARC-Date", "WARC-Target-URI", "WARC-IP-Address",
                "WARC-Payload-Digest", "Content-Type", "Content-Length",
            }  # fmt: skip
    assert kinds == ["warcinfo", "response", *(["request"] if request else [])]


@pytest.mark.parametrize(
    ("address", "plain"),
    [("192.0.2.1:80", "192.0.2.1"), ("[2001:db8::1]:443", "2001:db8::1"), ("2001:db8::1", "2001:db8::1"),
     ("192.0.2.1", "192.0.2.1"), ("evil\r\nX: y", ""), ("", "")],
)  # fmt: skip
def test_addresses_are_plain(address, plain):
    assert plain_address(address) == plain


def test_cut_answers_say_why(tmp_path):
    reasons = {"timeout": "time", "no progress": "time", "": "length", "body too large": "length",
               "incomplete body": "disconnect", "bad chunk": "disconnect"}  # fmt: skip
    visits = [some_visit(some_link(1, URL), truncated=True, error=error) for error in reasons]
    assert [truncation_reason(v) for v in visits] == list(reasons.values())
    found = [r[4] for r in written(tmp_path / "cut.warc.gz", *visits) if r[0] == "response"]
    assert [r.rec_headers.get_header("WARC-Truncated") for r in found] == list(reasons.values())


def test_stamps_are_utc_with_milliseconds():
    assert stamp(0) == "1970-01-01T00:00:00.000Z"
    assert stamp(1_700_000_000.9996) == "2023-11-14T22:13:20.999Z"
