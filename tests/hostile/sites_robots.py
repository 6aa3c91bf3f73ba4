"""robots.txt by RFC 9309: matching, groups, errors of every kind, redirects, size, damage, tags, delays."""

from .cases import case, front, leaf, moved, raw
from .content import gzipped, page, prose, urlset
from .judge import Check, asked_at_most, let_go, never, read, spaced
from .server import HTML, Answer, Raw, Request, Site, Wire

TEXT = (("Content-Type", "text/plain"),)
BLOCK = b"User-agent: *\nDisallow: /no\n"


def _rules(
    site: Site, text: str | bytes, *, may: tuple[str, ...] = (), must_not: tuple[str, ...] = ()
) -> list[Check]:
    """A site whose front links to pages that may and pages that must not be fetched."""
    front(site, *must_not, *may)
    leaf(site, *may, *must_not)
    site.robots(text)
    return [read("/", *may), never(*must_not, exactly=True)]


@case("robots")
def our_own_group_alone_counts(site: Site) -> list[Check]:
    text = "User-agent: *\nDisallow: /a\n\nUser-agent: clew\nDisallow: /b\n"
    return _rules(site, text, may=("/a",), must_not=("/b",))


@case("robots")
def our_name_in_any_case_and_groups_joined(site: Site) -> list[Check]:
    text = (
        "User-agent: other\nUser-agent: CLEW\nDisallow: /a\n\nUser-agent: *\nDisallow: /c\n\n"
        "user-AGENT: Clew\nDisallow: /b\n"
    )
    return _rules(site, text, may=("/c",), must_not=("/a", "/b"))


@case("robots")
def other_names_are_not_ours(site: Site) -> list[Check]:
    text = "User-agent: clewless\nDisallow: /\n\nUser-agent: unclew\nDisallow: /\n\nUser-agent: *\nDisallow: /b\n"
    return _rules(site, text, may=("/a",), must_not=("/b",))


@case("robots")
def the_longest_rule_wins_and_allow_wins_a_tie(site: Site) -> list[Check]:
    text = "User-agent: *\nAllow: /a/b/c\nDisallow: /a/b\nAllow: /a\nDisallow: /t\nAllow: /t\nDisallow: /u/v\nAllow: /u\n"
    return _rules(site, text, may=("/a/x", "/a/b/c", "/t", "/u/w"), must_not=("/a/b/d", "/u/v"))


@case("robots")
def wildcards_and_ends(site: Site) -> list[Check]:
    text = "User-agent: *\nDisallow: /*.gif$\nDisallow: /*/secret/\nDisallow: /exact$\nDisallow: /*?print=\n"
    return _rules(
        site, text, may=("/a.gif/x", "/secret/x", "/exact/x", "/a?x=1"),
        must_not=("/d/a.gif", "/x/secret/y", "/exact", "/a?print=1"),
    )  # fmt: skip


@case("robots")
def prefixes_and_case(site: Site) -> list[Check]:
    text = "User-agent: *\nDisallow: /fish\n"
    return _rules(
        site, text, may=("/Fish", "/a/fish"), must_not=("/fish", "/fish.html", "/fishheads/yum", "/fish?id=1")
    )


@case("robots")
def escapes_match_what_they_mean(site: Site) -> list[Check]:
    text = "User-agent: *\nDisallow: /%7Ejoe\nDisallow: /caf\u00e9\nDisallow: /b%C3%BCro\nDisallow: /a%2Fb\n"
    return _rules(site, text, may=("/a/b",), must_not=("/~joe/x", "/caf%C3%A9", "/b\u00fcro", "/a%2fb"))


@case("robots")
def comments_blanks_and_unknown_lines(site: Site) -> list[Check]:
    text = (
        "# hello\nUser-agent: nobody\nDisallow: /\n\n  User-agent :  *   # everyone\n\nSitemap: /nowhere.xml\n"
        "Nonsense here\nHost: x\n\n   Disallow:   /a   # no\nDisallow /b\nAllow:/a/ok\n"
    )
    return _rules(site, text, may=("/a/ok",), must_not=("/a/x",))


