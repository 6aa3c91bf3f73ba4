"""Small webs made of functions, honest ones and traps, and a crawl over them in memory."""

import hashlib
import heapq
import random
from collections.abc import Callable
from urllib.parse import parse_qsl

import numpy as np

from clew.frontier.traps.guard import TrapGuard
from clew.parse.simhash import simhash
from clew.types import Link, Links, Page, Response
from clew.urls import fingerprint, origin

Answer = tuple[str, list[str]]  # text, links
Site = Callable[[str], Answer | str | None]  # or the address it redirects to, or an error

WORDS = [
    a + b + c
    for a in ("ba", "ke", "lo", "mi", "su", "tra", "ver", "no")
    for b in ("ran", "del", "ti", "gor", "pu", "sen")
    for c in ("", "do", "lin", "mer", "ta", "ks")
]


def noise(key: str, words: int = 150) -> str:
    """Return text that is different for every key and the same for the same."""
    chooser = random.Random(key)
    return " ".join(chooser.choices(WORDS, k=words))


def digest(key: object) -> str:
    return hashlib.sha1(str(key).encode()).hexdigest()[:12]


def crawl(
    sites: dict[str, Site], seeds: list[str], order: str, limit: int = 40_000, relevant: bool = False
) -> list[str]:
    """Crawl in the given order, look again at what was refused, and return the addresses requested."""
    traps, chooser = TrapGuard(), random.Random(order)
    ids: dict[int, int] = {}
    queue: list[tuple[float, int, str, str]] = []
    shelf: list[tuple[float, int, str, str]] = []
    asked: list[str] = []

    def push(url: str, source: str) -> None:
        id = ids[fingerprint(url)] = len(ids) + 1
        rank = {"breadth": id, "depth": -id, "best": chooser.random(), "lists": 0 if "page=" in url else id}[
            order
        ]
        heapq.heappush(queue, (rank, id, url, source))

    for seed in seeds:
        push(seed, "")
    while len(asked) < limit:
        if not queue and not (queue := _look_again(traps, shelf)):
            break
        entry = heapq.heappop(queue)
        _, _, url, source = entry
        link = _link(entry)
        if traps.refusal(link, source):
            shelf.append(entry)
            continue
        asked.append(url)
        answer = sites[origin(url)](url)
        if isinstance(answer, str):
            traps.learn_redirect(url, source, answer, fingerprint(answer) in ids)
            if fingerprint(answer) not in ids:
                push(answer, source)
            continue
        text, found = answer or ("", [])
        found = list(dict.fromkeys(each for each in found if origin(each) in sites))
        hashes = np.array([fingerprint(each) for each in found], np.uint64)
        page = Page(
            response=Response(link=link, started=0, ended=0, status=200 if answer else 404),
            text=text,
            links=Links(urls=found, origins=[origin(each) for each in found], hashes=hashes),
            fingerprint=simhash(text),
        )
        again = np.array([name in ids for name in hashes.tolist()], bool)
        traps.learn(page, relevant, source, again)
        for each, old in zip(found, again.tolist(), strict=True):
            if not old and fingerprint(each) not in ids:
                push(each, url)
    return asked


def _link(entry: tuple[float, int, str, str]) -> Link:
    return Link(id=entry[1], url=entry[2], origin=origin(entry[2]))


def _look_again(
    traps: TrapGuard, shelf: list[tuple[float, int, str, str]]
) -> list[tuple[float, int, str, str]]:
    """Take from the shelf what is not refused any more."""
    opened = [each for each in shelf if not traps.refusal(_link(each), each[3], sample=False)]
    shelf[:] = [each for each in shelf if each not in set(opened)]
    heapq.heapify(opened)
    return opened


T, H = "http://trap.example", "http://honest.example"


def query(url: str) -> dict[str, str]:
    return dict(parse_qsl(url.partition("?")[2]))


MONTHS = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
]  # fmt: skip


