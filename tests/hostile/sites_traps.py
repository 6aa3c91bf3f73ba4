"""Traps: spaces without end, each place of them bounded by 150 requests."""

import hashlib
import random
from collections.abc import Callable
from itertools import count
from urllib.parse import parse_qsl, urlencode

from .cases import case, front, leaf, moved
from .content import WORDS, page, prose, urlset
from .judge import Check, asked_at_most, read
from .server import Answer, Request, Site

BOUND = 150
XML = (("Content-Type", "application/xml"),)


def _dice(request: Request) -> random.Random:
    return random.Random(request.target)


def _generated(
    site: Site, begin: str, links: Callable[[Request], list[str]], *, words: int = 120, places: int = 1
) -> list[Check]:
    """A site where every address gives a page, with prose of its own and links made up for it.

    Its URLs are of so many kinds, each a place to the guard.
    """
    front(site, begin, "/fine")
    leaf(site, "/fine")
    site.otherwise = lambda r: Answer(page(f"{r.target[-60:]} of {site.name}", *links(r), words=words))
    return [read("/fine"), asked_at_most(places * BOUND)]


@case("traps")
def calendar_in_paths(site: Site) -> list[Check]:
    def links(request: Request) -> list[str]:
        parts = request.path.split("/")
        year, month = int(parts[2]), int(parts[3])
        months = year * 12 + month - 1
        near = [f"/cal/{m // 12}/{m % 12 + 1}" for m in (months - 1, months + 1, months - 12, months + 12)]
        return near + [f"/cal/{year}/{month}/{day}" for day in range(1, 29)]

    return _generated(site, "/cal/2026/1", links, words=12, places=2)  # months and days


@case("traps")
def calendar_in_queries(site: Site) -> list[Check]:
    def links(request: Request) -> list[str]:
        asked = dict(parse_qsl(request.query))
        months = int(asked["y"]) * 12 + int(asked["m"]) - 1
        return [
            f"/events?view={v}&y={m // 12}&m={m % 12 + 1}"
            for v in ("month", "week", "list")
            for m in (months - 1, months + 1)
        ]

    return _generated(site, "/events?view=month&y=2026&m=1", links)


@case("traps")
def sessions_in_paths(site: Site) -> list[Check]:
    fresh = count(1)

    def links(_: Request) -> list[str]:
        session = hashlib.md5(str(next(fresh)).encode()).hexdigest()
        return [f"/s/{session}/{name}" for name in ("home", "about", "shop", "cart", "news")]

    front(site, "/s/0/home", "/fine")
    leaf(site, "/fine")
    site.otherwise = lambda r: Answer(page(f"{r.path.rpartition('/')[2]} of {site.name}", *links(r)))
    return [read("/fine"), asked_at_most(BOUND)]


@case("traps")
def sessions_in_queries(site: Site) -> list[Check]:
    fresh = count(1)

    def links(_: Request) -> list[str]:
        visitor = hashlib.md5(str(next(fresh)).encode()).hexdigest()
        return [f"/{name}?visitor={visitor}" for name in ("home", "about", "shop", "cart", "news")]

    front(site, "/home?visitor=0", "/fine")
    leaf(site, "/fine")
    site.otherwise = lambda r: Answer(page(f"{r.path} of {site.name}", *links(r)))
    return [read("/fine"), asked_at_most(BOUND)]


@case("traps")
def depth_without_end(site: Site) -> list[Check]:
    return _generated(
        site, "/d/", lambda r: [f"{r.path}{_dice(r).choice(WORDS)}/", f"{r.path}{_dice(r).choice(WORDS)}-2/"]
    )


@case("traps")
def relative_links_that_repeat(site: Site) -> list[Check]:
    front(site, "/shop/", "/fine")
    leaf(site, "/fine")
    body = page(f"the shop of {site.name}", "shop/", "cart/", "help/")
    site.otherwise = lambda r: Answer(body) if r.path.endswith("/") else Answer(status=404)
    return [read("/fine"), asked_at_most(BOUND)]