@case("robots")
def everything_forbidden(site: Site) -> list[Check]:
    front(site, "/a")
    site.robots("User-agent: *\nDisallow: /\n")
    return [never("/"), asked_at_most(0)]


@case("robots")
def byte_order_mark_and_carriage_returns(site: Site) -> list[Check]:
    return _rules(
        site, b"\xef\xbb\xbfUser-agent: *\rDisallow: /a\rDisallow: /b\r\n", may=("/c",), must_not=("/a", "/b")
    )


@case("robots")
def broken_bytes_do_not_break_the_rules(site: Site) -> list[Check]:
    text = b"\x80\xff\x00garbage\nUser-agent: *\nDisallow: /a\nDis\x00allow: /b\nDisallow: /\xe9t\xe9\nDisallow: /d\n"
    return _rules(site, text, may=("/c",), must_not=("/a", "/d"))


@case("robots")
def compressed_rules(site: Site) -> list[Check]:
    checks = _rules(site, "", may=("/yes",), must_not=("/no",))
    site.on("/robots.txt", Answer(gzipped(BLOCK), headers=(*TEXT, ("Content-Encoding", "gzip"))))
    return checks


@case("robots")
def rules_within_500_kib_count(site: Site) -> list[Check]:
    filler = "".join(f"# {prose(n, 12)}\n" for n in range(5_500))[: 490 * 1024].rpartition("\n")[0]
    return _rules(
        site, f"User-agent: *\n{filler}\nDisallow: /no\n{filler * 3}\n", may=("/yes",), must_not=("/no",)
    )


@case("robots")
def a_page_in_place_of_rules_allows(site: Site) -> list[Check]:
    checks = _rules(site, "", may=("/a",))
    site.on("/robots.txt", Answer(page("welcome to robots", "/b")))
    return [*checks, never("/b")]


@case("robots")
def client_errors_allow(site: Site) -> list[Check]:
    checks: list[Check] = []
    front(site)
    sisters = []
    for status in (400, 401, 403, 404, 410, 429, 451):
        sister = site.sister(str(status))
        sister.on("/robots.txt", Answer(b"User-agent: *\nDisallow: /", status=status))
        leaf(sister, "/page")
        sisters.append(sister.url("/page"))
        if status != 429:  # "slow down" may also be heard as "not now"
            checks.append(read("/page", at=str(status)))
    front(site, *sisters)
    return checks


@case("robots")
def server_errors_forbid(site: Site) -> list[Check]:
    sisters = []
    for status in (500, 502, 503, 504, 599):
        sister = site.sister(str(status))
        sister.on("/robots.txt", Answer(b"", status=status))
        leaf(sister, "/page")
        sisters.append(sister)
    front(site, *(s.url("/page") for s in sisters))
    names = [s.name.rpartition("/")[2] for s in sisters]
    return [read("/"), *(never("/page", at=n) for n in names)]


@case("robots")
def unreachable_forbids(site: Site) -> list[Check]:
    def hang_up(_: Request) -> Raw:
        return Raw(b"", then="reset")

    async def silence(_: Request, wire: Wire) -> None:
        await wire.pause(60)

    replies = {
        "reset": hang_up,
        "silent": silence,
        "empty": Raw(b""),
        "no-http": Raw(b"SSH-2.0-OpenSSH_9.0\r\n"),
        "cut": Raw(
            b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nUser-agent: *\nDisallow: /p\n", then="reset"
        ),
    }
    sisters = []
    for name, reply in replies.items():
        sister = site.sister(name)
        sister.on("/robots.txt", reply)
        leaf(sister, "/page")
        sisters.append(sister.url("/page"))
    front(site, *sisters)
    return [read("/"), *(never("/page", at=name) for name in replies)]


@case("robots")
def an_error_that_heals(site: Site) -> list[Check]:
    front(site, "/a", "/no")
    leaf(site, "/a", "/no")
    site.on("/robots.txt", lambda r: Answer(BLOCK, headers=TEXT) if r.visit > 1 else Answer(b"", status=503))

    def in_order(evidence, name) -> None:
        good = [a.ended for a in evidence.to(name, "/robots.txt", robots=True) if a.status == 200]
        pages = evidence.to(name)
        assert not pages or (good and pages[0].started >= good[0]), (
            "a page was asked for while robots.txt failed"
        )

    return [in_order, read("/a"), never("/no")]


