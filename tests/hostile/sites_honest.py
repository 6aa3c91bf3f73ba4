"""Honest oddities: legal but unusual HTTP. All of it must be read."""

import gzip
import zlib

import brotli
from backports import zstd

from .cases import case, front, leaf, raw
from .content import gzipped, page, prose, raw_deflate, rss, urlset
from .judge import Check, asked_at_most, has_status, read
from .server import HTML, Answer, Raw, Request, Site, Wire, chunked

PLAIN = ("Content-Type", "text/plain")
XML = ("Content-Type", "application/xml")


def _coded(site: Site, coding: str, body: bytes, framing: str = "length") -> list[Check]:
    front(site, "/coded")
    site.on("/coded", Answer(body, headers=(HTML, ("Content-Encoding", coding)), framing=framing))
    leaf(site, "/behind")
    return [read("/coded", saying="packed page"), read("/behind")]


PACKED = page("packed page", "/behind")


@case("honest")
def gzip_coding(site: Site) -> list[Check]:
    return _coded(site, "gzip", gzipped(PACKED))


@case("honest")
def x_gzip_in_capitals(site: Site) -> list[Check]:
    return _coded(site, "X-GZip", gzipped(PACKED))


@case("honest")
def gzip_of_several_members(site: Site) -> list[Check]:
    return _coded(
        site, "gzip", b"".join(gzip.compress(PACKED[i : i + 200]) for i in range(0, len(PACKED), 200))
    )


@case("honest")
def deflate_coding(site: Site) -> list[Check]:
    return _coded(site, "deflate", zlib.compress(PACKED))


@case("honest")
def deflate_without_its_wrapper(site: Site) -> list[Check]:
    return _coded(site, "deflate", raw_deflate(PACKED))


@case("honest")
def brotli_coding(site: Site) -> list[Check]:
    return _coded(site, "br", brotli.compress(PACKED))


@case("honest")
def zstandard_coding(site: Site) -> list[Check]:
    return _coded(site, "zstd", zstd.compress(PACKED), framing="chunked")


@case("honest")
def two_codings(site: Site) -> list[Check]:
    return _coded(site, "gzip, br", brotli.compress(gzipped(PACKED)))


@case("honest")
def identity_and_empty_coding(site: Site) -> list[Check]:
    front(site, "/a", "/b")
    site.on("/a", Answer(page("identity"), headers=(HTML, ("Content-Encoding", "identity"))))
    site.on("/b", Answer(page("empty"), headers=(HTML, ("Content-Encoding", ""))))
    return [read("/a", "/b")]


@case("honest")
def chunks_with_extensions_and_trailers(site: Site) -> list[Check]:
    front(site, "/odd", "/a")
    body = page("in odd chunks")
    coded = b'%x;name="a;b"\r\n%b\r\n000%X ; q\r\n%b\r\n0\r\nX-Sum: 1\r\n\r\n'
    coded %= (7, body[:7], len(body) - 7, body[7:])
    site.on(
        "/odd",
        raw("HTTP/1.1 200 OK\nTransfer-Encoding: Chunked\nContent-Type: text/html", coded, then="keep"),
    )
    leaf(site, "/a")
    return [read("/odd", saying="in odd chunks"), read("/a")]


@case("honest")
def one_byte_chunks(site: Site) -> list[Check]:
    front(site, "/tiny")
    data = chunked(page("in tiny chunks"), size=1)
    site.on("/tiny", raw("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nContent-Type: text/html", data))
    return [read("/tiny", saying="in tiny chunks")]


@case("honest")
def old_protocol_up_to_the_close(site: Site) -> list[Check]:
    front(site, "/old", "/a")
    site.on("/old", raw("HTTP/1.0 200 OK\nContent-Type: text/html", page("an old page")))
    leaf(site, "/a")
    return [read("/old", saying="an old page"), read("/a")]


@case("honest")
def lines_without_carriage_return(site: Site) -> list[Check]:
    front(site, "/lf")
    body = page("bare line feeds")
    site.on(
        "/lf", Raw(b"HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: %d\n\n%b" % (len(body), body))
    )
    return [read("/lf", saying="bare line feeds")]


