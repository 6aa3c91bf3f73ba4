"""WARC files of anybody, whole and damaged."""

import gzip
import lzma

import pytest
from lab_kit import members, small_web

from clew.errors import ConfigError
from clew.lab.warc_reader import ReadCounts, read_responses

WEB = small_web(hosts=2, pages=6)


def read(path, end=None):
    tally = ReadCounts()
    return {response.url: response for response in read_responses(path, tally, end)}, tally


@pytest.mark.parametrize("kind", ["warc", "warc.gz", "warc.xz", "one member"])
def test_every_compression_gives_the_same_responses(tmp_path, kind):
    plain = gzip.decompress(b"".join(members(WEB)))
    packed = {
        "warc": plain,
        "warc.gz": b"".join(members(WEB)),
        "warc.xz": lzma.compress(plain),
        "one member": gzip.compress(plain),
    }[kind]
    path = tmp_path / f"pages.{kind.replace('one member', 'warc.gz')}"
    path.write_bytes(packed)
    found, tally = read(path)
    assert tally == ReadCounts(good=len(WEB), bad=0)
    assert {url: (a.status, a.body) for url, a in found.items()} == {
        u: (s, b) for u, (s, _, b) in WEB.items()
    }
    assert (
        found["http://h0.museum-web.org/old"].head.count(b"Location: http://h0.museum-web.org/new/\r\n") == 1
    )


def test_a_damaged_member_is_skipped_alone(tmp_path):
    parts = members(WEB)
    broken = bytearray(parts[5])
    broken[len(broken) // 2 : len(broken) // 2 + 20] = b"\xff" * 20
    path = tmp_path / "pages.warc.gz"
    path.write_bytes(b"".join([*parts[:5], bytes(broken), *parts[6:]]))
    found, tally = read(path)
    assert set(found) == set(WEB) - {list(WEB)[5]}
    assert tally.bad >= 1


def test_a_truncated_file_gives_its_complete_records(tmp_path):
    parts = members(WEB)
    path = tmp_path / "pages.warc.gz"
    path.write_bytes(b"".join(parts)[:-30])
    found, tally = read(path)
    assert set(found) == set(list(WEB)[:-1])
    assert tally == ReadCounts(good=len(WEB) - 1, bad=1)


def test_damage_in_a_plain_file_is_skipped(tmp_path):
    records = [gzip.decompress(part) for part in members(WEB)]
    records[3] = records[3].replace(b"Content-Length: ", b"Content-Length: x")
    path = tmp_path / "pages.warc"
    path.write_bytes(b"".join(records[:5]) + b"rubbish between the records\n" * 50 + b"".join(records[5:]))
    found, tally = read(path)
    assert set(found) == set(WEB) - {list(WEB)[3]}
    assert tally.bad >= 2


def test_only_the_committed_part_of_a_file_is_read(tmp_path):
    parts = members(WEB)
    path = tmp_path / "pages.warc.gz"
    path.write_bytes(b"".join(parts))
    found, tally = read(path, len(parts[0]) + len(parts[1]))
    assert list(found) == list(WEB)[:2]
    assert tally.bad == 0


def record(head: bytes, body: bytes, kind: bytes = b"response") -> bytes:
    block = head + body
    return (
        b"WARC/1.0\r\nWARC-Type: %b\r\nWARC-Target-URI: <http://a.museum-web.org/>\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n"
        % (kind, len(block), block)
    )


def test_bodies_in_chunks_are_joined(tmp_path):
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    path = tmp_path / "chunks.warc"
    path.write_bytes(
        record(head, b"5\r\nlight\r\n5;x=y\r\nhouse\r\n0\r\n\r\n") + record(head, b"joined before")[:0]
    )
    assert read(path)[0]["http://a.museum-web.org/"].body == b"lighthouse"
    path.write_bytes(record(head, b"joined before it was archived"))
    assert read(path)[0]["http://a.museum-web.org/"].body == b"joined before it was archived"


def test_other_records_are_skipped_and_damage_is_counted(tmp_path):
    path = tmp_path / "other.warc"
    path.write_bytes(
        record(b"GET / HTTP/1.1\r\n\r\n", b"", b"request")
        + record(b"what?\r\n\r\n", b"")
        + record(b"HTTP/1.0 204 No\r\n\r\n", b"")
    )
    found, tally = read(path)
    assert [response.status for response in found.values()] == [204]
    assert tally == ReadCounts(good=1, bad=1)


def test_what_is_no_warc_is_named(tmp_path):
    path = tmp_path / "photo.warc.gz"
    path.write_bytes(b"\x89PNG....")
    with pytest.raises(ConfigError, match="no WARC file"):
        read(path)