def calendar(url: str) -> Answer:
    """Months by query, with four ways on."""
    at = int(query(url).get("month", "0"))
    text = (
        f"Calendar {MONTHS[at % 12]} Mo Tu We Th Fr Sa Su "
        + " ".join(map(str, range(1, 31)))
        + " no events this month"
    )
    return text, [f"{T}/events?month={at + step}" for step in (1, -1, 12, -12)] + [T + "/"]


def dated(url: str) -> Answer:
    """Months and days by path, with made-up events."""
    parts = [int(p) for p in url[len(T) :].strip("/").split("/")[1:] if p]
    year, month = parts[:2] if len(parts) > 1 else (2026, 11)
    months = [
        f"{T}/diary/{year + (month == 12)}/{month % 12 + 1}/",
        f"{T}/diary/{year - (month == 1)}/{(month - 2) % 12 + 1}/",
    ]
    if len(parts) == 3:
        return f"{noise('day', 40)} {MONTHS[month - 1]}", [
            *months,
            f"{T}/diary/{year}/{month}/{parts[2] % 28 + 1}/",
        ]
    return noise(f"month {month}", 60), months + [f"{T}/diary/{year}/{month}/{day}/" for day in range(1, 29)]


COUNT = iter(range(10**9))


def session_query(url: str) -> Answer:
    """Twenty pages; every answer gives every link a new token."""
    name = url[len(T) :].partition("?")[0]
    return noise("sq" + name), [f"{T}/shop/p{n}?tok={digest(next(COUNT))}" for n in range(20)]


def session_path(url: str) -> Answer:
    """The same, with the token as a directory."""
    name = url.rpartition("/")[2]
    return noise("sp" + name), [f"{T}/{digest(next(COUNT))}/p{n}" for n in range(20)]


def deep(url: str) -> Answer:
    """Relative links that were meant to be absolute: /a/b/a/b/…"""
    base = url if url.endswith("/") else url.rpartition("/")[0] + "/"
    return noise(url), [base + "news/", base + "about/", base + "item.html"]


def growing(url: str) -> Answer:
    """An address that takes its own history along."""
    trail = query(url).get("trail", "")
    return noise(url), [f"{T}/walk?trail={trail}x{step}" for step in "abc"]


def generated(url: str) -> Answer:
    """Fresh text and ten random links, for ever."""
    return noise(url), [T + "/"] + [f"{T}/gen/{digest(url + str(n))}" for n in range(10)]


def generated_words(url: str) -> Answer:
    """A whole host of it, with natural names at every depth."""
    made = random.Random(url)
    names = [
        "/".join(made.choice(WORDS) + made.choice(WORDS) for _ in range(made.randint(1, 5)))
        for _ in range(12)
    ]
    return noise(url, 300), [f"{T}/{name}" for name in names] + [T + "/"]


def alternating(url: str) -> Answer:
    """Two kinds of page that list each other."""
    kind = "b" if "/a/" in url else "a"
    return noise(url), [f"{T}/maze/{kind}/{digest(url + str(n))}" for n in range(10)]


def round_trip(url: str) -> Answer:
    """Three kinds of page, each with two links to the next kind: no page is found in its own place."""
    kind = {"a": "b", "b": "c", "c": "a"}[url[len(T) + len("/trip/")]]
    return noise(url), [f"{T}/trip/{kind}/{digest(url + str(n))}" for n in range(2)]


def back_and_forth(url: str) -> Answer:
    """Two sections whose pages name pages of the other."""
    other = "left" if "/right/" in url else "right"
    return noise(url), [f"{T}/{other}/{digest(url + str(n))}" for n in range(3)]


def facets(url: str) -> Answer:
    """A shop with five filters in every combination."""
    chosen = query(url)
    links = []
    for name, values in {"color": 9, "size": 8, "brand": 12, "sort": 4, "view": 3}.items():
        for value in range(values):
            rest = {**chosen, name: f"v{value}"}
            links.append(f"{T}/list?" + "&".join(f"{k}={v}" for k, v in sorted(rest.items())))
    filters = {k: v for k, v in chosen.items() if k not in ("sort", "view")}
    return noise(f"facets {sorted(filters.items())}", 120), links