@case("robots")
def five_redirects_are_followed(site: Site) -> list[Check]:
    checks = _rules(site, "", may=("/yes",), must_not=("/no",))
    for n in range(5):
        site.on("/robots.txt" if n == 0 else f"/r{n}", moved(f"/r{n + 1}", 301))
    site.on("/r5", Answer(BLOCK, headers=TEXT))
    return checks


@case("robots")
def redirected_to_another_host(site: Site) -> list[Check]:
    checks = _rules(site, "", may=("/yes", "/there"), must_not=("/no",))
    other = site.sister("other")
    other.robots("User-agent: *\nDisallow: /there\n")
    other.on("/rules.txt", Answer(BLOCK, headers=TEXT))
    leaf(other, "/there", "/no")
    site.on("/robots.txt", moved(other.url("/rules.txt")))
    return checks


@case("robots")
def endless_redirects_end(site: Site) -> list[Check]:
    front(site, "/a")
    leaf(site, "/a")
    site.on("/robots.txt", moved("/r/1"))
    site.otherwise = lambda r: (
        moved(f"/r/{int(r.path[3:] or 0) + 1}") if r.path.startswith("/r/") else Answer(status=404)
    )
    return [asked_at_most(40, "/r/")]


@case("robots")
def every_port_has_its_own_rules(site: Site) -> list[Check]:
    other = site.sister("port", same_address=True)
    front(site, "/a", other.url("/a"), other.url("/b"), "/b")
    for one in (site, other):
        leaf(one, "/a", "/b")
    site.robots("User-agent: *\nDisallow: /a\n")
    other.robots("User-agent: *\nDisallow: /b\n")
    return [read("/b"), never("/a"), read("/a", at="port"), never("/b", at="port")]


@case("robots")
def redirect_targets_are_checked(site: Site) -> list[Check]:
    other = site.sister("other")
    other.robots("User-agent: *\nDisallow: /deep\n")
    leaf(other, "/deep/x", "/fine")
    front(site, "/go", "/go2", "/go3", "/meta")
    site.on("/go", moved("/private/x"))
    site.on("/go2", moved(other.url("/deep/x"), 301))
    site.on("/go3", moved(other.url("/fine"), 307))
    site.on("/meta", Answer(page("meta", head="<meta http-equiv=refresh content='0;url=/private/y'>")))
    leaf(site, "/private/x", "/private/y")
    site.robots("User-agent: *\nDisallow: /private\n")
    return [never("/private"), never("/deep", at="other"), read("/fine", at="other")]


@case("robots")
def sitemap_lines_are_checked(site: Site) -> list[Check]:
    front(site)
    leaf(site, "/no/x", "/yes")
    site.robots(
        f"User-agent: *\nDisallow: /no\nSitemap: {site.url('/map.xml')}\nSitemap: {site.url('/no/map.xml')}\n"
    )
    site.on("/map.xml", Answer(urlset(site.url("/no/x"), site.url("/yes"))))
    return [never("/no"), read("/yes")]


@case("robots")
def meta_robots(site: Site) -> list[Check]:
    tags = {
        "/nofollow": "<meta name=robots content=nofollow>",
        "/none": "<META NAME='ROBOTS' CONTENT='NONE'>",
        "/both": "<meta name=robots content='noindex, NoFollow'>",
        "/ours": "<meta name=clew content=nofollow>",
    }
    front(site, *tags, "/free", "/theirs")
    for path, tag in tags.items():
        site.on(path, Answer(page(f"tagged {path}", f"/behind{path}", head=tag)))
        leaf(site, f"/behind{path}")
    site.on("/free", Answer(page("free", "/behind-free", head="<meta name=robots content='index, follow'>")))
    site.on(
        "/theirs", Answer(page("theirs", "/behind-theirs", head="<meta name=googlebot content=nofollow>"))
    )
    leaf(site, "/behind-free", "/behind-theirs")
    return [never("/behind/"), read("/behind-free", "/behind-theirs")]


