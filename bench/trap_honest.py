"""Honest sites of the trap bench: every page is real, and every page must be read.

They are written from kinds of sites that are common on the web; none is a copy of a trap with another name.
"""

from collections.abc import Callable
from functools import cache

from bench.trap_text import MISSING, SLUGS, Answer, Prose, chance, numbers, query, with_query

Build = Callable[[Prose, int], Callable[[str], Answer]]
HONEST: dict[str, tuple[Build, str, int]] = {}
"""By name: the site for a size, its first path, its size in the quick bench."""


def honest(first: str, size: int) -> Callable[[Build], Build]:
    """Register a site by the name of its function."""

    def register(build: Build) -> Build:
        HONEST[build.__name__] = (build, first, size)
        return build

    return register


def _near(at: int, last: int, *steps: int) -> list[int]:
    return [at + step for step in steps if 1 <= at + step <= last]


@honest("/story/1", 400)
def chain(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Pages that know only the next one."""

    def answer(path: str) -> Answer:
        at = numbers(path)[0]
        return Answer(prose(f"chain{path}"), tuple(f"/story/{n}" for n in _near(at, size, 1)))

    return answer


@honest("/act/section-1", 400)
def law(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Sections with previous and next, a home page, and a reference to another section now and then."""

    def answer(path: str) -> Answer:
        if path == "/":
            return Answer(prose("law home"), ("/act/section-1",))
        at = numbers(path)[0]
        links = [f"/act/section-{n}" for n in _near(at, size, -1, 1)]
        if at % 9 == 0:
            links.append(f"/act/section-{chance(path).randint(1, size)}")
        return Answer(prose(f"law{path}"), (*links, "/"))

    return answer


@honest("/read/chapter-1/page-1.html", 360)
def book(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Chapters of twelve pages, linked by next and previous; each page links to the start of its chapter."""

    def answer(path: str) -> Answer:
        chapter, page, *_ = numbers(path)
        at = (chapter - 1) * 12 + page
        links = [
            f"/read/chapter-{(n - 1) // 12 + 1}/page-{(n - 1) % 12 + 1}.html" for n in _near(at, size, -1, 1)
        ]
        return Answer(prose(f"book{path}"), (*links, f"/read/chapter-{chapter}/page-1.html"))

    return answer


@honest("/", 700)
def diary(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A blog by date: posts with previous and next and tags; lists by page, month and tag."""
    dates = [(2012 + n // 336, n // 28 % 12 + 1, n % 28 + 1) for n in range(size)]
    urls = [f"/post/{y}/{m:02}/{d:02}/" for y, m, d in dates]
    at_url = {url: n for n, url in enumerate(urls)}
    tags = [[SLUGS[k % 40] for k in chance(url).sample(range(40), 2)] for url in urls]
    by_tag = {tag: [n for n in range(size) if tag in tags[n]] for tag in SLUGS[:40]}
    months = {f"/post/{y}/{m:02}/": (y, m) for y, m, _ in dates}

    def listed(path: str, rows: list[int], base: str) -> Answer:
        at = numbers(path.partition("/page/")[2])[0] if "/page/" in path else 1
        shown = rows[at * 10 - 10 : at * 10]
        more = [f"{base}page/{n}/" for n in _near(at, -(-len(rows) // 10), -1, 1) if n > 1]
        return Answer(prose(f"diary{path}", 60), (*(urls[n] for n in shown), *more, "/", "/tags/"))

    def answer(path: str) -> Answer:
        if path in at_url:
            n = at_url[path]
            near = [urls[k] for k in (n - 1, n + 1) if 0 <= k < size]
            y, m, _ = dates[n]
            return Answer(
                prose(f"diary{path}", 90),
                ("/", *near, *(f"/tags/{tag}/" for tag in tags[n]), f"/post/{y}/{m:02}/", "/tags/"),
            )
        if path in months:
            rows = [n for n in range(size) if dates[n][:2] == months[path]]
            return Answer(prose(f"diary{path}", 30), ("/", *(urls[n] for n in rows)))
        if path == "/tags/":
            return Answer(prose("diary tags", 50), ("/", *(f"/tags/{tag}/" for tag in by_tag)))
        if path.startswith("/tags/"):
            tag = path.split("/")[2]
            return listed(path, by_tag[tag], f"/tags/{tag}/")
        return listed(path, list(range(size))[::-1], "/")

    return answer


@honest("/", 300)
def forum(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Boards with pages of topics, topics with pages of posts, profiles of the writers."""

    def answer(path: str) -> Answer:
        if path == "/":
            return Answer(prose("forum", 60), tuple(f"/board/{n}" for n in range(1, 7)))
        if path.startswith("/board/"):
            board, at = numbers(path)[0], int(query(path).get("page", "1"))
            topics = [n for n in range(1, size + 1) if n % 6 + 1 == board]
            pager = [f"/board/{board}?page={n}" for n in _near(at, -(-len(topics) // 20), -1, 1)]
            shown = topics[at * 20 - 20 : at * 20]
            return Answer(
                prose(f"forum{path}", 80), ("/", *pager, *(f"/topic/{n}-{SLUGS[n % 400]}" for n in shown))
            )
        if path.startswith("/user/"):
            made = chance(path)
            topics = made.sample(range(1, size + 1), 5)
            return Answer(prose(f"forum{path}", 50), tuple(f"/topic/{n}-{SLUGS[n % 400]}" for n in topics))
        topic, at = numbers(path)[0], int(query(path).get("page", "1"))
        last = 1 + topic % 3
        base = path.partition("?")[0]
        users = chance(path).sample(range(1, size // 3), 4)
        pager = [f"{base}?page={n}" for n in range(1, last + 1) if n != at]
        return Answer(
            prose(f"forum{path}"), ("/", *pager, *(f"/user/{n}" for n in users), f"/board/{topic % 6 + 1}")
        )

    return answer


@honest("/topic/7?page=1", 260)
def long_topic(prose: Prose, size: int) -> Callable[[str], Answer]:
    """One discussion of many pages; each links to the first, the last and five on either side."""

    def answer(path: str) -> Answer:
        at = int(query(path)["page"])
        pages = {1, size, *_near(at, size, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5)} - {at}
        return Answer(prose(f"topic{path}"), tuple(f"/topic/7?page={n}" for n in sorted(pages)))

    return answer


@honest("/wiki/Main", 600)
def wiki(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Pages that link to each other, some far more often than others."""

    def answer(path: str) -> Answer:
        made = chance(path)
        links = {int(size * made.random() ** 1.7) for _ in range(14)}
        return Answer(prose(f"wiki{path}"), ("/wiki/Main", *(f"/wiki/{SLUGS[n % 400]}_{n}" for n in links)))

    return answer


@honest("/", 500)
def shop(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Departments with pages of goods, sortable; goods name a few others of their department."""

    def answer(path: str) -> Answer:
        departments = [f"/d/{SLUGS[n]}" for n in range(8)]
        if path == "/":
            return Answer(prose("shop"), tuple(departments))
        if path.startswith("/d/"):
            base = path.partition("?")[0]
            asked = query(path)
            at = int(asked.get("page", "1"))
            goods = [n for n in range(size) if n % 8 == departments.index(base)]
            sort = asked.get("sort", "")
            if sort:
                goods.sort(key=lambda n: chance(f"{sort}{n}").random())
            plain = {"sort": sort} if sort else {}
            pager = [
                with_query(base, {**plain, "page": str(n)}) for n in _near(at, -(-len(goods) // 16), -1, 1)
            ]
            sorts = [with_query(base, {"sort": name}) for name in ("price", "name", "new")]
            shown = goods[at * 16 - 16 : at * 16]
            return Answer(
                " ".join(prose(f"good {n}", 6) for n in shown),
                ("/", *departments, *pager, *sorts, *(f"/item/{SLUGS[n % 400]}-{n}" for n in shown)),
            )
        n = numbers(path)[0]
        related = [k for k in chance(path).sample(range(size), 12) if k % 8 == n % 8][:3]
        return Answer(
            prose(f"good {n}", 90), ("/", *departments, *(f"/item/{SLUGS[k % 400]}-{k}" for k in related))
        )

    return answer


@honest("/goods", 200)
def faceted_shop(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Two filters with few values over real goods; the filters combine, the goods are reached from them only."""
    colours, sizes = ("red", "blue", "green", "black"), ("s", "m", "l")

    def answer(path: str) -> Answer:
        if path.startswith("/goods/"):
            return Answer(prose(f"facet good {path}", 80), ("/goods",))
        asked = query(path)
        shown = [
            n
            for n in range(size)
            if asked.get("colour") in (None, colours[n % 4]) and asked.get("size") in (None, sizes[n % 3])
        ]
        filters = [with_query("/goods", {**asked, "colour": value}) for value in colours]
        filters += [with_query("/goods", {**asked, "size": value}) for value in sizes]
        shown = shown if len(asked) > 1 else shown[:8]
        return Answer(
            " ".join(prose(f"facet {n}", 6) for n in shown),
            (*filters, *(f"/goods/{SLUGS[n]}-{n}" for n in shown)),
        )

    return answer


@honest("/archive/", 480)
def dated_archive(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Years, months, days and articles; nothing else links to them."""
    per_day = 2

    def answer(path: str) -> Answer:
        parts = numbers(path)
        years = range(2001, 2001 + -(-size // (12 * 10 * per_day)))
        if not parts:
            return Answer(prose("archive"), tuple(f"/archive/{y}/" for y in years))
        if len(parts) == 1:
            return Answer(prose(path, 40), tuple(f"/archive/{parts[0]}/{m:02}/" for m in range(1, 13)))
        base = f"/archive/{parts[0]}/{parts[1]:02}/"
        if len(parts) == 2:
            return Answer(prose(path, 40), ("/archive/", *(f"{base}{d:02}/" for d in range(3, 31, 3))))
        base += f"{parts[2]:02}/"
        if path == base:
            return Answer(prose(path, 40), tuple(f"{base}{SLUGS[n]}.html" for n in range(per_day)))
        return Answer(prose(path), ("/archive/", base))

    return answer


@honest("/events/2020/01", 48)
def events(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A calendar with real events: months with previous and next, each with events of their own."""

    def answer(path: str) -> Answer:
        if path.startswith("/event/"):
            return Answer(prose(path, 80), ("/events/2020/01",))
        year, month = numbers(path)
        at = (year - 2020) * 12 + month
        near = [f"/events/{2020 + (n - 1) // 12}/{(n - 1) % 12 + 1:02}" for n in _near(at, size, -1, 1)]
        own = [f"/event/{SLUGS[(at * 7 + k) % 400]}-{at * 10 + k}" for k in range(6)]
        return Answer(" ".join(prose(each, 8) for each in own), (*near, *own))

    return answer


@honest("/list/", 600)
def mailing_list(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Messages with previous and next and an index for each month."""
    months = -(-size // 50)

    def answer(path: str) -> Answer:
        if path == "/list/":
            return Answer(prose("list", 60), tuple(f"/list/2011-{n:03}/" for n in range(1, months + 1)))
        parts = numbers(path)
        base = f"/list/2011-{parts[1]:03}/"
        if len(parts) == 2:
            return Answer(prose(path, 60), ("/list/", *(f"{base}msg{n:05}.html" for n in range(1, 51))))
        return Answer(prose(path), (base, *(f"{base}msg{n:05}.html" for n in _near(parts[2], 50, -1, 1))))

    return answer


@honest("/docs/", 700)
def manual(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A tree of parts and chapters; every page has the contents of its part."""
    parts = [SLUGS[n] for n in range(max(2, size // 35))]

    def answer(path: str) -> Answer:
        names = [name for name in path.split("/") if name][1:]
        top = [f"/docs/{name}/" for name in parts]
        if not names:
            return Answer(prose("docs"), tuple(top))
        inside = [f"/docs/{names[0]}/{SLUGS[40 + n]}.html" for n in range(34)]
        return Answer(prose(path), ("/docs/", *top, *inside))

    return answer


@honest("/articles", 900)
def listed(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Articles that only the pages of a list link to."""

    def answer(path: str) -> Answer:
        if path.startswith("/articles/"):
            return Answer(prose(path), ("/articles",))
        at = int(query(path).get("page", "1"))
        pager = [f"/articles?page={n}" for n in _near(at, -(-size // 25), -1, 1)]
        rows = range(at * 25 - 24, min(size, at * 25) + 1)
        return Answer(prose(path, 50), (*pager, *(f"/articles/{SLUGS[n % 400]}-{n}" for n in rows)))

    return answer


@honest("/photo/1", 220)
def gallery(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Pictures with a caption, next and previous."""

    def answer(path: str) -> Answer:
        at = numbers(path)[0]
        return Answer(prose(path, 40), tuple(f"/photo/{n}" for n in _near(at, size, -1, 1)))

    return answer


@honest("/en/help/0", 220)
def translated(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A manual in three languages; each page has its translations and a few others of its language."""

    def answer(path: str) -> Answer:
        code, at = path[1:3], numbers(path)[0]
        inside = [n for n in (at + 1, at + 2, at // 2, at * 7 % size) if n < size]
        return Answer(
            prose(path),
            (*(f"/{code}/help/{n}" for n in inside), *(f"/{c}/help/{at}" for c in ("en", "de", "fr"))),
        )

    return answer


@honest("/", 400)
def questions(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Questions with related ones, tags and users; lists by page and tag."""

    def url(n: int) -> str:
        return f"/questions/{1000 + n * 37}/{SLUGS[n % 400]}"

    def answer(path: str) -> Answer:
        if path.startswith("/questions/"):
            n = (numbers(path)[0] - 1000) // 37
            made = chance(path)
            return Answer(
                prose(path),
                (
                    "/",
                    f"/tag/{SLUGS[n % 25]}",
                    f"/users/{n % 90}",
                    *(url(made.randrange(size)) for _ in range(4)),
                ),
            )
        if path.startswith("/users/"):
            at = numbers(path)[0]
            return Answer(prose(path, 40), ("/", *(url(n) for n in range(at, size, 90))))
        tag = path.split("/")[2].partition("?")[0] if path.startswith("/tag/") else ""
        rows = [n for n in range(size) if not tag or SLUGS[n % 25] == tag]
        at = int(query(path).get("page", "1"))
        pager = [f"{path.partition('?')[0]}?page={n}" for n in _near(at, -(-len(rows) // 15), -1, 1)]
        return Answer(prose(path, 70), ("/", *pager, *(url(n) for n in rows[at * 15 - 15 : at * 15])))

    return answer


@honest("/", 400)
def moved_archive(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Old names redirect; two pages in three are gone."""

    def answer(path: str) -> Answer:
        if path == "/":
            return Answer(prose("moved"), tuple(f"/old/{SLUGS[n % 400]}-{n}" for n in range(size)))
        if path.startswith("/old/"):
            return Answer(redirect=f"/new/{path[5:]}") if numbers(path)[0] % 3 == 0 else MISSING
        return Answer(prose(path), ("/",))

    return answer


@honest("/index.php?cat=1", 300)
def query_cms(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Everything is index.php: categories, and articles with two parameters."""

    def answer(path: str) -> Answer:
        asked = query(path)
        menu = [f"/index.php?cat={n}" for n in range(1, 9)]
        cat = int(asked["cat"])
        if "id" in asked:
            return Answer(prose(path), (*menu,))
        rows = range(cat, size, 8)
        return Answer(prose(path, 40), (*menu, *(f"/index.php?cat={cat}&id={n}" for n in rows)))

    return answer


@honest("/src/", 500)
def source_tree(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Folders in folders, with files; each page links to the folder above."""

    @cache
    def tree() -> dict[str, list[str]]:
        folders: dict[str, list[str]] = {"/src/": []}
        files = 0
        waiting = ["/src/"]
        while waiting and files < size:
            folder = waiting.pop(0)
            made = chance(folder)
            inside = [f"{folder}{SLUGS[made.randrange(400)]}.py" for _ in range(made.randint(3, 9))]
            deeper = [f"{folder}{SLUGS[made.randrange(400)]}/" for _ in range(made.randint(1, 4))]
            deeper = [each for each in dict.fromkeys(deeper) if each.count("/") < 9 and each not in folders]
            for each in deeper:
                folders[each] = []
            folders[folder] = inside + deeper
            files += len(inside)
            waiting += deeper
        return folders

    def answer(path: str) -> Answer:
        folders = tree()
        if path in folders:
            return Answer(prose(path, 40), (*folders[path], path.rstrip("/").rpartition("/")[0] + "/"))
        return Answer(prose(path), (path.rpartition("/")[0] + "/",)) if path.endswith(".py") else MISSING

    return answer


@honest("/comic/1/", 240)
def comic(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Strips with a transcript: first, previous, random, next, last."""

    def answer(path: str) -> Answer:
        at = numbers(path)[0]
        near = [1, size, *_near(at, size, -1, 1), chance(path).randint(1, size)]
        return Answer(prose(path, 45), tuple(f"/comic/{n}/" for n in near if n != at))

    return answer


@honest("/p/1", 80)
def small_chain(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Numbered pages in a chain with a few links across."""

    def answer(path: str) -> Answer:
        at = numbers(path)[0]
        across = [n for n in (at * 7 % size + 1,) if at % 3 == 0]
        return Answer(prose(f"small{path}"), tuple(f"/p/{n}" for n in [*_near(at, size, 1), *across]))

    return answer


@honest("/parcels?id=1", 300)
def register(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A public register: entries by number with next, previous and neighbours ten further; short pages."""

    def answer(path: str) -> Answer:
        at = int(query(path)["id"])
        return Answer(prose(path, 40), tuple(f"/parcels?id={n}" for n in _near(at, size, -10, -1, 1, 10)))

    return answer
