"""Busy and broken servers: waits in every form, failures that heal and failures that never do."""

import time
from email.utils import formatdate

from .cases import case, front, leaf, moved
from .content import page
from .judge import MAX_TRIES, Check, asked_at_most, has_status, read, spaced
from .server import Answer, Raw, Site, free_port

WAIT = 2


def _busy_once(status: int, wait: str) -> Answer:
    return Answer(b"busy", status=status, headers=(("Retry-After", wait),))


def _heals(site: Site, path: str, bad: Answer | Raw, failures: int = 1) -> None:
    good = Answer(page(f"healed {path} of {site.name}"))
    site.on(path, lambda r: bad if r.visit <= failures else good)


@case("busy")
def wait_in_seconds(site: Site) -> list[Check]:
    front(site, "/a", "/b")
    _heals(site, "/a", _busy_once(429, str(WAIT)))
    leaf(site, "/b")
    return [read("/a", "/b"), spaced(WAIT, after="/a")]


@case("busy")
def wait_as_a_date(site: Site) -> list[Check]:
    front(site, "/a", "/b")
    healed = Answer(page("healed by date"))
    # Dates have whole seconds: three ahead mean between two and three.
    site.on(
        "/a",
        lambda r: (
            _busy_once(503, formatdate(time.time() + WAIT + 1, usegmt=True)) if r.visit == 1 else healed
        ),
    )
    leaf(site, "/b")
    return [read("/a", "/b"), spaced(WAIT, after="/a")]


@case("busy")
def absurd_waits(site: Site) -> list[Check]:
    values = {
        "huge": "99999999999",
        "negative": "-5",
        "words": "after lunch",
        "past": "Thu, 01 Jan 1970 00:00:00 GMT",
        "far": "Fri, 31 Dec 9999 23:59:59 GMT",
        "digits": "9" * 5000,
        "broken-date": "Wed, 99 Foo 2026 99:99:99 XYZ",
        "nan": "NaN",
    }
    sisters = []
    for name, value in values.items():
        sister = site.sister(name)
        leaf(sister, "/b")
        _heals(sister, "/a", _busy_once(503, value))
        sisters.append(sister)
    front(site, *(s.url(p) for s in sisters for p in ("/a", "/b")))
    healing = ("negative", "words", "past", "broken-date", "nan")
    late = (read("/b", at=n) for n in values if n not in healing)  # whatever one page asks for
    return [
        *(read("/a", "/b", at=n) for n in healing),
        *late,
        *(asked_at_most(MAX_TRIES, at=n) for n in values),
    ]


@case("busy")
def errors_that_heal(site: Site) -> list[Check]:
    statuses = (500, 502, 503, 504, 429, 408)
    sisters = []
    for status in statuses:
        sister = site.sister(str(status))
        _heals(sister, "/a", Answer(b"failing", status=status), failures=2)
        sisters.append(sister.url("/a"))
    front(site, *sisters)
    return [read("/a", at=str(s)) for s in statuses]


@case("busy")
def connections_that_heal(site: Site) -> list[Check]:
    bad = {
        "reset": Raw(b"", then="reset"),
        "empty": Raw(b""),
        "short": Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n<title>short</title>"),
        "half-head": Raw(b"HTTP/1.1 200 OK\r\nContent-Ty"),
    }
    sisters = []
    for name, reply in bad.items():
        sister = site.sister(name)
        _heals(sister, "/a", reply)
        sisters.append(sister.url("/a"))
    front(site, *sisters)
    return [read("/a", at=n) for n in ("reset", "empty", "half-head")]


@case("busy")
def errors_that_never_heal(site: Site) -> list[Check]:
    statuses = (500, 502, 503, 504, 429)
    sisters = []
    for status in statuses:
        sister = site.sister(str(status))
        sister.on("/a", Answer(b"never", status=status))
        leaf(sister, "/fine")
        sisters.append(sister)
    front(site, *(s.url(p) for s in sisters for p in ("/a", "/fine")))
    checks: list[Check] = []
    for status in statuses:
        checks += [read("/fine", at=str(status)), has_status("/a", status, at=str(status))]
        checks += [asked_at_most(MAX_TRIES, "/a", at=str(status))]
    return checks


@case("busy")
def final_errors_are_not_repeated(site: Site) -> list[Check]:
    statuses = (400, 401, 402, 403, 404, 405, 406, 407, 410, 414, 418, 451, 501, 505)
    paths = tuple(f"/{s}" for s in statuses)
    front(site, *paths, "/fine")
    leaf(site, "/fine")
    for status in statuses:
        headers = (("WWW-Authenticate", "Basic realm=x"), ("Proxy-Authenticate", "Basic realm=x"))
        site.on(f"/{status}", Answer(b"no", status=status, headers=headers))
    final = [p for p in paths if p not in ("/501", "/505")]
    return [
        read("/fine"),
        asked_at_most(2, *final),
        asked_at_most(MAX_TRIES, "/501", "/505"),
        has_status("/404", 404),
    ]


@case("busy")
def a_host_that_is_down(site: Site) -> list[Check]:
    down = site.sister("down")
    front(site, *(down.url(f"/p{n}") for n in range(40)), "/fine")
    leaf(site, "/fine")

    async def hang_up(wire) -> None:
        wire.reset()

    down.wild = hang_up

    def few(evidence, name) -> None:
        found = [h for h in evidence.held if h.site == f"{name}/down"]
        assert len(found) <= MAX_TRIES, f"{len(found)} connections to a host that only hangs up"

    return [read("/fine"), few]


@case("busy")
def a_port_that_is_closed(site: Site) -> list[Check]:
    gone = f"http://{site.address}:{free_port([site.address])}"
    front(site, f"{gone}/a", f"{gone}/b", "/fine")
    leaf(site, "/fine")

    def told(evidence, name) -> None:
        row = evidence.by_url.get(f"{gone}/a") or evidence.by_url.get(f"{gone}/robots.txt")
        assert row is None or row["error"], f"a closed port left no error: {row}"

    return [read("/fine"), told]


@case("busy")
def a_busy_host_is_given_up(site: Site) -> list[Check]:
    busy = site.sister("busy")
    busy.otherwise = Answer(b"busy", status=503)
    front(site, *(busy.url(f"/p{n}") for n in range(60)), "/fine")
    leaf(site, "/fine")

    def bounded(evidence, name) -> None:
        for n in range(60):
            found = [a for a in evidence.to(f"{name}/busy") if a.target == f"/p{n}"]
            assert len(found) <= MAX_TRIES, f"/p{n} was asked for {len(found)} times"

    return [read("/fine"), bounded]


@case("busy")
def failing_then_moved(site: Site) -> list[Check]:
    front(site, "/a", "/gone")
    site.on("/a", lambda r: Answer(b"", status=500) if r.visit == 1 else moved("/b"))
    leaf(site, "/b")
    site.on("/gone", Answer(page("gone", "/behind-gone"), status=410))
    return [read("/b"), asked_at_most(2, "/gone"), has_status("/gone", 410)]
