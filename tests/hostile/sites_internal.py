"""Internal addresses: canaries listen where the crawler must not go, in every spelling and by every road.

The run allows 127.1.0.0/16 only. The canaries sit on 127.0.0.1, [::1] and 127.0.2.1, all on one port.
"""

import html

from .cases import case, front, leaf, moved
from .content import page, rss, urlset
from .judge import Check, Evidence, exported_nowhere, read
from .server import HTML, Answer, Site, free_port

SECRET = "canary-secret-5f2e"
HOMES = {"v4": "127.0.0.1", "v6": "::1", "outside": "127.0.2.1"}
XML = (("Content-Type", "application/xml"),)

HOSTS = (
    "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7F.0.0.1", "0177.0.0.1", "017700000001", "0x7f.1",
    "127.0.0.1.", "0.0.0.0", "0", "localhost", "LOCALHOST", "localhost.", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "%31%32%37.0.0.1",
    "１２７.０.０.１", "127。0。0。1", "①②⑦.⓪.⓪.①", "127.0.2.1", "0x7f000201", "127.000.000.001", "user:pw@127.0.0.1",
    "[::ffff:0:127.0.0.1]", "[fe80::1]", "ip6-localhost", "127.0.0.1%20", "127.0.0.1\t",
)  # fmt: skip


def canaries(site: Site) -> tuple[int, Check]:
    """Set out canaries; return their port and the check that none was touched."""
    port = free_port(HOMES.values())
    for name, address in HOMES.items():
        canary = site.web.site(f"{site.name}/{name}", address=address, port=port)
        canary.otherwise = Answer(f"<title>{SECRET}</title><p>{SECRET}".encode())

    def check(evidence: Evidence, name: str) -> None:
        touched = [
            h.site
            for h in evidence.held
            if h.site.rpartition("/")[0] == name and h.site.rpartition("/")[2] in HOMES
        ]
        targets = [
            f"{a.site} {a.target}" for home in HOMES for a in evidence.to(f"{name}/{home}", robots=True)
        ]
        assert not touched, f"canaries were touched: {touched} {targets[:5]}"
        exported_nowhere(SECRET)(evidence, name)

    return port, check


def spellings(port: int, path: str = "/") -> list[str]:
    return [f"http://{host}:{port}{path}" for host in HOSTS]


@case("internal")
def links(site: Site) -> list[Check]:
    port, untouched = canaries(site)
    tricks = [
        f"http://{site.authority}@127.0.0.1:{port}/", f"http://127.0.0.1:{port}\\@{site.authority}/",
        f"http://127.0.0.1:{port}#@{site.authority}/", f"http:127.0.0.1:{port}/", f"http:\\\\127.0.0.1:{port}/",
        f"//127.0.0.1:{port}/", f"///127.0.0.1:{port}/", f"https://127.0.0.1:{port}/", f"\x01http://127.0.0.1:{port}/",
    ]  # fmt: skip
    front(site, "/fine", *spellings(port), *tricks)
    leaf(site, "/fine")
    return [read("/", "/fine"), untouched]


@case("internal")
def redirects(site: Site) -> list[Check]:
    port, untouched = canaries(site)
    targets = spellings(port)
    paths = [f"/r{n}" for n in range(len(targets))]
    front(site, *paths, "/fine")
    for number, (path, target) in enumerate(zip(paths, targets, strict=True)):
        site.on(path, moved(target, (301, 302, 303, 307, 308)[number % 5]))
    leaf(site, "/fine")
    return [read("/fine"), untouched]


@case("internal")
def chained_redirects(site: Site) -> list[Check]:
    port, untouched = canaries(site)
    other = site.sister("other")
    front(site, "/hop", "/fine")
    site.on("/hop", moved(other.url("/hop")))
    other.on("/hop", moved("/hop2", 307))
    other.on("/hop2", moved(f"http://127.0.0.1:{port}/"))
    leaf(site, "/fine")
    return [read("/fine"), untouched]


@case("internal")
def robots_redirects(site: Site) -> list[Check]:
    port, untouched = canaries(site)
    sisters = []
    for number, host in enumerate(("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433")):
        sister = site.sister(f"rules{number}")
        sister.on("/robots.txt", moved(f"http://{host}:{port}/robots.txt", 301))
        leaf(sister, "/page")
        sisters.append(sister.url("/page"))
    front(site, *sisters)
    return [read("/"), untouched]


@case("internal")
def sitemap_lines(site: Site) -> list[Check]:
    port, untouched = canaries(site)
    lines = "".join(f"Sitemap: {u}\n" for u in spellings(port, "/map.xml"))
    site.robots(
        f"User-agent: *\nDisallow:\nSitemap: {site.url('/map.xml')}\nSitemap: {site.url('/index.xml')}\n{lines}"
    )
    rows = "".join(f"<sitemap><loc>{html.escape(u)}</loc></sitemap>" for u in spellings(port, "/inner.xml"))
    site.on("/map.xml", Answer(urlset(site.url("/in-map"), *spellings(port, "/from-map")), headers=XML))
    site.on("/index.xml", Answer(f"<sitemapindex>{rows}</sitemapindex>".encode(), headers=XML))
    front(site)
    leaf(site, "/in-map")
    return [read("/", "/in-map"), untouched]


