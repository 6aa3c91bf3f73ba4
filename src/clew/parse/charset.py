"""The character encoding of a page, by the rules browsers follow, and its text.

Byte order mark, then the header, then what the page declares (`<meta>`, XML declaration), then
what the bytes look like. One step is ours: a page that declares an encoding of single bytes, but is UTF-8
throughout, is read as that: it was saved or converted, or has lost the header that said so.

Names are those of the WHATWG Encoding Standard in lower case; Python's codecs are chosen to read at least
what browsers read under that name.
"""

import codecs
import re
from functools import lru_cache

from chardetng_py import EncodingDetector
from webencodings import LABELS

FALLBACK = "windows-1252"
_PRESCAN = 1_024
_LATE = 16_384  # a browser re-reads the page when it meets a <meta> later in the head; so do we
_SPACE = b"\t\n\x0c\r "
_AFTER_META = (b"\t", b"\n", b"\x0c", b"\r", b" ", b"/")
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_CHARSET = re.compile(r"""charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))""", re.IGNORECASE)
_XML = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([A-Za-z0-9._:-]{1,40})["']""")
_SINGLE_BYTES = ("windows-", "iso-8859-", "macintosh", "koi8-", "ibm866", "x-mac-")
_SAMPLE = 131_072
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))

# The standard reads these as nothing, because scripts could hide in them; we have no scripts to fear.
_OWN_LABELS = {"hz-gb-2312": "hz-gb-2312", "iso-2022-kr": "iso-2022-kr", "x-user-defined": FALLBACK}
_CODECS = {
    "shift_jis": "cp932", "euc-jp": "euc_jp", "iso-2022-jp": "iso2022_jp_ext", "gbk": "gb18030",
    "big5": "big5hkscs", "euc-kr": "cp949", "windows-874": "cp874", "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic", "ibm866": "cp866", "hz-gb-2312": "hz", "iso-2022-kr": "iso2022_kr",
}  # fmt: skip


def encoding_of(body: bytes, content_type: str = "") -> str:
    """Return the name of the encoding of a page, given its bytes and its Content-Type header.

    >>> encoding_of(b"<meta charset=sjis>")
    'shift_jis'
    """
    for mark, name in _BOMS:
        if body.startswith(mark):
            return name
    if "charset" in content_type.lower() and (name := label_in(content_type)):
        return name
    name = declared(body)
    return "utf-8" if name.startswith(_SINGLE_BYTES) and _is_utf8(body) else name or guessed(body)


@lru_cache(maxsize=512)
def named(label: str) -> str:
    """Return the standard's name for a label, or an empty string for one it does not know."""
    label = label.strip("\t\n\x0c\r ").lower()
    name = str(_OWN_LABELS.get(label) or LABELS.get(label, ""))
    return "" if name == "replacement" else name.removesuffix("-i")


@lru_cache(maxsize=512)
def label_in(text: str) -> str:
    """Return the encoding a Content-Type value names, or an empty string."""
    found = _CHARSET.search(text[:1_000])
    return named(found[1] or found[2] or found[3] or "") if found else ""


def declared(body: bytes) -> str:
    """Return the encoding that a page declares in a `<meta>` or an XML declaration, or nothing."""
    if body.startswith(b"<\0?\0x\0"):
        return "utf-16le"
    if body.startswith(b"\0<\0?\0x"):
        return "utf-16be"
    head = body[:_PRESCAN]
    name = _from_meta(head) if b"charset" in head.lower() else ""
    if not name and len(body) > _PRESCAN:
        head = body[:_LATE]
        name = _from_meta(head) if b"charset" in head.lower() else ""
    if not name and head.startswith(b"<?xml") and (xml := _XML.match(head)):
        name = named(xml[1].decode("ascii"))
    return "utf-8" if name.startswith("utf-16") else name  # it was readable as ASCII


def guessed(body: bytes) -> str:
    """Return what the bytes look like; windows-1252 when they are plain ASCII."""
    first = _NOT_ASCII.search(body)
    if first is None:
        has_escapes = b"\x1b$" in body[:_SAMPLE] or b"\x1b(J" in body[:_SAMPLE]
        return "iso-2022-jp" if has_escapes else _wide(body) or FALLBACK
    if wide := _wide(body):
        return wide
    start = first.start() if first.start() >= _SAMPLE else 0
    sample = body[start : start + _SAMPLE]
    if _is_utf8(sample):
        return "utf-8"
    detector = EncodingDetector()
    detector.feed(sample, last=len(sample) == len(body))
    name = named(detector.guess(tld=None, allow_utf8=False)) or FALLBACK
    return (_japanese(sample) or name) if name == FALLBACK else name


def _is_utf8(sample: bytes) -> bool:
    """Return whether bytes are UTF-8 and not only ASCII; they may end within a character."""
    if sample.isascii():
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return False
    return True


def _japanese(sample: bytes) -> str:
    """Recognise a few words of Japanese, too few for the detector's statistics."""
    for name, codec in (("euc-jp", "euc_jp"), ("shift_jis", "cp932")):
        try:
            words = "".join(char for char in sample[:2_048].decode(codec) if char > "\x7f")
        except UnicodeDecodeError:
            continue
        if any("ぁ" <= char <= "ヶ" for char in words) and all(
            "\u3000" <= char <= "\uffee" for char in words
        ):
            return name
    return ""


