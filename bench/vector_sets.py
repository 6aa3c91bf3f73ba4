"""The sets of `bench.vectors`: each runs one public collection through our code and counts the results."""

import io
import json
import re
import tarfile
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from clew import urls
from clew.api import Crawl
from clew.frontier.robots import Robots
from clew.lab.synthetic import Web, serving
from clew.parse.charset import encoding_of, named, query_in, text_of
from clew.parse.page_reader import read
from clew.store.warc import read_file
from clew.types import Link, Response
from clew.urls import MAX_LENGTH, Canon

SAMPLE_PAGES = 150


@dataclass(slots=True)
class Tally:
    """How many results of a set were right, and a line for each that was not."""

    name: str
    passed: int = 0
    total: int = 0
    deviations: list[tuple[str, str]] = field(default_factory=list)
    note: str = ""

    def count(self, right: bool, what: str, why: str) -> None:
        """Count one result; `why` explains a wrong one."""
        self.total += 1
        self.passed += right
        if not right:
            self.deviations.append((what, why))


# ── robots.txt ───────────────────────────────────────────────────────────────────────────────────


def robots_cases(folder: Path) -> Tally:
    """Run the test cases of a large search engine against our matcher."""
    tally = Tally("robots.txt: cases of google/robotstxt")
    for case in json.loads((folder / "robots-google" / "cases.json").read_text("utf-8")):
        allowed = not _refusal(case["robots_txt"], case["user_agent"], case["url"])
        what = f"{case['test']}: {case['user_agent']!r} {case['url']!r} in {case['robots_txt'][:90]!r}"
        tally.count(allowed == case["allowed"], what, _robots_reason(case, allowed))
    return tally


def _refusal(text: str, agent: str, url: str) -> str:
    robots = Robots(agent=agent)
    robots.learn(urls.origin(url), 200, "", text, 0.0)
    return robots.refusal(url)


def _robots_reason(case: dict[str, str], allowed: bool) -> str:
    ours = "we allow" if allowed else "we forbid"
    if "IndexHTML" in case["test"]:
        return f"{ours}: that an Allow for index.html opens its directory is that engine's own idea, not the RFC's"
    if case["test"] == "ID_Encoding" and "%62%61%7A" in case["robots_txt"]:
        return (
            f"{ours}: RFC 9309, 2.2.2 compares escapes of plain characters as the characters they stand for"
        )
    if case["test"].startswith("GoogleOnly_"):
        return f"{ours}: optional behaviour of that one engine"
    return f"{ours}: not explained"


def robots_real(folder: Path) -> Tally:
    """Read thousands of real files; none may fail, and each must decide about the home page."""
    tally = Tally("robots.txt: files of real sites read")
    files = list(_members(folder / "robots-real" / "robots-top-sites.tar.gz"))
    began = time.process_time()
    for name, body in files:
        try:
            _refusal(body.decode("utf-8", "replace"), "clew", f"http://{name}/some/page.html?q=1")
        except Exception as error:  # noqa: BLE001 - a failure is the result here
            tally.count(False, name, f"raised {error!r}")
        else:
            tally.count(True, name, "")
    spent = time.process_time() - began
    tally.note = f"{1e6 * spent / max(1, len(files)):.0f} µs a file ({sum(len(b) for _, b in files) / 1e6:.1f} MB in all)"
    return tally


# ── URLs ────────────────────────────────────────────────────────────────────────────────────

