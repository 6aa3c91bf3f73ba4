"""Sites of the trap bench that were written after the guard's constants were fixed: none of them was tuned on."""

from collections.abc import Callable
from itertools import count, permutations

from bench.trap_honest import HONEST, honest
from bench.trap_text import MISSING, SLUGS, Answer, Prose, chance, digest, numbers, query
from bench.trap_traps import MONTHS, TRAPS, trap

BEFORE = frozenset((*HONEST, *TRAPS))
"""Sites that were there when the constants were chosen."""


def _near(at: int, last: int, *steps: int) -> list[int]:
    return [at + step for step in steps if 1 <= at + step <= last]


# ---- honest sites -------------------------------------------------------------------------------------


@honest("/docs/", 500)
def deep_docs(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A manual six folders deep with the way back, previous and next; no contents of the whole."""
    names = [SLUGS[n * 7 % 400] for n in range(size)]
    urls = [
        "/docs/" + "/".join(f"part{n // 3**k % 3}" for k in range(5, 0, -1)) + f"/{names[n]}-{n}.html"
        for n in range(size)
    ]
    at = {url: n for n, url in enumerate(urls)}

    def answer(path: str) -> Answer:
        if path in at:
            n = at[path]
            up = path.rpartition("/")[0] + "/"
            return Answer(prose(path), ("/docs/", up, *(urls[k - 1] for k in _near(n + 1, size, -1, 1))))
        inside = sorted({path + url[len(path) :].partition("/")[0] for url in urls if url.startswith(path)})
        if not inside:
            return MISSING
        links = (each if each.endswith(".html") else f"{each}/" for each in inside)
        return Answer(prose(path, 30), (*links, path.rstrip("/").rpartition("/")[0] + "/"))

    return answer


@honest("/threads/", 360)
def mail_threads(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A mailing list by thread: a page of threads a month, messages that know their parent and replies."""

    def answer(path: str) -> Answer:
        parts = numbers(path)
        if path == "/threads/":
            return Answer(prose("threads", 40), tuple(f"/threads/m{n}.html" for n in range(size // 60)))
        if path.startswith("/threads/m"):
            return Answer(prose(path, 20), tuple(f"/msg/{parts[0] * 60 + n}" for n in range(0, 60, 6)))
        n = parts[0]
        replies = [k for k in (n + 1, n + 3) if n % 6 < 3 and k // 6 == n // 6]
        return Answer(prose(path, 50), tuple(f"/msg/{k}" for k in (n - n % 6, *replies)))

    return answer


@honest("/albums/", 420)
def albums(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Photo albums: pages with a few words of caption, previous and next, and an overview for each album."""

    def answer(path: str) -> Answer:
        if path == "/albums/":
            return Answer(prose("albums", 20), tuple(f"/albums/{n}/" for n in range(size // 30)))
        album, *photo = numbers(path)
        if not photo:
            links = (f"/albums/{album}/photo-{n}.html" for n in range(1, 31))
            return Answer(prose(path, 12), ("/albums/", *links))
        near = (f"/albums/{album}/photo-{n}.html" for n in _near(photo[0], 30, -1, 1))
        return Answer(prose(path, 4), (f"/albums/{album}/", *near))

    return answer


@honest("/a-z/", 600)
def dictionary(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Entries of a dozen words with synonyms, and an index by first letters."""
    words = [f"{SLUGS[n % 400]}{'' if n < 400 else 'n'}" for n in range(size)]

    def answer(path: str) -> Answer:
        if path == "/a-z/":
            return Answer("Index", tuple(f"/a-z/{letters}" for letters in sorted({w[:2] for w in words})))
        if path.startswith("/a-z/"):
            return Answer(
                f"Words with {path[5:]}", tuple(f"/word/{w}" for w in words if w.startswith(path[5:]))
            )
        synonyms = (f"/word/{words[chance(path + str(k)).randrange(size)]}" for k in range(3))
        return Answer(f"{path[6:]}: {prose(path, 9)}", ("/a-z/", *synonyms))

    return answer


@honest("/act/contents", 400)
def alike_sections(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Sections of a law that differ in few words, linked by previous and next from a list of chapters."""

    def answer(path: str) -> Answer:
        if path.endswith("contents"):
            return Answer(prose("contents", 40), tuple(f"/act/s{n}" for n in range(1, size + 1, 20)))
        at = numbers(path)[0]
        text = f"Section {at}. {prose('act', 60)} {prose(path, 12)} {prose('act end', 30)}"
        return Answer(text, ("/act/contents", *(f"/act/s{n}" for n in _near(at, size, -1, 1))))

    return answer


@honest("/weather/", 360)
def weather(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Days of measurements: the same words with other numbers, listed by month."""

    def answer(path: str) -> Answer:
        parts = numbers(path)
        if not parts:
            return Answer(
                prose("weather", 40), tuple(f"/weather/2019-{m:02}" for m in range(1, size // 30 + 1))
            )
        if len(parts) == 2:
            return Answer(prose(path, 20), ("/weather/", *(f"{path}-{day:02}" for day in range(1, 31))))
        made = chance(path)
        rows = " ".join(
            f"{hour}:00 temperature {made.randint(-9, 30)} wind {made.randint(0, 20)} rain {made.randint(0, 9)}"
            for hour in range(24)
        )
        return Answer(rows, (f"/weather/2019-{parts[1]:02}",))

    return answer


@honest("/forum/viewforum.php?f=1&start=0", 300)
def old_forum(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A forum of the old kind: everything by two parameters, lists in steps of 25, topics in steps of 10."""

    def answer(path: str) -> Answer:
        asked = query(path)
        start = int(asked.get("start", "0"))
        if "viewforum" in path:
            topics = range(start, min(size, start + 25))
            pager = [n for n in (start - 25, start + 25) if 0 <= n < size]
            return Answer(
                prose(path, 40),
                (
                    *(f"/forum/viewforum.php?f=1&start={n}" for n in pager),
                    *(f"/forum/viewtopic.php?f=1&t={n}" for n in topics),
                ),
            )
        topic = int(asked["t"])
        more = [n for n in (start + 10,) if n < 10 * (topic % 3)]
        pages = (f"/forum/viewtopic.php?f=1&start={n}&t={topic}" for n in more)
        return Answer(prose(path), ("/forum/viewforum.php?f=1&start=0", *pages))

    return answer


@honest("/catalogue/1", 450)
def numbered_products(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Products by number, found from a list of many pages and by "customers also bought"."""

    def answer(path: str) -> Answer:
        at = numbers(path)[0]
        if path.startswith("/catalogue/"):
            shown = range(at * 30 - 29, min(size, at * 30) + 1)
            pager = (f"/catalogue/{n}" for n in _near(at, -(-size // 30), -1, 1))
            return Answer(prose(path, 20), (*pager, *(f"/product/{n}" for n in shown)))
        others = chance(path).sample(range(1, size + 1), 4)
        return Answer(prose(path, 70), ("/catalogue/1", *(f"/product/{n}" for n in others)))

    return answer


@honest("/de/seite-1", 390)
def mirrors(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A book in three languages, each a chain; every page leads to its translations."""

    def answer(path: str) -> Answer:
        code, at = path[1:3], numbers(path)[0]
        others = (f"/{each}/seite-{at}" for each in ("de", "en", "fr") if each != code)
        following = (f"/{code}/seite-{n}" for n in _near(at, size // 3, 1))
        return Answer(prose(path), (*others, *following))

    return answer


@honest("/club/2024/01", 300)
def club_calendar(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A calendar with a page for every day, also for those without an event; five years, and no more."""

    def answer(path: str) -> Answer:
        year, month, *day = numbers(path)
        at = (year - 2024) * 12 + month
        months = max(1, size // 29)
        near = [f"/club/{2024 + (n - 1) // 12}/{(n - 1) % 12 + 1:02}" for n in _near(at, months, -1, 1)]
        if not day:
            return Answer(prose(path, 15), (*near, *(f"{path}/{d:02}" for d in range(1, 29))))
        text = prose(path, 40) if day[0] % 3 == 0 else f"{day[0]} {MONTHS[month - 1]} no events on this day"
        return Answer(text, (path.rpartition("/")[0],))

    return answer


# ---- traps ----------------------------------------------------------------------------------------------


@trap("/table?by=name,price,year,size")
def column_orders(prose: Prose) -> Callable[[str], Answer]:
    """A table sorted by any order of its columns, and by more columns."""

    def answer(path: str) -> Answer:
        columns = query(path)["by"].split(",")
        orders = [",".join(order) for order in permutations(columns[-4:])][:12]
        more = [",".join([*columns, name]) for name in ("colour", "weight", "origin") if len(columns) < 9]
        return Answer(prose(path, 90), tuple(f"/table?by={order}" for order in (*orders, *more)))

    return answer


@trap("/item/ba/related/ke")
def related(prose: Prose) -> Callable[[str], Answer]:
    """Things with related things, whose URLs name both."""

    def answer(path: str) -> Answer:
        made, last = chance(path), path.rpartition("/")[2]
        others = [f"{made.choice(SLUGS)}{made.choice(SLUGS)}" for _ in range(5)]
        return Answer(prose(path, 100), tuple(f"/item/{last}/related/{other}" for other in others))

    return answer


@trap("/gone/page")
def talkative_404(prose: Prose) -> Callable[[str], Answer]:
    """Nothing is missing; every page has another text and links to pages with random names at any depth."""

    def answer(path: str) -> Answer:
        made = chance(path)
        names = ["/".join(made.choice(SLUGS) for _ in range(made.randint(1, 4))) for _ in range(7)]
        return Answer(prose(path, 80), tuple(f"/{name}.html" for name in names))

    return answer


@trap("/week/2026-07")
def weeks(prose: Prose) -> Callable[[str], Answer]:
    """Weeks to both sides for ever, years to both sides, and nothing in them."""

    def answer(path: str) -> Answer:
        year, week = numbers(path)
        near = [(year, week - 1), (year, week + 1), (year - 1, week), (year + 1, week)]
        days = " ".join(f"{n} {MONTHS[week % 12]}" for n in range(1, 8))
        return Answer(
            f"{prose('weeks', 25)} {days}", tuple(f"/week/{y + w // 52}-{w % 52:02}" for y, w in near)
        )

    return answer


@trap("/wiki/Ba")
def page_history(prose: Prose) -> Callable[[str], Answer]:
    """A small wiki with the differences between any two versions of every page."""

    def answer(path: str) -> Answer:
        if path.startswith("/wiki/"):
            made = chance(path)
            history = f"/w/index.php?action=history&title={path[6:]}"
            return Answer(prose(path), (history, *(f"/wiki/{SLUGS[made.randrange(40)]}" for _ in range(5))))
        asked = query(path)
        at = int(asked.get("oldid", "100000"))
        near = [at - 1, at - 2, at - 50, at + 3, at * 7 % 99991]
        links = [f"/w/index.php?diff={at}&oldid={n}&title={asked['title']}" for n in near]
        return Answer(prose(path, 60), (f"/wiki/{asked['title']}", *links))

    return answer


@trap("/news/1.html")
def share_links(prose: Prose) -> Callable[[str], Answer]:
    """Thirty articles; each has links to print, mail and share it that carry the page they were found on."""

    def answer(path: str) -> Answer:
        at = numbers(path)[0] % 30
        base = path.partition("?")[0]
        kinds = [f"{base}?{kind}={digest(path)[:6]}" for kind in ("print", "mail", "share")]
        return Answer(prose(f"news {at}"), (*kinds, *(f"/news/{(at + n) % 30}.html" for n in (1, 5))))

    return answer


@trap("/now?t=0")
def time_stamps(prose: Prose) -> Callable[[str], Answer]:
    """Ten pages with the time in every link, and a little news on every visit."""
    fresh = count(1)

    def answer(path: str) -> Answer:
        name = numbers(path)[0] % 10
        text = f"{prose(f'stamp {name}', 80)} {prose(path, 6)}"
        return Answer(text, tuple(f"/now?t={next(fresh) * 10 + n}" for n in range(10)))

    return answer


@trap("/offers?max=1000000&min=0")
def price_ranges(prose: Prose) -> Callable[[str], Answer]:
    """Ranges of prices that are cut in halves, with other goods in each."""

    def answer(path: str) -> Answer:
        asked = query(path)
        low, high = int(asked["min"]), int(asked["max"])
        middle = (low + high) // 2
        ranges = [(low, middle), (middle, high), (low, high - 1), (low + 1, high)]
        return Answer(prose(path, 70), tuple(f"/offers?max={b}&min={a}" for a, b in ranges if a < b))

    return answer


@trap("/map/3/4/4")
def map_tiles(_: Prose) -> Callable[[str], Answer]:
    """Tiles of a map with their neighbours and those below."""

    def answer(path: str) -> Answer:
        z, x, y = numbers(path)
        below = [(z + 1, 2 * x + a, 2 * y + b) for a in (0, 1) for b in (0, 1)]
        beside = [(z, x + 1, y), (z, x, y + 1)]
        return Answer(f"tile {z} {x} {y}", tuple("/map/{}/{}/{}".format(*each) for each in below + beside))

    return answer


@trap("/babble/start/")
def babble(prose: Prose) -> Callable[[str], Answer]:
    """A tarpit: babble with five links to names beside the page and below it."""

    def answer(path: str) -> Answer:
        made = chance(path)
        base = "/".join(path.split("/")[:4])
        names = [f"{base}/{made.choice(SLUGS)}-{made.choice(SLUGS)}/" for _ in range(3)]
        aside = [f"/babble/{made.choice(SLUGS)}{made.choice(SLUGS)}/" for _ in range(2)]
        return Answer(prose(path, 300), (*names, *aside))

    return answer


@trap("/")
def random_subdomains(prose: Prose) -> Callable[[str], Answer]:
    """Every page is the home page of another host below the same domain, with links to eight more."""
    fresh = count()

    def answer(path: str) -> Answer:
        names = [
            f"http://{SLUGS[next(fresh) % 400]}{next(fresh)}.random-subdomains.example/" for _ in range(8)
        ]
        return Answer(prose(f"{path}{next(fresh)}"), tuple(names))

    return answer


@trap("/thread/1/")
def reply_chains(prose: Prose) -> Callable[[str], Answer]:
    """One story under a URL for each answer to each answer, with a line of its own."""

    def answer(path: str) -> Answer:
        return Answer(
            f"{prose('reply story', 150)} {prose(path, 8)}",
            tuple(f"{path}re-{digest(path + str(n))[:5]}/" for n in range(3)),
        )

    return answer
