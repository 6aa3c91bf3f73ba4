"""Small webs made of functions, honest ones and traps, and a crawl over them in memory."""

import hashlib
import heapq
import random
from collections.abc import Callable
from urllib.parse import parse_qsl

import numpy as np

from clew.frontier.traps import Traps
from clew.parse.simhash import simhash
from clew.types import Link, Links, Page, Visit
from clew.urls import fingerprint, origin

Answer = tuple[str, list[str]]  # text, links
Site = Callable[[str], Answer | None]

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
    """Crawl in the given order and return the addresses requested."""
    traps, chooser = Traps(), random.Random(order)
    ids: dict[int, int] = {}
    queue: list[tuple[float, int, str, str]] = []
    asked: list[str] = []

    def push(url: str, source: str) -> None:
        id = ids[fingerprint(url)] = len(ids) + 1
        rank = {"breadth": id, "depth": -id, "best": chooser.random(), "lists": 0 if "page=" in url else id}[
            order
        ]
        heapq.heappush(queue, (rank, id, url, source))

    for seed in seeds:
        push(seed, "")
    while queue and len(asked) < limit:
        _, id, url, source = heapq.heappop(queue)
        link = Link(id=id, url=url, origin=origin(url))
        if traps.refusal(link, source):
            continue
        asked.append(url)
        answer = sites[origin(url)](url)
        text, found = answer or ("", [])
        found = list(dict.fromkeys(each for each in found if origin(each) in sites))
        hashes = np.array([fingerprint(each) for each in found], np.uint64)
        page = Page(
            visit=Visit(link=link, started=0, ended=0, status=200 if answer else 404),
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
    return noise(url, 12), [f"{T}/farm/best-deals-{n}.html" for n in near]


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
    "facets": (facets, "/list"),
    "farm": (farm, "/farm/best-deals-1.html"),
    "aliases": (aliases, "/article"),
    "soft 404": (soft_404, "/missing/start"),
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


HONEST: dict[str, tuple[Site, str, int]] = {
    "listed articles": (listed_articles, "/", 10_200),
    "wiki": (wiki, "/wiki/T0_x", 4_900),
    "manual": (manual, "/docs/", 2_441),
    "products": (products, "/products?page=1", 5_500),
    "mailing list": (mailing_list, "/list/", 3_631),
    "blog": (blog, "/", 1_100),
}