def _wide(sample: bytes) -> str:
    """Recognise UTF-16 without a mark: every other byte of its markup is zero."""
    for size in (512, 32):  # the beginning of a page is markup, whatever follows
        even, odd = sample[:size:2].count(0), sample[1:size:2].count(0)
        if abs(even - odd) * 4 >= min(len(sample), size):
            return "utf-16le" if odd > even else "utf-16be"
    return ""


def text_of(body: bytes, name: str) -> str:
    """Return the bytes as text; what cannot be read becomes U+FFFD."""
    for mark, _ in _BOMS:
        if body.startswith(mark):
            body = body[len(mark) :]
            break
    codec = _CODECS.get(name, name)
    try:
        return body.decode(codec, "clew-euc-jp" if codec == "euc_jp" else "replace")
    except (LookupError, ValueError):
        return body.decode("utf-8", "replace")


def query_in(url: str, name: str) -> str:
    """Write the query of a link as a browser would send it from a page in the encoding `name`.

    Only the query is written in the page's own encoding; everything else is UTF-8.
    """
    before, mark, query = url.partition("?")
    if not mark or query.isascii():
        return url
    raw = query.encode(_CODECS.get(name, name), "clew-query")
    return f"{before}?{''.join(chr(b) if b < 128 else f'%{b:02X}' for b in raw)}"  # noqa: PLR2004


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Write characters the encoding does not have as escaped references: `†` is %26%238224%3B in Big5."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(f"%26%23{ord(char)}%3B" for char in missing), error.end


codecs.register_error("clew-query", _escaped)


def _euc_rest(error: UnicodeError) -> tuple[str, int]:
    """Read the rows 9 to 12 and 13 (① ㈱ Ⅲ) that browsers know in EUC-JP and Python's codec does not."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = error.object[error.start : error.start + 2]
    if len(pair) == 2 and min(pair) >= 0xA1:  # noqa: PLR2004 - two bytes of a JIS pair
        row, cell = pair[0] - 0xA1, pair[1] - 0xA1
        lead = row // 2 + (0x81 if row < 62 else 0xC1)  # noqa: PLR2004
        trail = cell + 0x9F if row % 2 else cell + 0x40 + (cell >= 63)  # noqa: PLR2004
        read = bytes((lead, trail)).decode("cp932", "replace")
        if "\ufffd" not in read:
            return read, error.start + 2
    return "\ufffd", error.start + 1


codecs.register_error("clew-euc-jp", _euc_rest)


def _from_meta(head: bytes) -> str:
    """Find the encoding a `<meta>` names, by the standard's prescan of the first bytes."""
    at = head.find(b"<")
    while 0 <= at < len(head):
        if head[at + 1 : at + 5].lower() == b"meta" and head[at + 5 : at + 6] in _AFTER_META:
            attributes, at = _attributes(head, at + 5)
            if at >= len(head):  # the tag is not finished: it may yet name any encoding
                return ""
            if name := _meta_encoding(attributes):
                return name
        else:
            at = _passed(head, at)
        at = head.find(b"<", at) if at >= 0 else -1
    return ""


def _passed(head: bytes, at: int) -> int:
    """Return where the markup that begins at `at` ends; a negative number when it does not."""
    if head.startswith(b"<!--", at):
        end = head.find(b"-->", at + 2)
        return end + 3 if end >= 0 else -1
    after = head[at + 1 : at + 2]
    if after in (b"!", b"?") or (after == b"/" and head[at + 2 : at + 3] and head[at + 2] not in _LETTERS):
        return head.find(b">", at)
    if after and (after[0] in _LETTERS or after == b"/"):
        while at < len(head) and head[at] not in b"\t\n\x0c\r >":
            at += 1
        return _attributes(head, at)[1]
    return at + 1


def _meta_encoding(attributes: dict[bytes, bytes]) -> str:
    if b"charset" in attributes:
        name = named(attributes[b"charset"].decode("latin-1"))
    elif attributes.get(b"http-equiv", b"").lower() == b"content-type":
        name = label_in(attributes.get(b"content", b"").decode("latin-1"))
    else:
        return ""
    return "utf-8" if name.startswith("utf-16") else name


def _attributes(head: bytes, at: int) -> tuple[dict[bytes, bytes], int]:
    """Read the attributes of a tag from `at`; also return where the tag ends."""
    found: dict[bytes, bytes] = {}
    size = len(head)
    while True:
        while at < size and head[at] in b"\t\n\x0c\r /":
            at += 1
        if at >= size or head[at] == 0x3E:  # noqa: PLR2004 - ">"
            return found, at
        start = at
        while at < size and (head[at] not in b"\t\n\x0c\r />=" or (at == start and head[at] == 0x3D)):  # noqa: PLR2004
            at += 1
        name = head[start:at].lower()
        while at < size and head[at] in _SPACE:
            at += 1
        value = b""
        if at < size and head[at] == 0x3D:  # noqa: PLR2004 - "="
            value, at = _value(head, at + 1)
        found.setdefault(name, value)


def _value(head: bytes, at: int) -> tuple[bytes, int]:
    size = len(head)
    while at < size and head[at] in _SPACE:
        at += 1
    if at < size and head[at] in b"\"'":
        end = head.find(head[at : at + 1], at + 1)
        return (head[at + 1 :], size) if end < 0 else (head[at + 1 : end], end + 1)
    start = at
    while at < size and head[at] not in b"\t\n\x0c\r >":
        at += 1
    return head[start:at], at