_HREF = re.compile(r"(https?)://(?:[^/?#@]*@)?([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def reduced(href: str | None) -> str | None:
    """Normalise a URL of the WHATWG vectors where we go beyond the standard on purpose.

    Only http and https; no userinfo, no fragment, no empty query or empty parameters, no dot after the
    host; escapes of plain characters undone, others in capitals; nothing longer than our limit.
    """
    parts = _HREF.fullmatch(href or "")
    if not parts:
        return None
    scheme, host, path, query, _ = parts.groups()
    name, colon, port = host.partition(":") if not host.startswith("[") else (host, "", "")
    if not name.rstrip("."):
        return None
    query_text = "&".join(part for part in (query or "?")[1:].split("&") if part)
    made = f"{scheme}://{name.rstrip('.')}{colon}{port}{_tidy(path)}{'?' if query_text else ''}{_tidy(query_text)}"
    return made if len(made) <= MAX_LENGTH else None


def _tidy(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        char = chr(int(match[1], 16))
        return char if char in _PLAIN else match[0].upper()

    return re.sub(r"%([0-9A-Fa-f]{2})", one, text)


def addresses(folder: Path) -> Tally:
    """Compare whole URLs with the parsing vectors of the web platform tests."""
    tally = Tally("URLs: parsing (urltestdata and two more)")
    canon = Canon()
    for name in ("urltestdata", "ada_extra_urltestdata", "ada_long_urltestdata"):
        for case in json.loads((folder / "url-wpt" / f"{name}.json").read_text("utf-8")):
            if isinstance(case, str):
                continue
            base = case.get("base") or ""
            ours = canon(
                case["input"], canon(base) or ""
            )  # pages have canonical addresses, and none but http(s)
            href = None if case.get("failure") else case["href"]
            wanted = reduced(href)
            what = f"{case['input'][:80]!r} on {base[:60]!r}"
            tally.count(ours == wanted, what, _address_reason(case, ours, wanted))
    tally.note = (
        "after our documented differences: http(s) only, no fragment, userinfo or empty query, tidy escapes"
    )
    return tally


def _address_reason(case: dict[str, str], ours: str | None, wanted: str | None) -> str:
    why = "not explained"
    if ours and wanted and ours.count("&") + ours.count("=") < wanted.count("&") + wanted.count("="):
        why = "a tracking or session parameter was left out"
    elif (
        case.get("failure") and case.get("base") and Canon()(case["base"]) is None and Canon()(case["input"])
    ):
        why = "the base is no address at all; no page can have it"
    elif ours and wanted == f"{ours}%20" and " #" in case["input"]:
        why = "a blank in front of the fragment goes with the fragment"
    return f"ours {ours!r}, standard {wanted!r}: {why}"


def host_names(folder: Path) -> Tally:
    """Compare host names with the international domain name vectors."""
    tally = Tally("URLs: host names (toascii, IdnaTestV2)")
    canon = Canon()
    for name in ("toascii", "IdnaTestV2"):
        for case in json.loads((folder / "url-wpt" / f"{name}.json").read_text("utf-8")):
            if isinstance(case, str):
                continue
            ours = canon(f"https://{case['input']}/x")
            output = case["output"]
            wanted = reduced(f"https://{output}/x") if output is not None else None
            why = (
                "not explained"
                if case["input"]
                else "in an address the parser takes what follows an empty host"
            )
            tally.count(
                ours == wanted, repr(case["input"][:60]), f"ours {ours!r}, standard {wanted!r}: {why}"
            )
    return tally


def query_escapes(folder: Path) -> Tally:
    """Compare how a query is written from pages in other encodings."""
    tally = Tally("URLs: queries in the page's encoding")
    for case in json.loads((folder / "url-wpt" / "percent-encoding.json").read_text("utf-8")):
        if isinstance(case, str):
            continue
        for encoding, wanted in case["output"].items():
            address = query_in(f"http://a.org/?{case['input']}", encoding)
            ours = (Canon()(address) or "").partition("?")[2]
            why = f"ours {ours!r}, standard {wanted!r}: {_query_reason(case['input'], encoding)}"
            tally.count(
                ours == (reduced(f"http://a.org/?{wanted}") or "").partition("?")[2],
                f"{case['input']!r} in {encoding}",
                why,
            )
    return tally


def _query_reason(text: str, encoding: str) -> str:
    if text == "\ue5e5":
        return "Python's gb18030 knows this private character, the standard's does not"
    if encoding == "iso-2022-jp" and text < " ":
        return "the standard's encoder refuses the bytes that switch alphabets, Python's lets them through"
    return "not explained"


# ── encodings ────────────────────────────────────────────────────────────────────────────────────


def declared_encodings(folder: Path) -> Tally:
    """Compare the encoding of small documents with html5lib's expectations."""
    tally = Tally("encodings: html5lib-tests")
    for file in sorted((folder / "html5lib" / "encoding").rglob("*.dat")):
        for case in file.read_bytes().split(b"#data\n")[1:]:
            body, _, rest = case.partition(b"\n#encoding\n")
            wanted = named(rest.split(b"\n")[0].decode("ascii"))
            ours = encoding_of(body)
            why = "not explained"
            if file.parent.name == "scripted":
                why = "a script would write the declaration; we run no scripts"
            elif wanted == "windows-1252":
                why = "where the standard falls back to windows-1252 we look at the bytes and at later declarations"
            tally.count(
                ours == wanted, f"{file.name}: {body[:70]!r}", f"ours {ours}, expected {wanted}: {why}"
            )
    return tally


def guessed_encodings(folder: Path) -> Tally:
    """Compare the text read from real documents with the text in their true encoding."""
    tally = Tally("encodings: real documents of chardet")
    same_name = 0
    for name, body in _members(folder / "encoding-chardet" / "chardet-tests.tar.gz", depth=3):
        label = name.split("/")[1].lower()
        true = {"cp932": "shift_jis", "utf-8-sig": "utf-8", "utf-16": encoding_of(body)}.get(label) or named(
            re.sub(r"-(russian|hebrew|hungarian|bulgarian|greek|turkish|thai)$", "", label)
        )
        ours = encoding_of(body)
        same_name += ours == true
        right = text_of(body, ours) == text_of(body, true)
        source = (
            "the document declares it" if encoding_of(body) == _declared(body) else "guessed from the bytes"
        )
        tally.count(right, name, f"ours {ours}, true {true}: {source}")
    tally.note = f"same text; the same name in {same_name}"
    return tally


def _declared(body: bytes) -> str:
    found = re.search(rb"""(?:charset|encoding)\s*=\s*["']?([A-Za-z0-9_:-]+)""", body[:2048])
    return named(found[1].decode("ascii")) if found else ""


def hostile_markup(folder: Path) -> Tally:
    """Read every document of html5lib's tree tests; none may raise."""
    tally = Tally("markup: html5lib tree documents read without a fault")
    canon = Canon()
    link = Link(id=1, url="http://a.org/", origin="http://a.org")
    for file in sorted((folder / "html5lib" / "tree-construction").rglob("*.dat")):
        for case in file.read_bytes().split(b"#data\n")[1:]:
            body = case.partition(b"\n#errors")[0]
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
            response = Response(link=link, started=0, ended=0, status=200, head=head, body=body)
            try:
                read(response, canon=canon, max_bytes=1_000_000)
            except Exception as error:  # noqa: BLE001 - a failure is the result here
                tally.count(False, f"{file.name}: {body[:60]!r}", f"raised {error!r}")
            else:
                tally.count(True, "", "")
    return tally


# ── WARC ─────────────────────────────────────────────────────────────────────────────────────────


def foreign_archives(folder: Path) -> Tally:
    """Read other programs' archives with our reader, which is made for our own files, beside warcio."""
    tally = Tally("WARC: other programs' files, our reader beside warcio")
    for file in sorted(
        path for path in (folder / "warc").rglob("*") if ".warc" in path.name or ".arc" in path.name
    ):
        theirs, ours, fault = _warcio_count(file), 0, ""
        try:
            for _ in read_file(file):
                ours += 1
        except Exception as error:  # noqa: BLE001 - a failure is the result here
            fault = f"{type(error).__name__}: {error}"
        why = f"we read {ours} records ({fault or 'to the end'}), warcio {theirs}: {_archive_reason(file)}"
        tally.count(not fault and ours == theirs, file.name, why)
    tally.note = "our reader takes WARC 1.x with one gzip member a record, which is what we write"
    return tally


def _archive_reason(file: Path) -> str:
    if ".arc" in file.name:
        return "ARC, an older format"
    if not file.name.endswith(".gz"):
        return "not compressed" if ".gz" not in file.name else "damaged on purpose"
    return "damaged on purpose, or not one gzip member a record"


def _warcio_count(file: Path) -> str | int:
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415 - only this set needs it

    count = 0
    try:
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                record.content_stream().read()
                count += 1
    except Exception as error:  # noqa: BLE001 - some of these files are damaged on purpose
        return f"{count} and then {type(error).__name__}"
    return count


def own_archives(folder: Path) -> Tally:
    """Crawl the built-in web and read our own WARC back with two other programs, digests checked."""
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415

    del folder
    tally = Tally("WARC: our own files, read by warcio and fastwarc")
    with tempfile.TemporaryDirectory(prefix="clew-vectors-") as work, serving(Web(5_000)) as proxy:
        settings = {"fetch.delay": 0, "fetch.per_host": 8, "fetch.proxy": proxy}
        contact = "https://github.com/clew-crawler/clew"
        Crawl(work, seeds=Web(5_000).home_urls()[:5], contact=contact, settings=settings).run(
            pages=SAMPLE_PAGES
        )
        files = sorted(Path(work, "pages").glob("*.warc.gz"))
        ours = [record.header for file in files for record in read_file(file)]
        names = [header["warc-record-id"] for header in ours]
        theirs, fast = set(), set()
        for file in files:
            data = file.read_bytes()
            for record in ArchiveIterator(io.BytesIO(data), check_digests=True):
                record.content_stream().read()
                if record.digest_checker.passed is not False:
                    theirs.add(record.rec_headers.get_header("WARC-Record-ID"))
            fast |= _whole_for_fastwarc(data)
    for name, header in zip(names, ours, strict=True):
        tally.count(name in theirs, f"{header['warc-type']} {name}", "warcio does not give it back whole")
        tally.count(name in fast, f"{header['warc-type']} {name}", "fastwarc does not give it back whole")
    tally.note = f"{len(files)} file, {len(names)} records"
    return tally


def _whole_for_fastwarc(data: bytes) -> set[str]:
    """Return the records fastwarc reads to their end, with every digest they carry found to be right."""
    from fastwarc.warc import ArchiveIterator  # noqa: PLC0415

    blocks, payloads = set(), set()
    for record in ArchiveIterator(io.BytesIO(data), parse_http=False):
        if "WARC-Block-Digest" not in record.headers or record.verify_block_digest():
            blocks.add(record.headers["WARC-Record-ID"])
    for record in ArchiveIterator(io.BytesIO(data), parse_http=True):
        if "WARC-Payload-Digest" not in record.headers or record.verify_payload_digest():
            payloads.add(record.headers["WARC-Record-ID"])
    return blocks & payloads


def _members(path: Path, depth: int = 1) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an archive, named by the last parts of their paths."""
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile():
                data = archive.extractfile(member)
                assert data is not None
                yield "/".join(member.name.split("/")[-depth:]), data.read()


SETS = {
    "robots": (robots_cases, robots_real),
    "urls": (addresses, host_names, query_escapes),
    "encodings": (declared_encodings, guessed_encodings),
    "markup": (hostile_markup,),
    "warc": (foreign_archives, own_archives),
}
