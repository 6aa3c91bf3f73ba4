"""Content encodings: every kind, damage, nesting, and bombs within measured memory."""

import gzip
import subprocess
import sys
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.domain.content.decoding import decode, names

try:
    from compression import zstd
except ImportError:
    from backports import zstd

TEXT = b"<html>" + b"The quick brown fox. " * 500


def raw_deflate(data):
    machine = zlib.compressobj(wbits=-15)
    return machine.compress(data) + machine.flush()


PACK = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


@pytest.mark.parametrize("name", PACK)
def test_each_encoding_is_read(name):
    assert decode(PACK[name](TEXT), [name], 10**6) == (TEXT, False, "")


def test_raw_deflate_is_read_too():
    assert decode(raw_deflate(TEXT), ["deflate"], 10**6) == (TEXT, False, "")


def test_two_encodings_are_undone_last_first():
    assert decode(brotli.compress(gzip.compress(TEXT)), ["gzip", "br"], 10**6) == (TEXT, False, "")


def test_three_encodings_are_refused():
    packed = gzip.compress(gzip.compress(gzip.compress(TEXT)))
    assert decode(packed, ["gzip"] * 3, 10**6) == (b"", False, "3 content encodings")


def test_an_unknown_encoding_is_an_error():
    assert decode(b"abc", ["sdch"], 10**6) == (b"", False, "unknown content encoding 'sdch'")


def test_header_values_are_split_and_identity_is_nothing():
    assert names(["identity", " GZip , ", "BR"]) == ["gzip", "br"]


@pytest.mark.parametrize("name", PACK)
def test_output_is_cut_at_the_limit(name):
    body, cut, error = decode(PACK[name](TEXT), [name], 1_000)
    assert (body, cut, error) == (TEXT[:1_000], True, "")


@pytest.mark.parametrize("name", PACK)
def test_output_of_exactly_the_limit_is_whole(name):
    assert decode(PACK[name](TEXT), [name], len(TEXT)) == (TEXT, False, "")


@pytest.mark.parametrize("name", PACK)
def test_an_unfinished_stream_gives_its_prefix(name):
    data = bytes(range(256)) * 40 + TEXT
    packed = PACK[name](data)
    body, cut, error = decode(packed[: len(packed) * 3 // 4], [name], 10**6)
    assert cut
    assert not error
    assert data.startswith(body)
    assert len(body) > 100 or name in {"br", "zstd"}  # these give nothing before a block is whole


@pytest.mark.parametrize("name", PACK)
def test_a_plain_body_under_a_false_header_is_taken_as_it_is(name):
    assert decode(b"<html>plain", [name], 10**6) == (b"<html>plain", False, "")


@pytest.mark.parametrize("name", ["br", "deflate", "zstd"])
def test_binary_nonsense_is_an_error(name):
    body, _, error = decode(b"\xff\xfe\xfd\xfc" * 9, [name], 10**6)
    assert body == b""
    assert error == f"damaged {name} data"


def test_members_are_joined_and_garbage_behind_them_is_ignored():
    packed = gzip.compress(b"hello ") + gzip.compress(b"world") + b"\0\0garbage"
    assert decode(packed, ["gzip"], 10**6) == (b"hello world", False, "")


@pytest.mark.parametrize("name", ["br", "zstd", "deflate"])
def test_garbage_behind_other_streams_costs_no_text(name):
    assert decode(PACK[name](TEXT) + b"garbage", [name], 10**6)[0] == TEXT


def test_a_wrong_checksum_costs_the_flag_only():
    packed = bytearray(gzip.compress(TEXT))
    packed[-6] ^= 0xFF
    assert decode(bytes(packed), ["gzip"], 10**6) == (TEXT, True, "")


def test_countless_gzip_members_are_not_all_read():
    packed = gzip.compress(b"") * 300_000
    assert decode(packed, ["gzip"], 10**6)[1]


@given(st.binary(max_size=300), st.lists(st.sampled_from([*PACK, "what"]), max_size=3), st.integers(0, 400))
def test_nothing_raises_and_nothing_exceeds_the_limit(body, encodings, limit):
    made, _, error = decode(body, encodings, limit)
    assert len(made) <= limit
    assert not (made and error)


BOMB = """
import gzip, zlib, brotli, resource, sys
from backports import zstd
from clew.domain.content.decoding import decode
name, nested = sys.argv[1], sys.argv[2] == "nested"
pack = {"gzip": gzip.compress, "deflate": zlib.compress, "br": lambda d: brotli.compress(d, quality=4), "zstd": zstd.compress}[name]
def bomb():
    data = pack(bytes(64 << 20))
    return (gzip.compress(data), [name, "gzip"]) if nested else (data, [name])
import os
reader, writer = os.pipe()
if not os.fork():  # the bomb is built in a child, so that its making is not measured
    import marshal
    with open(writer, "wb") as file: marshal.dump(bomb(), file)
    os._exit(0)
os.close(writer)
import marshal
with open(reader, "rb") as file: body, encodings = marshal.load(file)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
made, cut, error = decode(body, encodings, 4_000_000)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(len(made), cut, (after - before) // 1024)
"""


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the script names the backport")
@pytest.mark.parametrize("nested", ["nested", "single"])
@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_costs_its_limit(name, nested):
    done = subprocess.run(
        [sys.executable, "-c", BOMB, name, nested], capture_output=True, text=True, check=True
    )
    size, cut, mebibytes = done.stdout.split()
    assert (size, cut) == ("4000000", "True")
    # Twice 4 MB for pieces and whole, the decoder's own window (8 to 16 MiB), nothing of the 64 MiB.
    assert int(mebibytes) < 40