@case("traps")
def generated_text(site: Site) -> list[Check]:
    def links(request: Request) -> list[str]:
        dice = _dice(request)
        return [f"/read/{dice.choice(WORDS)}-{dice.choice(WORDS)}-{dice.randint(1, 9999)}" for _ in range(20)]

    return _generated(site, "/read/start", links, words=300)


@case("traps")
def generated_at_the_root(site: Site) -> list[Check]:
    def links(request: Request) -> list[str]:
        return [f"/{hashlib.md5(f'{request.target}{n}'.encode()).hexdigest()[:12]}.html" for n in range(30)]

    return _generated(site, "/start.html", links, words=200)


@case("traps")
def link_farm(site: Site) -> list[Check]:
    def links(request: Request) -> list[str]:
        return [f"/link-farm/{hashlib.md5(f'{request.target}{n}'.encode()).hexdigest()}" for n in range(200)]

    return _generated(site, "/link-farm/0", links, words=15)


@case("traps")
def facets(site: Site) -> list[Check]:
    values = {
        "colour": "red blue green",
        "size": "s m l xl",
        "brand": "ax by cz",
        "sort": "price name",
        "page": "1 2 3",
        "view": "grid list",
    }

    def links(request: Request) -> list[str]:
        chosen = dict(parse_qsl(request.query))
        return [
            f"/find?{urlencode({**chosen, name: v})}" for name, all_ in values.items() for v in all_.split()
        ]

    front(site, "/find?colour=red", "/fine")
    leaf(site, "/fine")
    # The same few goods in another order, as filters show them.
    site.otherwise = lambda r: Answer(
        page(
            f"goods of {site.name}",
            *links(r),
            body=" ".join(sorted(WORDS[:40], key=lambda w: hashlib.md5(f"{w}{r.query}".encode()).digest())),
        )
    )
    return [read("/fine"), asked_at_most(BOUND)]


@case("traps")
def facets_in_paths(site: Site) -> list[Check]:
    tags = ("red", "blue", "large", "small", "new", "used", "cheap", "fine", "round", "square")
    front(site, "/goods/red", "/fine")
    leaf(site, "/fine")
    site.otherwise = lambda r: Answer(
        page(f"tagged goods of {site.name}", *(f"{r.path}/{tag}" for tag in tags if tag not in r.path))
    )
    return [read("/fine"), asked_at_most(BOUND)]


@case("traps")
def growing_value(site: Site) -> list[Check]:
    return _generated(site, "/grow?q=a", lambda r: [f"{r.target}a", f"{r.target}b"])


@case("traps")
def growing_list_of_parameters(site: Site) -> list[Check]:
    return _generated(
        site, "/grow?a0=1", lambda r: [f"{r.target}&a{r.target.count('&') + 1}={n}" for n in range(3)]
    )


@case("traps")
def aliases_in_path_info(site: Site) -> list[Check]:
    front(site, "/index.php", "/fine")
    leaf(site, "/fine")
    site.otherwise = lambda r: Answer(page(f"one page of {site.name}", *(f"{r.path}/{w}" for w in WORDS[:8])))
    return [read("/fine"), asked_at_most(BOUND)]


@case("traps")
def aliases_in_parameters(site: Site) -> list[Check]:
    fresh = count(1)
    front(site, "/story?ref=0", "/fine")
    leaf(site, "/fine")
    site.otherwise = lambda r: Answer(
        page(f"one story of {site.name}", *(f"/story?ref={next(fresh)}" for _ in range(10)))
    )
    return [read("/fine"), asked_at_most(BOUND)]


@case("traps")
def soft_not_found(site: Site) -> list[Check]:
    def links(request: Request) -> list[str]:
        dice = _dice(request)
        return [f"/{dice.choice(WORDS)}/{dice.choice(WORDS)}/{dice.randint(1, 99999)}" for _ in range(10)]

    front(site, "/missing", "/fine")
    leaf(site, "/fine")
    site.otherwise = lambda r: Answer(
        page(f"Page not found at {site.name}", *links(r), body=f"<p>{r.path} does not exist.</p>")
    )
    return [read("/fine"), asked_at_most(BOUND)]