@case("honest")
def status_line_without_reason(site: Site) -> list[Check]:
    front(site, "/bare")
    body = page("no reason given")
    site.on("/bare", raw(f"HTTP/1.1 200\ncontent-type:text/html\nCONTENT-LENGTH:{len(body)}", body))
    return [read("/bare", saying="no reason given")]


@case("honest")
def folded_and_many_headers(site: Site) -> list[Check]:
    front(site, "/folded")
    body = page("folded header")
    many = "".join(f"X-Note-{n}: {'n' * 150}\r\n" for n in range(90))
    head = f"HTTP/1.1 200 OK\r\n{many}Content-Type: text/html;\r\n\tcharset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
    site.on("/folded", Raw(head.encode() + body))
    return [read("/folded", saying="folded header")]


@case("honest")
def same_length_twice(site: Site) -> list[Check]:
    front(site, "/twice")
    body = page("said twice")
    site.on("/twice", raw(f"HTTP/1.1 200 OK\nContent-Length: {len(body)}\nContent-Length: {len(body)}", body))
    return [read("/twice", saying="said twice")]


@case("honest")
def interim_answers(site: Site) -> list[Check]:
    front(site, "/hints")
    body = page("after the hints")
    interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
    site.on("/hints", Raw((interim + head).encode() + body))
    return [read("/hints", saying="after the hints")]


@case("honest")
def steady_but_slow(site: Site) -> list[Check]:
    front(site, "/slow", "/a")

    async def slowly(_: Request, wire: Wire) -> None:
        await wire.drip(Answer(page("slow and steady")).encode(), every=0.3, size=200)

    site.on("/slow", slowly)
    leaf(site, "/a")
    return [read("/slow", saying="slow and steady"), read("/a")]


@case("honest")
def keeps_alive_in_words_only(site: Site) -> list[Check]:
    paths = tuple(f"/p{n}" for n in range(10))
    front(site, *paths, headers=(("Connection", "keep-alive"),))

    async def hang_up(request: Request, wire: Wire) -> None:
        answer = Answer(page(f"leaf {request.path}"), headers=(HTML, ("Connection", "keep-alive")))
        await wire.send(answer.encode())  # and close, although kept alive was promised

    for path in paths:
        site.on(path, hang_up)
    return [read(*paths)]


@case("honest")
def closes_idle_connections_early(site: Site) -> list[Check]:
    paths = tuple(f"/p{n}" for n in range(10))
    front(site, *paths)

    async def soon(request: Request, wire: Wire) -> None:
        await wire.send(Answer(page(f"leaf {request.path}")).encode())
        await wire.pause(0.1)  # the very moment at which the next request is due

    for path in paths:
        site.on(path, soon)
    return [read(*paths)]


@case("honest")
def a_large_page_with_its_link_at_the_end(site: Site) -> list[Check]:
    front(site, "/large")
    site.on("/large", Answer(page("a large page", "/behind", body=f"<p>{prose('large', 300_000)}</p>")))
    leaf(site, "/behind")
    return [read("/large", "/behind")]


@case("honest")
def types_in_odd_dress(site: Site) -> list[Check]:
    dress = {
        "/upper": "TEXT/HTML",
        "/quoted": 'text/html; charset="utf-8"',
        "/many": "text/html;charset=utf-8;charset=utf-8; boundary=x",
        "/xhtml": "application/xhtml+xml",
        "/none": "",
    }
    front(site, *dress)
    for path, kind in dress.items():
        site.on(
            path,
            Answer(page(f"dressed {path}", f"{path}/in"), headers=(("Content-Type", kind),) if kind else ()),
        )
        leaf(site, f"{path}/in")
    return [read(*dress, *(f"{p}/in" for p in dress))]


