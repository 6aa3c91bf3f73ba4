"""Sites of the trap bench that were written before the last change of the guard and looked at after it only."""

from collections.abc import Callable
from itertools import count

import bench.trap_unseen  # noqa: F401 - its sites come before those of this module
from bench.trap_honest import HONEST, honest
from bench.trap_text import SLUGS, Answer, Prose, chance, digest, numbers, query, with_query
from bench.trap_traps import MONTHS, TRAPS, trap

EARLIER = frozenset((*HONEST, *TRAPS))
"""Sites that were there before those of this module."""


# ---- honest sites -------------------------------------------------------------------------------------


@honest("/person/1", 420)
def family_tree(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Persons with their parents, partners and children."""

    def answer(path: str) -> Answer:
        n = numbers(path)[0]
        kin = {n // 3, 3 * n, 3 * n + 1, 3 * n + 2, n + 1 if n % 3 == 0 else n - 1}
        return Answer(prose(path, 60), tuple(f"/person/{k}" for k in sorted(kin) if 1 <= k <= size))

    return answer


@honest("/decisions/", 500)
def court(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Decisions by year and month, which cite earlier ones now and then."""
    per_month = 10

    def url(n: int) -> str:
        month = n // per_month
        return (
            f"/decisions/{2000 + month // 12}/{month % 12 + 1:02}/{SLUGS[n % 400]}-v-{SLUGS[n * 7 % 400]}-{n}"
        )

    def answer(path: str) -> Answer:
        months = [(2000 + k // 12, k % 12 + 1) for k in range(size // per_month)]
        if path == "/decisions/":
            return Answer(
                prose("court", 30), tuple(f"/decisions/{y}/" for y in sorted({y for y, _ in months}))
            )
        parts = numbers(path)
        if path.endswith("/") and len(parts) == 1:
            return Answer(
                prose(path, 10), tuple(f"/decisions/{y}/{m:02}/" for y, m in months if y == parts[0])
            )
        if path.endswith("/"):
            first = months.index((parts[0], parts[1])) * per_month
            return Answer(prose(path, 10), tuple(url(first + k) for k in range(per_month)))
        n = parts[-1]
        cited = [chance(path + str(k)).randrange(n) for k in range(n % 3)] if n else []
        return Answer(prose(path, 150), (path.rpartition("/")[0] + "/", *(url(k) for k in cited)))

    return answer


@honest("/stops", 280)
def timetable(_: Prose, size: int) -> Callable[[str], Answer]:
    """Departures of each stop for each day of the week: the same words with other times."""
    stops = size // 7

    def answer(path: str) -> Answer:
        if path == "/stops":
            return Answer("All stops", tuple(f"/stop/{n}?day=1" for n in range(stops)))
        n, day = numbers(path)
        made = chance(path)
        times = " ".join(f"line {made.randint(1, 40)} at {h}:{made.randint(0, 59):02}" for h in range(5, 24))
        others = [n + 1, n - 1]
        return Answer(
            f"{SLUGS[n]} {times}",
            (
                "/stops",
                *(f"/stop/{n}?day={d}" for d in range(1, 8)),
                *(f"/stop/{k}?day={day}" for k in others if 0 <= k < stops),
            ),
        )

    return answer


@honest("/api/", 450)
def class_reference(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Packages and classes in deep folders; classes name the classes that they use."""

    def package(n: int) -> str:
        return f"/api/org/{SLUGS[n % 4]}/{SLUGS[n % 9]}/{SLUGS[n]}/"

    def url(n: int) -> str:
        return f"{package(n % 15)}{SLUGS[n % 400].title()}{SLUGS[n // 15].title()}.html"

    names = {url(n): n for n in range(size)}

    def answer(path: str) -> Answer:
        if path in names:
            n = names[path]
            used = (url(chance(path + str(k)).randrange(size)) for k in range(3))
            return Answer(prose(path), ("/api/", package(n % 15) + "package-summary.html", *used))
        if path == "/api/":
            return Answer(prose("api", 40), tuple(package(n) + "package-summary.html" for n in range(15)))
        inside = [url(n) for n in range(size) if path.startswith(package(n % 15))]
        return Answer(prose(path, 20), ("/api/", *inside))

    return answer


@honest("/life/", 781)
def taxonomy(prose: Prose, _: int) -> Callable[[str], Answer]:
    """Orders, families, genera and species: every page lists what is below it and links to what is above."""

    def answer(path: str) -> Answer:
        names = path.strip("/").split("/")[1:]
        made = chance(path)
        below = [f"{path}{SLUGS[k]}/" for k in made.sample(range(400), 5)] if len(names) < 4 else []
        above = path.rstrip("/").rpartition("/")[0] + "/"
        return Answer(prose(path, 80), (*below, *([above] if names else [])))

    return answer


@honest("/debates/2010-01", 360)
def debates(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A parliament: months, sittings, speeches one after the other."""
    months = size // 40

    def answer(path: str) -> Answer:
        parts = numbers(path)
        if len(parts) == 2:
            at = (parts[0] - 2010) * 12 + parts[1] - 1
            near = [k for k in (at - 1, at + 1) if 0 <= k < months]
            days = (f"{path}-{d:02}" for d in (3, 10, 17, 24))
            return Answer(
                prose(path, 12), (*(f"/debates/{2010 + k // 12}-{k % 12 + 1:02}" for k in near), *days)
            )
        base = f"/debates/{parts[0]}-{parts[1]:02}-{parts[2]:02}"
        if len(parts) == 3:
            return Answer(prose(path, 40), (base.rpartition("-")[0], f"{base}/1"))
        near = [k for k in (parts[3] - 1, parts[3] + 1) if 1 <= k <= 9]
        return Answer(prose(path, 150), (base, *(f"{base}/{k}" for k in near)))

    return answer


@honest("/help/", 350)
def help_centre(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Categories, sections and articles with long numbers, and three related articles each."""

    def url(n: int) -> str:
        return f"/help/articles/{360000000000 + n * 7919}-{SLUGS[n % 400]}-{SLUGS[n * 3 % 400]}"

    def answer(path: str) -> Answer:
        if path == "/help/":
            return Answer(prose("help", 20), tuple(f"/help/categories/{11500 + n}" for n in range(5)))
        if path.startswith("/help/categories/"):
            n = numbers(path)[0] - 11500
            return Answer(prose(path, 8), tuple(f"/help/sections/{20300 + n * 7 + k}" for k in range(7)))
        if path.startswith("/help/sections/"):
            n = numbers(path)[0] - 20300
            return Answer(prose(path, 8), ("/help/", *(url(k) for k in range(n, size, 35))))
        n = (numbers(path)[0] - 360000000000) // 7919
        related = (url(k) for k in chance(path).sample(range(size), 3))
        return Answer(prose(path, 110), ("/help/", f"/help/sections/{20300 + n % 35}", *related))

    return answer


@honest("/statistics?topic=0", 400)
def statistics(_: Prose, size: int) -> Callable[[str], Answer]:
    """Tables of figures for each topic, region and year."""

    def answer(path: str) -> Answer:
        asked = query(path)
        topic = int(asked["topic"])
        topics = [f"/statistics?topic={k}" for k in range(size // 40)]
        if "year" not in asked:
            tables = [
                with_query("/statistics", {"topic": str(topic), "region": r, "year": str(y)})
                for r in ("north", "south", "east", "west")
                for y in range(2010, 2020)
            ]
            return Answer(f"Topic {SLUGS[topic]}", (*topics, *tables))
        made = chance(path)
        rows = " ".join(f"{SLUGS[k + topic]} {made.randint(0, 99999)}" for k in range(30))
        return Answer(f"{asked['region']} {asked['year']} {rows}", tuple(topics))

    return answer


@honest("/minutes?offset=0", 500)
def long_pager(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A list in steps of ten that shows all its steps, and documents that link to nothing."""

    def answer(path: str) -> Answer:
        if path.startswith("/minutes/"):
            return Answer(prose(path, 130))
        at = int(query(path)["offset"])
        steps = (f"/minutes?offset={n}" for n in range(0, size, 10))
        return Answer(prose(path, 8), (*steps, *(f"/minutes/{digest(n)}.html" for n in range(at, at + 10))))

    return answer


# ---- traps ----------------------------------------------------------------------------------------------


@trap("/shop/start;sid=0")
def session_in_parameter(prose: Prose) -> Callable[[str], Answer]:
    """Twenty pages whose links carry a new session behind a semicolon."""
    fresh = count(1)

    def answer(path: str) -> Answer:
        name = path.partition(";")[0]
        return Answer(
            prose(f"parameter {name}"),
            tuple(f"/shop/g{n};sid={digest(next(fresh))}" for n in chance(name).sample(range(20), 8)),
        )

    return answer


@trap("/compare/ba-vs-ke")
def comparisons(prose: Prose) -> Callable[[str], Answer]:
    """Any thing compared with any other, with further comparisons of both."""

    def answer(path: str) -> Answer:
        a, _, b = path.rpartition("/")[2].partition("-vs-")
        made = chance(path)
        others = [made.choice(SLUGS) + made.choice(SLUGS) for _ in range(3)]
        return Answer(
            prose(path, 140), (*(f"/compare/{a}-vs-{o}" for o in others), f"/compare/{others[0]}-vs-{b}")
        )

    return answer


@trap("/q/why-is-ba")
def people_also_ask(prose: Prose) -> Callable[[str], Answer]:
    """Questions with an answer and four more questions."""

    def answer(path: str) -> Answer:
        made = chance(path)
        return Answer(
            prose(path, 160),
            tuple(
                f"/q/{made.choice(('why', 'how', 'when'))}-{'-'.join(made.choices(SLUGS, k=4))}"
                for _ in range(4)
            ),
        )

    return answer


@trap("/report?from=100&to=130")
def date_ranges(prose: Prose) -> Callable[[str], Answer]:
    """Reports for any two days, with ranges that begin and end a day or a month earlier or later."""

    def answer(path: str) -> Answer:
        asked = query(path)
        a, b = int(asked["from"]), int(asked["to"])
        near = [(a - 30, b - 30), (a + 30, b + 30), (a - 1, b), (a, b + 1), (a, b + 365)]
        return Answer(prose(path, 40), tuple(f"/report?from={x}&to={y}" for x, y in near))

    return answer


@trap("/list/")
def page_in_page(prose: Prose) -> Callable[[str], Answer]:
    """A pager with relative links: /list/page/2/page/3/."""

    def answer(path: str) -> Answer:
        at = numbers(path)[-1] if numbers(path) else 1
        return Answer(prose(f"page in page {at % 9}"), tuple(f"{path}page/{n}/" for n in range(1, 9)))

    return answer


@trap("/near/48.1,11.5")
def coordinates(prose: Prose) -> Callable[[str], Answer]:
    """What lies around a point, with the points around it."""

    def answer(path: str) -> Answer:
        lat, lng = (float(part) for part in path.rpartition("/")[2].split(","))
        steps = [(0.1, 0), (0, 0.1), (-0.1, 0), (0, -0.1), (0.05, 0.05)]
        return Answer(
            f"{prose('near', 30)} {prose(path, 15)}",
            tuple(f"/near/{round(lat + a, 2)},{round(lng + b, 2)}" for a, b in steps),
        )

    return answer


@trap("/essay/0")
def cross_linked_maze(prose: Prose) -> Callable[[str], Answer]:
    """A maze that links back: two new pages, and three that other pages of it have, too."""
    known: dict[str, int] = {"/essay/0": 1}

    def name(n: int) -> str:
        url = f"/essay/{SLUGS[n % 397]}-{digest(n)[:6]}" if n > 1 else "/essay/0"
        known[url] = n
        return url

    def answer(path: str) -> Answer:
        n = known.get(path, 1)
        back = [max(1, int(n * chance(path + str(k)).random())) for k in range(3)]
        return Answer(prose(path, 170), tuple(name(k) for k in (2 * n, 2 * n + 1, *back)))

    return answer


@trap("/item/1")
def wish_list(prose: Prose) -> Callable[[str], Answer]:
    """Thirty things; each can be put on a list, which asks to log in and to come back."""

    def answer(path: str) -> Answer:
        if path.startswith("/login"):
            return Answer(
                prose("log in", 50), ("/item/1", f"/login?back={digest(path)}", f"/login?new={digest(path)}")
            )
        n = numbers(path)[0] % 30
        return Answer(prose(f"thing {n}"), (f"/login?back={digest(path)}", f"/item/{(n + 1) % 30}"))

    return answer


@trap("/archive/2026/12")
def months_without_posts(prose: Prose) -> Callable[[str], Answer]:
    """Months back for ever, with the latest posts beside an empty list."""

    def answer(path: str) -> Answer:
        if path.startswith("/post/"):
            return Answer(prose(path), ("/archive/2026/12",))
        year, month = numbers(path)
        before = (year, month - 1) if month > 1 else (year - 1, 12)
        year_before = (year - 1, month)
        text = f"No posts in {MONTHS[month - 1]} {year}. {prose('latest', 40)}"
        return Answer(
            text,
            (
                *(f"/archive/{y}/{m}" for y, m in (before, year_before)),
                *(f"/post/{SLUGS[n]}" for n in range(5)),
            ),
        )

    return answer


@trap("/tr/de/0")
def translations(prose: Prose) -> Callable[[str], Answer]:
    """Machine translations of every page into every language, from every language."""
    codes = ("de", "en", "fr", "ja", "es", "it", "pt", "nl")

    def answer(path: str) -> Answer:
        page = path.rpartition("/")[2]
        way = path.split("/")[2]
        ways = [f"{way[-8:]}-{code}" for code in codes]
        following = int(page) + 1
        return Answer(
            prose(path, 90), (*(f"/tr/{each}/{page}" for each in ways), f"/tr/{way[-2:]}/{following}")
        )

    return answer


@trap("/viewer/img/1/0/0")
def viewer(_: Prose) -> Callable[[str], Answer]:
    """Pictures that can be zoomed, turned and moved."""

    def answer(path: str) -> Answer:
        zoom, x, y = numbers(path)
        near = [(zoom + 1, 2 * x, 2 * y), (zoom, x + 1, y), (zoom, x, y + 1), (max(1, zoom - 1), x, y)]
        return Answer(
            "zoom in zoom out turn left turn right", tuple(f"/viewer/img/{a}/{b}/{c}" for a, b, c in near)
        )

    return answer


@trap("/topics/ba/")
def topics_of_topics(prose: Prose) -> Callable[[str], Answer]:
    """Topics that list articles and further topics; articles list further topics."""

    def answer(path: str) -> Answer:
        made = chance(path)
        topics = [
            f"/topics/{made.choice(SLUGS)}-{made.choice(SLUGS)}-{made.choice(SLUGS)}/" for _ in range(4)
        ]
        if path.startswith("/topics/"):
            topics += [f"/articles/{digest(path + str(n))}.html" for n in range(6)]
        return Answer(prose(path, 130), tuple(topics))

    return answer