@case("traps")
def pagination_without_end(site: Site) -> list[Check]:
    def links(request: Request) -> list[str]:
        number = int(dict(parse_qsl(request.query))["page"])
        return [f"/results?page={number + step}" for step in (1, 2, 3, 10, 100)]

    return _generated(site, "/results?page=1", links)


@case("traps")
def numbers_without_end(site: Site) -> list[Check]:
    def links(request: Request) -> list[str]:
        number = int(request.path.rpartition("/")[2])
        return [f"/record/{number + step}" for step in range(1, 21)]

    return _generated(site, "/record/1", links)


@case("traps")
def slashes_that_multiply(site: Site) -> list[Check]:
    front(site, "/a/b", "/fine")
    leaf(site, "/fine")
    site.otherwise = lambda r: Answer(
        page(f"slashes of {site.name}", r.path + "/", r.path.replace("/a", "//a"), r.path + "//b")
    )
    return [read("/fine"), asked_at_most(BOUND)]


@case("traps")
def languages_that_pile_up(site: Site) -> list[Check]:
    front(site, "/en/home", "/fine")
    leaf(site, "/fine")
    site.otherwise = lambda r: Answer(
        page(f"home of {site.name}", *(f"/{code}{r.path}" for code in ("en", "de", "fr", "ja")))
    )
    return [read("/fine"), asked_at_most(BOUND)]


@case("traps")
def redirects_into_new_rooms(site: Site) -> list[Check]:
    fresh = count(1)
    front(site, "/out?to=0", "/fine")
    leaf(site, "/fine")
    site.on("/out", lambda r: moved(f"/room/{hashlib.md5(r.query.encode()).hexdigest()}"))
    site.otherwise = lambda r: Answer(
        page(f"{r.path} of {site.name}", *(f"/out?to={next(fresh)}" for _ in range(6)))
    )
    return [read("/fine"), asked_at_most(2 * BOUND), asked_at_most(BOUND, "/room/")]


@case("traps")
def sitemaps_without_end(site: Site) -> list[Check]:
    site.robots(f"User-agent: *\nDisallow:\nSitemap: {site.url('/sm/0.xml')}\n")
    front(site, "/fine")
    leaf(site, "/fine")

    def answer(request: Request) -> Answer:
        if not request.path.startswith("/sm/"):
            return Answer(page(f"{request.path} of {site.name}"))
        number = int(request.path[4:-4])
        nested = "".join(
            f"<sitemap><loc>{site.url(f'/sm/{10 * number + n}.xml')}</loc></sitemap>" for n in range(1, 6)
        )
        return Answer(f"<sitemapindex>{nested}</sitemapindex>".encode(), headers=XML)

    site.otherwise = answer
    return [read("/fine"), asked_at_most(BOUND)]


@case("traps")
def sitemaps_of_made_up_pages(site: Site) -> list[Check]:
    site.robots(f"User-agent: *\nDisallow:\nSitemap: {site.url('/map.xml')}\n")
    front(site, "/fine")
    leaf(site, "/fine")
    site.on("/map.xml", Answer(urlset(*(site.url(f"/gen/{n}") for n in range(5_000))), headers=XML))
    body = page(f"the very same page of {site.name}")
    site.otherwise = Answer(body)
    return [read("/fine"), asked_at_most(BOUND)]


@case("traps")
def a_trap_beside_honest_pages(site: Site) -> list[Check]:
    honest = [f"/docs/{prose(n, 2).lower().strip('.').replace(' ', '-')}-{n}" for n in range(60)]
    front(site, "/events/0", *honest)
    leaf(site, *honest)
    site.otherwise = lambda r: Answer(
        page(f"{r.path} of {site.name}", *(f"/events/{_dice(r).randint(0, 10**9)}{n}" for n in range(25)))
    )
    return [read(*honest), asked_at_most(BOUND, "/events/")]