@case("honest")
def plain_text_and_no_text(site: Site) -> list[Check]:
    front(site, "/notes.txt", "/empty", "/204", "/untitled")
    site.on("/notes.txt", Answer(b"Plain notes about barley.", headers=(PLAIN,)))
    site.on("/empty", Answer(b""))
    site.on("/204", raw("HTTP/1.1 204 No Content", then="keep"))
    site.on("/untitled", Answer(b"<p>No title, no head, <a href=/in>one link"))
    leaf(site, "/in")
    return [read("/notes.txt", saying="barley"), read("/empty", "/untitled", "/in"), has_status("/204", 204)]


@case("honest")
def other_types_are_recorded(site: Site) -> list[Check]:
    front(site, "/a.pdf", "/a.png", "/a.json")
    site.on("/a.pdf", Answer(b"%PDF-1.4 not really", headers=(("Content-Type", "application/pdf"),)))
    site.on("/a.json", Answer(b'{"a": 1}', headers=(("Content-Type", "application/json"),)))
    site.on("/a.png", Answer(b"\x89PNG\r\n\x1a\n" + bytes(400), headers=(("Content-Type", "image/png"),)))
    return [has_status("/a.json", 200), asked_at_most(2, "/a.pdf", "/a.png", "/a.json")]


def _charset(site: Site, text: str, codec: str, header: str = "text/html", head: str = "") -> list[Check]:
    front(site, "/text")
    doc = f"<html><head>{head}<title>t</title></head><body><p>{text}</p><p>{text}</p></body></html>"
    site.on("/text", Answer(doc.encode(codec), headers=(("Content-Type", header),)))
    return [read("/text", saying=text[:12])]


@case("honest")
def charset_in_the_header(site: Site) -> list[Check]:
    return _charset(
        site, "Größere Straßen über Flüsse führen nach Süden", "cp1252", "text/html; charset=windows-1252"
    )


@case("honest")
def charset_in_a_meta_tag(site: Site) -> list[Check]:
    return _charset(site, "東京の天気予報は晴れのち曇りです", "shift_jis", head='<meta charset="Shift_JIS">')


@case("honest")
def charset_in_an_old_meta_tag(site: Site) -> list[Check]:
    meta = "<meta http-equiv=Content-Type content='text/html; charset=EUC-JP'>"
    return _charset(site, "京都の古い寺と庭園を訪ねる旅行記", "euc-jp", head=meta)


@case("honest")
def charset_by_byte_order_mark(site: Site) -> list[Check]:
    return _charset(site, "Ελληνικό κείμενο για τη δοκιμή", "utf-16", "text/html; charset=iso-8859-1")


@case("honest")
def charset_detected(site: Site) -> list[Check]:
    return _charset(site, "Московская область готовится к зиме и первому снегу этого года", "koi8-r")


@case("honest")
def charset_with_a_nonsense_name(site: Site) -> list[Check]:
    return _charset(site, "Ça va très bien à l’école", "utf-8", "text/html; charset=klingon-8")


@case("honest")
def links_in_every_form(site: Site) -> list[Check]:
    host = site.authority
    body = (
        f"<a href='//{host}/scheme-relative'>a</a> <A HREF={site.origin.upper()}/upper>b</A>"
        '<a href="  /spaced \n">c</a> <a href="/tab\tbed">d</a> <a href="/amp?a=1&amp;b=2">e</a>'
        '<a href="/x/y/../../dots">f</a> <a href="\\back\\slash">g</a> <a href="/plain#part">h</a>'
        "<a href=/unquoted>i</a> <map><area href='/area'></map> <iframe src='/framed'></iframe>"
        '<a href="?only=query">j</a> <a href="/sp ace">k</a> <a href="/caf\u00e9">l</a> <a href="&#47;entity">m</a>'
    )
    front(site, body=body)
    wanted = (
        "/scheme-relative", "/upper", "/spaced", "/tabbed", "/amp?a=1&b=2", "/dots", "/back/slash", "/plain",
        "/unquoted", "/area", "/framed", "/?only=query", "/sp%20ace", "/caf%C3%A9", "/entity",
    )  # fmt: skip
    leaf(site, *wanted)
    return [read(*wanted)]