@case("internal")
def refreshes_bases_frames_and_canonicals(site: Site) -> list[Check]:
    port, untouched = canaries(site)
    inside = f"http://127.0.0.1:{port}"
    front(site, "/meta", "/header", "/base", "/frames", "/canonical", "/link-header")
    site.on("/meta", Answer(page("meta", head=f'<meta http-equiv="refresh" content="0; url={inside}/meta">')))
    site.on("/header", Answer(page("header"), headers=(HTML, ("Refresh", f"0;url={inside}/header"))))
    site.on("/base", Answer(page("base", "relative", "../up", head=f'<base href="{inside}/base/">')))
    frames = f"<iframe src='{inside}/f'></iframe><img src='{inside}/i'><script src='{inside}/s'></script><embed src='{inside}/e'>"
    site.on("/frames", Answer(page("frames", body=frames)))
    head = f'<link rel=canonical href="{inside}/c"><link rel=next href="{inside}/n"><link rel=stylesheet href="{inside}/s.css">'
    site.on("/canonical", Answer(page("canonical", head=head)))
    extra = (("Link", f"<{inside}/preload>; rel=preload"), ("Alt-Svc", f'h2="127.0.0.1:{port}"; ma=999'))
    site.on("/link-header", Answer(page("link header", "/after"), headers=(HTML, *extra)))
    leaf(site, "/after")
    return [read("/meta", "/header", "/base", "/frames", "/canonical", "/link-header", "/after"), untouched]


@case("internal")
def feeds(site: Site) -> list[Check]:
    port, untouched = canaries(site)
    head = f'<link rel=alternate type="application/rss+xml" href="/feed"><link rel=alternate type="application/rss+xml" href="http://localhost:{port}/feed">'
    front(site, head=head)
    site.on(
        "/feed",
        Answer(
            rss(site.url("/in-feed"), *spellings(port, "/from-feed")),
            headers=(("Content-Type", "application/rss+xml"),),
        ),
    )
    leaf(site, "/in-feed")
    return [read("/in-feed"), untouched]


@case("internal")
def entities_in_sitemaps(site: Site) -> list[Check]:
    port, untouched = canaries(site)
    site.robots(f"User-agent: *\nDisallow:\nSitemap: {site.url('/map.xml')}\n")
    body = (
        f'<?xml version="1.0"?><!DOCTYPE urlset SYSTEM "http://127.0.0.1:{port}/dtd" [<!ENTITY file SYSTEM "file:///etc/passwd">'
        f'<!ENTITY net SYSTEM "http://127.0.0.1:{port}/entity">]><urlset><url><loc>{site.url("/in-map")}</loc></url>'
        f"<url><loc>{site.url('/leak?')}&file;&net;</loc></url></urlset>"
    )
    site.on("/map.xml", Answer(body.encode(), headers=XML))
    front(site)
    leaf(site, "/in-map")

    def no_file(evidence: Evidence, name: str) -> None:
        assert not [a.target for a in evidence.to(name) if "root:" in a.target]

    return [read("/"), untouched, no_file]


@case("internal")
def other_schemes(site: Site) -> list[Check]:
    port, untouched = canaries(site)
    links = [
        "file:///etc/passwd", "file://localhost/etc/passwd", "FILE:/etc/passwd", f"ftp://127.0.0.1:{port}/x", f"gopher://127.0.0.1:{port}/_x",
        f"dict://127.0.0.1:{port}/d", f"ldap://127.0.0.1:{port}/", f"ws://127.0.0.1:{port}/", f"tftp://127.0.0.1:{port}/x", "javascript:alert(1)",
        f"telnet://127.0.0.1:{port}", f"smb://127.0.0.1:{port}/x", "data:text/html,<a href=/data>", f"view-source:http://127.0.0.1:{port}/",
        f"jar:http://127.0.0.1:{port}/x!/", f"feed://127.0.0.1:{port}/", f"imap://127.0.0.1:{port}/", f"rtsp://127.0.0.1:{port}/", "mailto:a@b.de",
    ]  # fmt: skip
    paths = [f"/r{n}" for n in range(len(links))]
    front(site, *links, *paths, "/fine")
    for path, target in zip(paths, links, strict=True):
        site.on(path, moved(target))
    leaf(site, "/fine", "/data")
    return [read("/fine"), untouched, exported_nowhere("root:x:0:0"), exported_nowhere("root:*:0:0")]


@case("internal")
def private_ranges_are_refused_without_a_try(site: Site) -> list[Check]:
    hosts = (
        "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "[fd00::1]", "[fe80::1]", "224.0.0.1",
        "255.255.255.255", "192.0.2.1", "198.18.0.1", "[ff02::1]", "192.0.0.1", "240.0.0.1", "0x0a000001",
    )  # fmt: skip
    front(site, *(f"http://{h}:9/latest/meta-data" for h in hosts), "/fine")
    leaf(site, "/fine")

    def refused(evidence: Evidence, _: str) -> None:
        rows = [r for r in evidence.rows if "latest/meta-data" in str(r["url"])]
        assert not [r["url"] for r in rows if r["status"]], "a private address answered"
        slow = [r["url"] for r in rows if "timeout" in str(r["error"])]
        assert not slow, f"connections were tried: {slow}"

    return [read("/fine"), refused]