def farm(url: str) -> Answer:
    """Thin pages that link to each other: half to new ones, half to some met before."""
    at = int(query(url).get("n", "1")) if "?" in url else int("".join(filter(str.isdigit, url)) or 1)
    near = (
        [at * 3 + n for n in range(8)] + [max(1, at // 3 - n) for n in range(4)] + [at + n for n in range(4)]
    )
    return noise(url, 12), [f"{T}/link-farm/best-deals-{n}.html" for n in near]


def aliases(url: str) -> Answer:
    """One article under endlessly many names."""
    return noise("the one article"), [f"{T}/article?ref={digest(next(COUNT))}" for _ in range(15)]


def soft_404(url: str) -> Answer:
    """Nothing is ever missing."""
    said = (
        "Sorry, the page you were looking for could not be found. It may have moved. Try the search or the home page. "
        * 3
    )
    return said + url, [f"{T}/missing/{noise(url + str(n), 2).replace(' ', '-')}" for n in range(12)] + [
        T + "/"
    ]


def calendar_of_days(url: str) -> Answer:
    """Months with four ways on, each with its days; every page has words of its own."""
    year, month = numbers(url[len(T) :])[:2]
    at = year * 12 + month - 1
    near = [f"{T}/plan/{m // 12}/{m % 12 + 1}" for m in (at - 1, at + 1, at - 12, at + 12)]
    return noise(url), near + [f"{T}/plan/{year}/{month}/{day}" for day in range(1, 29)]


def jumps(url: str) -> Answer:
    """Pages of results that lead on by several jumps, so that most are met again."""
    at = int(query(url)["page"])
    return noise(url), [f"{T}/found?page={at + step}" for step in (1, 2, 5, 10, 50)]


def records(url: str) -> Answer:
    """Records that name the dozen after them."""
    at = numbers(url[len(T) :])[0]
    return noise(url), [f"{T}/record/{at + step}" for step in range(1, 13)]


def chain(url: str) -> Answer:
    """One page after another, and no other way."""
    return noise(url), [f"{T}/next/{numbers(url[len(T) :])[0] + 1}"]


def languages(url: str) -> Answer:
    """A switch that sets a language before the path, also where there is one."""
    return noise(url), [f"{T}/{code}{url[len(T) :]}" for code in ("en", "de", "fr", "ja")]


def tags(url: str) -> Answer:
    """Tags that add up in the path, on pages that are nearly alike."""
    path = url[len(T) :]
    more = [name for name in ("red", "blue", "large", "small", "new", "used", "fine") if name not in path]
    return noise("tags", 120) + noise(url, 20), [f"{url}/{name}" for name in more]


def detours(url: str) -> Answer | str:
    """Rooms that are reached by redirects only."""
    if "/out?" in url:
        return f"{T}/room/{digest(url)}"
    return noise(url), [f"{T}/out?to={digest(url + str(n))}" for n in range(6)]


def dead_list(url: str) -> Answer | None:
    """A list of five thousand pages that are gone."""
    return None if "/gone/" in url else (noise(url), [f"{T}/gone/{n}" for n in range(5_000)])


TRAPS: dict[str, tuple[Site, str]] = {
    "calendar": (calendar, "/events?month=0"),
    "dated": (dated, "/diary/2026/11/"),
    "session in query": (session_query, "/shop/p0"),
    "session in path": (session_path, "/0123456789ab/p0"),
    "deep": (deep, "/x/"),
    "growing": (growing, "/walk?trail=x"),
    "generated": (generated, "/gen/start"),
    "generated host": (generated_words, "/"),
    "alternating": (alternating, "/maze/a/0"),
    "round trip": (round_trip, "/trip/a/0"),
    "back and forth": (back_and_forth, "/left/0"),
    "facets": (facets, "/list"),
    "farm": (farm, "/link-farm/best-deals-1.html"),
    "aliases": (aliases, "/article"),
    "soft 404": (soft_404, "/missing/start"),
    "calendar of days": (calendar_of_days, "/plan/2026/1"),
    "jumps": (jumps, "/found?page=1"),
    "records": (records, "/record/1"),
    "chain": (chain, "/next/1"),
    "languages": (languages, "/en/home"),
    "tags": (tags, "/goods/red"),
    "detours": (detours, "/room/start"),
    "dead list": (dead_list, "/list"),
}


def numbers(url: str) -> list[int]:
    return [
        int("".join(filter(str.isdigit, part)))
        for part in url.replace("?", "/").split("/")
        if any(c.isdigit() for c in part)
    ]


def listed_articles(url: str) -> Answer | None:
    """Ten thousand articles in one directory, listed fifty to a page; no article names another."""
    path = url[len(H) :]
    if path == "/" or path.startswith("/articles/?page="):
        at = int(query(url).get("page", "1"))
        more = [f"{H}/articles/?page={n}" for n in (at - 1, at + 1) if 1 <= n <= 200]
        return noise(url, 100), [
            f"{H}/articles/{n}-{WORDS[n % 280]}" for n in range(at * 50 - 50, at * 50)
        ] + more + [H + "/"]
    return (noise(url), [H + "/", f"{H}/articles/?page=1"]) if path.startswith("/articles/") else None


def wiki(url: str) -> Answer | None:
    """Five thousand pages that name each other, some far more often than others."""
    made = random.Random(url)
    return noise(url, 200), [f"{H}/wiki/T{int(5_000 * made.random() ** 1.5)}_{'x'}" for _ in range(30)] + [
        H + "/wiki/T0_x"
    ]


def manual(url: str) -> Answer | None:
    """A tree of chapters; every page has the table of contents of its part."""
    parts = [p for p in url[len(H) :].split("/") if p]
    if len(parts) < 2:
        return noise(url), [f"{H}/docs/part-{WORDS[n]}/" for n in range(40)]
    inside = [f"{H}/docs/{parts[1]}/{WORDS[n]}.html" for n in range(60)]
    return noise(url), [H + "/docs/", *[f"{H}/docs/part-{WORDS[n]}/" for n in range(40)], *inside]


def products(url: str) -> Answer | None:
    """Five hundred pages of products, each with a few related ones."""
    path = url[len(H) :]
    if path.startswith("/products") and "/item" not in path:
        at = int(query(url).get("page", "1"))
        pager = [f"{H}/products?page={n}" for n in (at + 1, at - 1) if 1 <= n <= 500]
        return noise(url, 40), [f"{H}/products/item/{n}" for n in range(at * 10 - 10, at * 10)] + pager
    at = numbers(url)[0]
    return noise(url, 120), [
        f"{H}/products/item/{at // 50 * 50 + (at * 7 + n * 13) % 50}" for n in range(3)
    ] + [f"{H}/products"]


def mailing_list(url: str) -> Answer | None:
    """Messages with previous and next, and an index for each month."""
    parts = [p for p in url[len(H) :].split("/") if p]
    if len(parts) == 1:
        return noise(url), [
            f"{H}/list/{year}-{month}/" for year in range(2015, 2025) for month in range(10, 13)
        ]
    month = parts[1]
    if len(parts) == 2:
        return noise(url, 60), [f"{H}/list/{month}/msg{n:05}.html" for n in range(120)] + [H + "/list/"]
    at = int(parts[2][3:8])
    return noise(url, 90), [f"{H}/list/{month}/msg{n:05}.html" for n in (at - 1, at + 1) if 0 <= n < 120] + [
        f"{H}/list/{month}/"
    ]


POSTS = [f"{H}/{WORDS[n % 280]}-{WORDS[n * 7 % 280]}-{n}/" for n in range(1_000)]


def blog(url: str) -> Answer | None:
    """Articles at the root, found from month pages, tags and each other."""
    made, path = random.Random(url), url[len(H) :]
    posts = POSTS
    nav = [H + "/", H + "/about/", *[f"{H}/tag/{WORDS[n]}/" for n in range(12)]]
    if path == "/" or path.startswith("/page/"):
        at = numbers(path)[0] if path != "/" else 1
        return noise(url, 90), nav + posts[at * 10 - 10 : at * 10] + [
            f"{H}/page/{n}/" for n in (at + 1,) if n <= 200
        ]
    if path.startswith("/tag/"):
        return noise(url, 60), nav + made.sample(posts, 20)
    return noise(url), nav + made.sample(posts, 4)


def numbered(url: str) -> Answer | None:
    """A thousand pages by number with previous and next, and twenty lists of fifty."""
    path = url[len(H) :]
    if path.startswith("/p/"):
        at = numbers(path)[0]
        return noise(url), [f"{H}/p/{n}" for n in (at - 1, at + 1) if 1 <= n <= 1_000] + [H + "/"]
    at = int(query(url).get("list", "1"))
    lists = [f"{H}/?list={n}" for n in (at - 1, at + 1) if 1 <= n <= 20]
    return noise(url, 80), [f"{H}/p/{n}" for n in range(at * 50 - 49, at * 50 + 1)] + lists


def book(url: str) -> Answer | None:
    """Three hundred pages with previous and next, and a table of contents."""
    if url.endswith("/book/"):
        return noise(url), [f"{H}/book/{n}.html" for n in range(1, 301)]
    at = numbers(url[len(H) :])[0]
    return noise(url), [f"{H}/book/{n}.html" for n in (at - 1, at + 1) if 1 <= n <= 300] + [f"{H}/book/"]


def story(url: str) -> Answer | None:
    """A hundred and twenty pages, each of which knows only the next."""
    at = numbers(url[len(H) :])[0]
    return noise(url), [f"{H}/story/{n}" for n in (at + 1,) if n <= 120]


def translated(url: str) -> Answer | None:
    """A manual of three hundred pages in three languages, each page with its translations."""
    path = url[len(H) :]
    code = path[1:3] if path[3:4] == "/" else ""
    plain = path[3:] if code else path
    at = numbers(plain)[0] if plain != "/" else 0
    own = f"{H}/{code}" if code else H
    inside = [f"{own}/help/{WORDS[n % 280]}-{n}" for n in range(at + 1, min(300, at + 4))]
    cross = [f"{own}/help/{WORDS[n % 280]}-{n}" for n in (at // 2, at * 7 % 300, at * 11 % 300)]
    return noise(url), inside + cross + [H + plain, f"{H}/de{plain}", f"{H}/fr{plain}"]


def half_lost(url: str) -> Answer | str | None:
    """A moved archive: old names redirect, two in three are gone, one in three is still there."""
    path = url[len(H) :]
    if path == "/":
        return noise(url), [f"{H}/old/{WORDS[n % 280]}-{n}" for n in range(900)]
    if path.startswith("/old/"):
        return f"{H}/new/{path[5:]}" if numbers(path)[0] % 3 == 0 else None
    return noise(url), [H + "/"]


HONEST: dict[str, tuple[Site, str, int]] = {
    "listed articles": (listed_articles, "/", 10_200),
    "wiki": (wiki, "/wiki/T0_x", 4_900),
    "manual": (manual, "/docs/", 2_441),
    "products": (products, "/products?page=1", 5_500),
    "mailing list": (mailing_list, "/list/", 3_631),
    "blog": (blog, "/", 1_100),
    "numbered": (numbered, "/", 1_020),
    "book": (book, "/book/", 301),
    "story": (story, "/story/1", 100),
    "translated": (translated, "/", 890),
    "half lost": (half_lost, "/", 1_201),
}