@case("honest")
def base_address_and_relative_links(site: Site) -> list[Check]:
    site.on(
        "/", Answer(page("based", "one", "../two", "./three?x", head='<base href="/far/away/index.html">'))
    )
    leaf(site, "/far/away/one", "/far/two", "/far/away/three?x")
    return [read("/far/away/one", "/far/two", "/far/away/three?x")]


@case("honest")
def frames_and_refresh(site: Site) -> list[Check]:
    site.on("/", Answer(b"<html><frameset><frame src='/left'><frame src='/right'></frameset></html>"))
    leaf(site, "/meta-target", "/header-target")
    site.on("/left", Answer(page("left", head="<meta http-equiv=refresh content=\"0; URL='/meta-target'\">")))
    site.on("/right", Answer(page("right"), headers=(HTML, ("Refresh", "0;url=/header-target"))))
    return [read("/left", "/right", "/meta-target", "/header-target")]


@case("honest")
def addresses_that_look_alike(site: Site) -> list[Check]:
    paths = (
        "/Page",
        "/page",
        "/page/",
        "/page%2Fx",
        "/page/x",
        "/page?x",
        "/page?x=1",
        "/p%C3%A4ge",
        "/page;v=1",
    )
    front(site, *paths)
    leaf(site, *paths)
    return [read(*paths)]


@case("honest")
def one_address_in_many_spellings(site: Site) -> list[Check]:
    host = site.authority
    front(
        site, "/one/page", "/one/./page", "/one/../one/page", "/one/page#a", "/one/page#b", "/%6Fne/page", "/one/p%61ge",
        f"HTTP://{host}/one/page", f"http://user@{host}/one/page", "/one/page?utm_source=x", "/one/page?PHPSESSID=abc123",
        "/one/page;jsessionid=0A1B", "/one/page?gclid=1&utm_medium=y",
    )  # fmt: skip
    site.otherwise = Answer(page("one page in many spellings"))
    return [read("/one/page"), asked_at_most(3, "/one", "/%6F")]


@case("honest")
def sitemaps_of_every_kind(site: Site) -> list[Check]:
    u = site.url
    site.robots(f"User-agent: *\nDisallow:\nSitemap: {u('/index.xml')}\nSITEMAP: {u('/list.txt')}\n")
    parts = b"".join(b"<sitemap><loc>%b</loc></sitemap>" % u(p).encode() for p in ("/one.xml", "/two.xml.gz"))
    site.on(
        "/index.xml", Answer(b"<?xml version='1.0'?><sitemapindex>%b</sitemapindex>" % parts, headers=(XML,))
    )
    site.on("/one.xml", Answer(b"\xef\xbb\xbf" + urlset(u("/in-one"), u("/in-one?a=1&b=2")), headers=(XML,)))
    packed = gzipped(urlset(u("/in-two")))
    site.on("/two.xml.gz", Answer(packed, headers=(("Content-Type", "application/octet-stream"),)))
    site.on("/list.txt", Answer(f"{u('/in-text')}\r\n{u('/in-text-2')}\n".encode(), headers=(PLAIN,)))
    wanted = ("/in-one", "/in-one?a=1&b=2", "/in-two", "/in-text", "/in-text-2")
    front(site)
    leaf(site, *wanted)
    return [read(*wanted)]


@case("honest")
def feeds_that_pages_announce(site: Site) -> list[Check]:
    head = (
        '<link rel="alternate" type="application/rss+xml" href="/news.rss">'
        '<link rel="alternate" type="application/atom+xml" href="/news.atom">'
    )
    front(site, head=head)
    site.on("/news.rss", Answer(rss(site.url("/in-rss")), headers=(("Content-Type", "application/rss+xml"),)))
    atom = f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="{site.url("/in-atom")}"/></entry></feed>'
    site.on("/news.atom", Answer(atom.encode(), headers=(("Content-Type", "application/atom+xml"),)))
    leaf(site, "/in-rss", "/in-atom")
    return [read("/in-rss", "/in-atom")]