@case("robots")
def robots_in_a_header(site: Site) -> list[Check]:
    values = {
        "/nofollow": ("nofollow",),
        "/none": ("NONE",),
        "/ours": ("clew: nofollow",),
        "/list": ("noarchive, nofollow",),
        "/two": ("noarchive", "nofollow"),
        "/mixed": ("otherbot: noindex", "nofollow"),
    }
    front(site, *values, "/theirs")
    for path, lines in values.items():
        headers = (HTML, *(("X-Robots-Tag", line) for line in lines))
        site.on(path, Answer(page(f"tagged {path}", f"/behind{path}"), headers=headers))
        leaf(site, f"/behind{path}")
    site.on(
        "/theirs",
        Answer(page("theirs", "/behind-theirs"), headers=(HTML, ("X-Robots-Tag", "otherbot: nofollow"))),
    )
    leaf(site, "/behind-theirs")
    return [read(*values), never("/behind/"), read("/behind-theirs")]


@case("robots")
def crawl_delay_is_kept(site: Site) -> list[Check]:
    checks = _rules(
        site, "User-agent: *\nCrawl-delay: 1.5\nDisallow: /no\n", may=("/a", "/b", "/c"), must_not=("/no",)
    )
    return [*checks, spaced(1.5)]


@case("robots")
def absurd_crawl_delays_do_not_hold_the_run(site: Site) -> list[Check]:
    sisters = []
    for name, value in {
        "huge": "99999999",
        "words": "soon",
        "negative": "-5",
        "endless": "9" * 400,
        "nan": "nan",
    }.items():
        sister = site.sister(name)
        sister.robots(f"User-agent: *\nCrawl-delay: {value}\nDisallow: /no\n")
        leaf(sister, "/a", "/b", "/no")
        sisters.append((name, sister))
    # One page of the slowest is enough to see its delay, and all a test has the time for.
    front(site, *(s.url(p) for n, s in sisters for p in (("/a",) if n == "huge" else ("/a", "/b", "/no"))))
    return [
        *(never("/no", at=n) for n, _ in sisters),
        read("/a", "/b", at="words"),
        read("/a", "/b", at="negative"),
    ]


@case("robots")
def slow_rules_are_waited_for(site: Site) -> list[Check]:
    checks = _rules(site, "", may=("/yes",), must_not=("/no",))

    async def slowly(_: Request, wire: Wire) -> None:
        await wire.pause(2.5)
        await wire.send(Answer(BLOCK, headers=TEXT).encode())

    site.on("/robots.txt", slowly)
    return checks


@case("robots")
def an_endless_file(site: Site) -> list[Check]:
    front(site, "/no", "/yes")
    leaf(site, "/no", "/yes")

    async def endless(_: Request, wire: Wire) -> None:
        await wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + BLOCK)
        while True:
            await wire.send(b"# nothing to see here\n" * 3_000)
            await wire.pause(0.002)

    site.on("/robots.txt", endless)
    return [never("/no"), let_go()]


@case("robots")
def rules_that_strain_the_matcher(site: Site) -> list[Check]:
    stars = "*".join("a" * 40)
    text = "User-agent: *\n" + "".join(f"Disallow: /{stars}{n}$\n" for n in range(300)) + "Disallow: /no\n"
    return _rules(site, text, may=("/" + "a" * 900 + "b",), must_not=("/no",))


@case("robots")
def forbidden_hosts_are_left_after_their_rules(site: Site) -> list[Check]:
    closed = site.sister("closed")
    closed.robots("User-agent: *\nDisallow: /\n")
    front(site, *(closed.url(f"/p{n}") for n in range(30)))
    return [read("/"), asked_at_most(0, at="closed")]


@case("robots")
def unavailable_in_the_middle(site: Site) -> list[Check]:
    front(site, "/a")
    site.on("/a", Answer(page("a", "/robots.txt", "/b")))
    leaf(site, "/b")
    site.on("/robots.txt", raw("HTTP/1.1 404 Not Found\nContent-Length: 0", then="keep"))

    def once(evidence, name) -> None:
        found = evidence.to(name, "/robots.txt", robots=True)
        assert len(found) <= 2, f"robots.txt was asked for {len(found)} times"

    return [read("/a", "/b"), once]
