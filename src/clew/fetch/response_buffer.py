"""The bytes of one HTTP response as they arrive: header lines and body pieces, with limits on both."""

import re

from clew.fetch import curl_errors

MAX_HEAD = 128 * 1024
"""Bytes of all header lines of one fetch: of the response, of interim responses, and trailers."""

MAX_INTERIM = 20
"""Interim (1xx) responses before the final one."""

MANY_PIECES = 20_000
TINY_PIECE = 64
"""More pieces than that, smaller than this on average, are an attack on our CPU, not a page."""

_BLANK = (b"\r\n", b"\n")
_INTERIM = re.compile(rb"HTTP/\S+[ \t]+1\d\d", re.IGNORECASE)
_LENGTH = re.compile(rb"^content-length[ \t]*:[ \t]*(\d{1,18})[ \t]*\r?$", re.MULTILINE)
_ODD_LENGTH = re.compile(
    rb"^(?:content-length[ \t]+:|transfer-encoding[ \t]*:[ \t]*identity[ \t]*\r?$)",
    re.IGNORECASE | re.MULTILINE,
)
_FRAMED = re.compile(rb"^(?:content-length|transfer-encoding)[ \t]*:", re.IGNORECASE | re.MULTILINE)


class ResponseBuffer:
    """Collect the header block and at most `limit` bytes of the body.

    `head` is empty until the header block is complete.
    """

    __slots__ = (
        "_head_size",
        "_interim",
        "_interims",
        "_length",
        "_limit",
        "_lines",
        "_pieces",
        "_size",
        "head",
        "headers_complete",
    )

    def __init__(self, limit: int) -> None:
        self.head = b""
        self.headers_complete = False
        self._limit = limit
        self._lines: list[bytes] = []
        self._pieces: list[bytes] = []
        self._head_size = self._size = self._interims = 0
        self._interim = False
        self._length = -1

    @property
    def has_headers(self) -> bool:
        """Whether a header line of the current response arrived."""
        return bool(self._lines)

    @property
    def is_framed(self) -> bool:
        """Whether the headers state where the body ends."""
        return _FRAMED.search(self.head) is not None

    @property
    def body_complete(self) -> bool:
        """Whether a length that libcurl overlooked is reached."""
        return 0 <= self._length <= self._size

    @property
    def is_too_long(self) -> bool:
        return self._size > self._limit

    @property
    def is_fragmented(self) -> bool:
        """Whether the body arrives in far too many tiny pieces."""
        count = len(self._pieces)
        return count > MANY_PIECES and self._size < count * TINY_PIECE

    @property
    def body(self) -> bytes:
        """The entity body as far as it arrived, within the limits."""
        body = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
        limit = self._limit if self._length < 0 else min(self._length, self._limit)
        return body[:limit] if len(body) > limit else body

    def add_body(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self._size += len(piece)

    def add_header(self, line: bytes) -> str:
        """Add a header line; return the fault for which the transfer has to stop, or an empty string."""
        self._head_size += len(line)
        if self._head_size > MAX_HEAD:
            return curl_errors.HEADERS_TOO_LARGE
        if self.headers_complete:  # a trailer: counted, not stored
            return ""
        lines = self._lines
        if not lines:
            self._interim = _INTERIM.match(line) is not None
        lines.append(line)
        if line not in _BLANK:
            return ""
        if not self._interim:
            self.headers_complete = True
            self.head = b"".join(lines)
            return ""
        if lines[0].split(None, 2)[1] == b"101":
            return curl_errors.SWITCHED
        lines.clear()
        self._interims += 1
        return curl_errors.TOO_MANY_INTERIM if self._interims > MAX_INTERIM else ""

    def read_framing(self) -> bool:
        """Read from the complete headers how the body is framed; return whether it may be chunked."""
        head = self.head.lower()
        odd = (b" :" in head or b"identity" in head) and _ODD_LENGTH.search(head)
        if odd and (length := _LENGTH.search(head)):
            # libcurl overlooks this length and would wait for the end of the connection.
            self._length = int(length[1])
        return b"transfer-encoding" in head
