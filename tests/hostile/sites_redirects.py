"""Redirects: honest ones are followed, endless ones end, nonsense is noted, secrets stay where they were given."""

from .cases import case, front, leaf, moved
from .content import page
from .judge import Check, asked_at_most, exported_nowhere, has_status, header_never, never, read
from .server import HTML, Answer, Raw, Request, Site

ENDLESS = 30
"""Ten hops are the aim; a chain may be met twice, and a page tried again."""


@case("redirects")
def every_status_and_spelling(site: Site) -> list[Check]:
    targets = {
        "/301": "/t301", "/302": "t302", "/303": "./t303", "/307": "//" + site.authority + "/t307",
        "/308": site.url("/x/../t308#part"), "/300": "/t300",
    }  # fmt: skip
    front(site, *targets, "/space", "/utf8", "/lower")
    for path, target in targets.items():
        site.on(path, moved(target, int(path[1:]), body=b"<a href=/from-the-body>moved</a>"))
    site.on("/space", moved("/t space"))
    site.on("/utf8", moved("/tä"))
    site.on(
        "/lower", Raw(b"HTTP/1.1 302 Found\r\nlocation:/tlower\r\nContent-Length: 0\r\n\r\n", then="keep")
    )
    wanted = ("/t301", "/t302", "/t303", "/t307", "/t308", "/t%20space", "/t%C3%A4", "/tlower")
    leaf(site, *wanted, "/t300")
    return [read(*wanted)]


@case("redirects")
def a_chain_of_nine(site: Site) -> list[Check]:
    front(site, "/r1")
    for n in range(1, 9):
        site.on(f"/r{n}", moved(f"/r{n + 1}", 301))
    leaf(site, "/r9")
    return [read("/r9")]


@case("redirects")
def across_hosts(site: Site) -> list[Check]:
    other = site.sister("other")
    front(site, "/away")
    site.on("/away", moved(other.url("/back")))
    other.on("/back", moved(site.url("/home")))
    leaf(site, "/home")
    return [read("/home"), has_status("/away", 302)]


@case("redirects")
def cookie_then_back_to_itself(site: Site) -> list[Check]:
    front(site, "/wall", "/a")
    welcome = Answer(page("behind the cookie wall", "/inside"))
    wall = moved("/wall", 302, ("Set-Cookie", "seen=1; Path=/"))
    site.on("/wall", lambda r: welcome if "seen=1" in r.headers.get("cookie", "") else wall)
    leaf(site, "/inside", "/a")
    return [read("/wall", saying="behind the cookie wall"), read("/inside", "/a"), asked_at_most(4, "/wall")]


@case("redirects")
def cookie_by_way_of_another_page(site: Site) -> list[Check]:
    front(site, "/wall")
    welcome = Answer(page("behind the second wall", "/inside"))
    site.on(
        "/wall", lambda r: welcome if "ok=yes" in r.headers.get("cookie", "") else moved("/check?to=wall")
    )
    site.on("/check", moved("/wall", 302, ("Set-Cookie", "ok=yes; HttpOnly; SameSite=Lax")))
    leaf(site, "/inside")
    return [read("/wall", "/inside")]


@case("redirects")
def loops(site: Site) -> list[Check]:
    front(site, "/self", "/a", "/x/1")
    site.on("/self", moved("/self"))
    site.on("/a", moved("/b"))
    site.on("/b", moved("/a"))
    for n in (1, 2, 3):
        site.on(f"/x/{n}", moved(f"/x/{n % 3 + 1}", 301))
    return [asked_at_most(ENDLESS, "/self", "/a", "/b", "/x/")]


@case("redirects")
def a_loop_that_sets_cookies(site: Site) -> list[Check]:
    front(site, "/wall", "/fine")
    leaf(site, "/fine")
    site.on("/wall", lambda r: moved("/wall", 302, ("Set-Cookie", f"n={r.visit}")))
    return [read("/fine"), asked_at_most(ENDLESS, "/wall")]


@case("redirects")
def an_endless_chain(site: Site) -> list[Check]:
    front(site, "/r/1", "/fine")
    leaf(site, "/fine")

    def onward(request: Request) -> Answer:
        return (
            moved(f"/r/{int(request.path[3:]) + 1}") if request.path.startswith("/r/") else Answer(status=404)
        )

    site.otherwise = onward
    return [read("/fine"), asked_at_most(ENDLESS, "/r/")]


@case("redirects")
def an_endless_chain_that_grows(site: Site) -> list[Check]:
    front(site, "/g", "/fine")
    leaf(site, "/fine")
    site.otherwise = lambda r: moved(r.target + "/g") if r.path.startswith("/g") else Answer(status=404)
    return [read("/fine"), asked_at_most(ENDLESS, "/g")]


@case("redirects")
def an_endless_chain_between_hosts(site: Site) -> list[Check]:
    other = site.sister("other")
    front(site, "/p?n=0")
    site.on("/p", lambda r: moved(other.url(f"/p?n={int(r.query[2:]) + 1}")))
    other.on("/p", lambda r: moved(site.url(f"/p?n={int(r.query[2:]) + 1}")))
    return [asked_at_most(ENDLESS, "/p"), asked_at_most(ENDLESS, "/p", at="other")]


@case("redirects")
def refreshes_without_end(site: Site) -> list[Check]:
    front(site, "/m/1", "/ping")

    def again(target: str) -> Answer:
        return Answer(f'<meta http-equiv="refresh" content="0;url={target}"><p>wait'.encode())

    site.on("/ping", again("/pong"))
    site.on("/pong", again("/ping"))
    site.otherwise = lambda r: (
        again(f"/m/{int(r.path[3:]) + 1}") if r.path.startswith("/m/") else Answer(status=404)
    )
    return [asked_at_most(2, "/ping", "/pong"), asked_at_most(60, "/m/")]


@case("redirects")
def nonsense_targets(site: Site) -> list[Check]:
    targets = (
        "", " ", "http://", "http:///x", "http://[::bad/", "javascript:alert(1)", "mailto:a@b.de", "//", "http://:99999/",
        f"http://{site.authority}:80:80/x", "http://%00/", "http://a b/", "\\\\\\", "data:text/html,<a href=/x>", "about:blank",
        "http://999.999.999.999/", "http://1.2.3.4.5/", "tel:+1", "/" + "x" * 70_000, "http://" + "a" * 300 + "/", "?", "#",
    )  # fmt: skip
    paths = tuple(f"/n{number}" for number in range(len(targets)))
    front(site, *paths, "/none", "/two", "/fine")
    for path, target in zip(paths, targets, strict=True):
        site.on(path, moved(target))
    site.on("/none", Answer(b"", status=301))
    site.on("/two", moved("/first", 302, ("Location", "/second")))
    site.on("/n20", moved("/n20?"))
    leaf(site, "/fine", "/first", "/second")
    return [
        read("/fine"),
        asked_at_most(12, *(p for p in paths if p not in ("/n1", "/n2"))),
        asked_at_most(2, "/none"),
    ]


@case("redirects")
def odd_statuses_with_a_location(site: Site) -> list[Check]:
    front(site, "/200", "/201", "/304", "/305", "/404", "/399")
    for status in (200, 201, 305, 404, 399):
        site.on(
            f"/{status}",
            Answer(
                page(f"with status {status}"),
                status=status,
                headers=(HTML, ("Location", f"/target/{status}")),
            ),
        )
    site.on("/304", Raw(b"HTTP/1.1 304 Not Modified\r\nLocation: /target/304\r\n\r\n", then="keep"))
    return [
        read("/200"),
        has_status("/404", 404),
        asked_at_most(2, "/304", "/305", "/399"),
        never("/target/200", "/target/404"),
    ]


@case("redirects")
def secrets_stay_at_home(site: Site) -> list[Check]:
    other = site.sister("other")
    port = site.sister("port", same_address=True)
    setter = ("Set-Cookie", f"token=hunter2; Domain={other.address}; Path=/")
    own = ("Set-Cookie", "mine=swordfish; Path=/")
    front(site, "/go", "/login", f"http://root:letmein@{site.authority}/auth", "/after")
    site.on("/login", Answer(page("login"), headers=(HTML, own, setter)))
    site.on("/go", moved(other.url("/in"), 302, own, setter))
    site.on("/auth", moved(f"http://root:letmein@{other.authority}/auth", 307))
    leaf(site, "/after")
    other.on("/in", moved(port.url("/in")))
    leaf(other, "/auth")
    leaf(port, "/in")
    return [
        read("/after"), read("/auth", at="other"), read("/in", at="port"), header_never("cookie", at="other"),
        header_never("authorization"), header_never("authorization", at="other"),
        header_never("cookie", at="port", containing="hunter2"),
        header_never("referer", at="other", containing="letmein"),
        exported_nowhere("letmein"),
    ]  # fmt: skip


@case("redirects")
def cookies_keep_to_their_path_and_time(site: Site) -> list[Check]:
    front(site, "/set", "/shop/a", "/free/a", "/wipe", "/last")
    cookies = (
        "deep=1; Path=/shop",
        "dead=1; Max-Age=0",
        "old=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        "safe=1; Secure",
    )
    site.on("/set", Answer(page("set"), headers=(HTML, *(("Set-Cookie", c) for c in cookies))))
    leaf(site, "/shop/a", "/free/a", "/wipe", "/last")

    def check(evidence, name) -> None:
        for asked in evidence.to(name):
            sent = asked.headers.get("cookie", "")
            assert "dead" not in sent, f"{asked.target} carried {sent}"
            assert "old" not in sent, f"{asked.target} carried {sent}"
            assert "safe" not in sent, f"{asked.target} carried {sent}"
            assert "deep" not in sent or asked.target.startswith("/shop"), f"{asked.target} carried {sent}"

    return [read("/shop/a", "/free/a"), check]


@case("redirects")
def downgrade_to_an_unproven_host(site: Site) -> list[Check]:
    secure = site.sister("tls", scheme="https")
    front(site, "/up", secure.url("/direct"), "/fine")
    site.on("/up", moved(secure.url("/in"), 301))
    leaf(secure, "/in", "/direct")
    leaf(site, "/fine")
    return [read("/fine"), never("/", at="tls")]
