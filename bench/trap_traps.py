"""Traps of the trap bench: URL spaces without end, or with far more URLs than pages."""

from collections.abc import Callable
from itertools import count

from bench.trap_text import MISSING, SLUGS, Answer, Prose, chance, digest, numbers, query, with_query

Trap = Callable[[Prose], Callable[[str], Answer]]
TRAPS: dict[str, tuple[Trap, str]] = {}
"""By name: the site, and the path of its entrance."""

MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]


def trap(first: str) -> Callable[[Trap], Trap]:
    """Register a trap by the name of its function."""

    def register(build: Trap) -> Trap:
        TRAPS[build.__name__] = (build, first)
        return build

    return register


def _months(at: int, *steps: int) -> list[tuple[int, int]]:
    return [((at + step) // 12, (at + step) % 12 + 1) for step in steps]


@trap("/m/start")
def maze(prose: Prose) -> Callable[[str], Answer]:
    """Fresh text and ten random names on every page."""
    return lambda path: Answer(prose(path, 150), ("/", *(f"/m/{digest(path + str(n))}" for n in range(10))))


@trap("/")
def word_maze(prose: Prose) -> Callable[[str], Answer]:
    """Natural names at every depth of a whole host."""

    def answer(path: str) -> Answer:
        made = chance(path)
        names = [
            "/".join(made.choice(SLUGS) + made.choice(SLUGS) for _ in range(made.randint(1, 5)))
            for _ in range(9)
        ]
        return Answer(prose(path, 200), ("/", *(f"/{name}" for name in names)))

    return answer


@trap("/read/intro")
def maze_with_menu(prose: Prose) -> Callable[[str], Answer]:
    """A menu, links back to the page before and its siblings, and six new articles."""

    def answer(path: str) -> Answer:
        menu = ("/", "/about", "/contact", "/news")
        if path in menu:
            return Answer(prose(path), (*menu, "/read/intro"))
        made = chance(path)
        names = [
            f"{SLUGS[made.randrange(400)]}-{SLUGS[made.randrange(400)]}-{digest(path)[:5]}" for _ in range(6)
        ]
        parent = chance(f"up {path}").choice(names)
        return Answer(
            prose(path, 180), (*menu, "/read/intro", f"/read/{parent}", *(f"/read/{n}" for n in names))
        )

    return answer


@trap("/a/0")
def alternating(prose: Prose) -> Callable[[str], Answer]:
    """Two kinds of page that list each other."""

    def answer(path: str) -> Answer:
        other = "b" if path.startswith("/a/") else "a"
        return Answer(prose(path), tuple(f"/{other}/{digest(path + str(n))}" for n in range(8)))

    return answer


@trap("/x/a/0")
def three_kinds(prose: Prose) -> Callable[[str], Answer]:
    """Three kinds of page, each with three links to the next kind."""

    def answer(path: str) -> Answer:
        following = {"a": "b", "b": "c", "c": "a"}[path[3]]
        return Answer(prose(path), tuple(f"/x/{following}/{digest(path + str(n))}" for n in range(3)))

    return answer


@trap("/node/1")
def binary_tree(prose: Prose) -> Callable[[str], Answer]:
    """Each page has two below it and one above."""

    def answer(path: str) -> Answer:
        at = numbers(path)[0]
        return Answer(prose(path), (f"/node/{2 * at}", f"/node/{2 * at + 1}", f"/node/{max(1, at // 2)}"))

    return answer


@trap("/events?month=0")
def empty_calendar(prose: Prose) -> Callable[[str], Answer]:
    """Months by query with four ways on, all without events."""

    def answer(path: str) -> Answer:
        at = numbers(path)[0]
        days = " ".join(map(str, range(1, 31)))
        text = f"{prose('frame', 30)} {MONTHS[at % 12]} Mo Tu We Th Fr Sa Su {days} no events this month"
        return Answer(text, ("/", *(f"/events?month={max(0, at + step)}" for step in (1, -1, 12, -12))))

    return answer


@trap("/cal/2026/1")
def calendar_of_days(_: Prose) -> Callable[[str], Answer]:
    """Months with four ways on and a page for every day, nearly without text."""

    def answer(path: str) -> Answer:
        year, month, *day = numbers(path)
        near = [f"/cal/{y}/{m}" for y, m in _months(year * 12 + month - 1, -1, 1, -12, 12)]
        text = f"{MONTHS[month - 1]} nothing planned" + (" add an event" if day else "")
        return Answer(text, (*near, *(f"/cal/{year}/{month}/{d}" for d in range(1, 29))))

    return answer


@trap("/plan/2026/1")
def written_calendar(prose: Prose) -> Callable[[str], Answer]:
    """The same with words of its own on every page."""

    def answer(path: str) -> Answer:
        year, month, *_ = numbers(path)
        near = [f"/plan/{y}/{m}" for y, m in _months(year * 12 + month - 1, -1, 1, -12, 12)]
        return Answer(prose(path), (*near, *(f"/plan/{year}/{month}/{d}" for d in range(1, 29))))

    return answer


@trap("/agenda?m=24312&view=month")
def calendar_views(prose: Prose) -> Callable[[str], Answer]:
    """A calendar in three views, each with previous and next; fresh words."""

    def answer(path: str) -> Answer:
        at = int(query(path)["m"])
        return Answer(
            prose(path),
            tuple(f"/agenda?m={m}&view={v}" for v in ("month", "week", "list") for m in (at - 1, at + 1)),
        )

    return answer


@trap("/shop/p0")
def session_in_query(prose: Prose) -> Callable[[str], Answer]:
    """Fifteen pages; every answer gives every link a new token."""
    fresh = count()

    def answer(path: str) -> Answer:
        name = path.partition("?")[0]
        return Answer(
            prose(f"session {name}"), tuple(f"/shop/p{n}?tok={digest(next(fresh))}" for n in range(15))
        )

    return answer


@trap("/0123456789ab/p0")
def session_in_path(prose: Prose) -> Callable[[str], Answer]:
    """The same with the token as a folder."""
    fresh = count()

    def answer(path: str) -> Answer:
        name = path.rpartition("/")[2]
        return Answer(prose(f"session path {name}"), tuple(f"/{digest(next(fresh))}/p{n}" for n in range(15)))

    return answer


@trap("/list?page=1")
def repeating_pages(prose: Prose) -> Callable[[str], Answer]:
    """Pages beyond the last show the last one again."""

    def answer(path: str) -> Answer:
        at = int(query(path)["page"])
        return Answer(prose(f"list {min(at, 5)}"), (f"/list?page={at + 1}",))

    return answer


@trap("/found?page=1")
def jumping_pages(prose: Prose) -> Callable[[str], Answer]:
    """Pages of results that lead on by several jumps."""

    def answer(path: str) -> Answer:
        at = int(query(path)["page"])
        return Answer(prose(path), tuple(f"/found?page={at + step}" for step in (1, 2, 5, 10, 50)))

    return answer


@trap("/catalogue?page=1")
def made_up_goods(prose: Prose) -> Callable[[str], Answer]:
    """An endless list of goods that are made up for each page."""

    def answer(path: str) -> Answer:
        if path.startswith("/good/"):
            return Answer(prose(path), ("/catalogue?page=1",))
        at = int(query(path)["page"])
        return Answer(
            prose(path, 60),
            (f"/catalogue?page={at + 1}", *(f"/good/{digest(path + str(n))}" for n in range(10))),
        )

    return answer


@trap("/next/1")
def endless_chain(prose: Prose) -> Callable[[str], Answer]:
    """One page after another with words of its own: told from a book only by its length."""
    return lambda path: Answer(prose(path), (f"/next/{numbers(path)[0] + 1}",))


@trap("/record/1")
def numbered_records(prose: Prose) -> Callable[[str], Answer]:
    """Records that link to the twenty after them."""
    return lambda path: Answer(prose(path), tuple(f"/record/{numbers(path)[0] + n}" for n in range(1, 21)))


@trap("/find")
def facets(prose: Prose) -> Callable[[str], Answer]:
    """Five filters in every combination, with other goods for each."""
    values = {"brand": 12, "colour": 9, "size": 8, "sort": 4, "view": 3}

    def answer(path: str) -> Answer:
        chosen = query(path)
        links = [
            with_query("/find", {**chosen, name: f"v{n}"})
            for name, most in values.items()
            for n in range(most)
        ]
        filters = sorted((k, v) for k, v in chosen.items() if k not in ("sort", "view"))
        return Answer(prose(f"facets {filters}"), tuple(links))

    return answer


@trap("/goods/red")
def facets_in_path(prose: Prose) -> Callable[[str], Answer]:
    """Tags that add up in the path."""
    tags = ("red", "blue", "large", "small", "new", "used", "fine", "round", "square")

    def answer(path: str) -> Answer:
        words = f"{prose('goods', 120)} {prose(path, 20)}"
        return Answer(words, tuple(f"{path}/{tag}" for tag in tags if tag not in path))

    return answer


@trap("/table?dir=up&sort=a&start=0")
def sort_orders(prose: Prose) -> Callable[[str], Answer]:
    """Two hundred rows in eight orders, in steps that begin anywhere."""

    def answer(path: str) -> Answer:
        asked = query(path)
        at = int(asked["start"])
        order = sorted(
            range(200), key=lambda n: chance(asked["sort"] + str(n)).random(), reverse=asked["dir"] == "up"
        )
        shown = order[at % 200 : at % 200 + 20]
        links = [
            with_query("/table", {**asked, "sort": s, "dir": d}) for s in "abcdefgh" for d in ("up", "down")
        ]
        links += [with_query("/table", {**asked, "start": str(at + step)}) for step in (1, 7, 20)]
        return Answer(" ".join(prose(f"row {n}", 5) for n in shown), tuple(links))

    return answer


@trap("/link-farm/best-deals-1.html")
def link_farm(prose: Prose) -> Callable[[str], Answer]:
    """Thin pages that link to each other: half to new ones, half to some found before."""

    def answer(path: str) -> Answer:
        at = numbers(path)[0]
        near = [
            *(at * 3 + n for n in range(8)),
            *(max(1, at // 3 - n) for n in range(4)),
            *(at + n for n in range(4)),
        ]
        return Answer(prose(path, 12), tuple(f"/link-farm/best-deals-{n}.html" for n in near))

    return answer


@trap("/best/cheap-ba")
def keyword_pages(prose: Prose) -> Callable[[str], Answer]:
    """Landing pages for pairs of words: one text with the words put in."""

    def answer(path: str) -> Answer:
        made, words = chance(path), path.rpartition("/")[2].replace("-", " ")
        names = [f"/best/{SLUGS[made.randrange(400)]}-{SLUGS[made.randrange(400)]}" for _ in range(20)]
        return Answer(f"{prose('landing', 100)} {words} {prose('landing too', 60)} {words}", tuple(names))

    return answer


@trap("/missing/start")
def soft_404(prose: Prose) -> Callable[[str], Answer]:
    """Nothing is ever missing: one text, and suggestions."""

    def answer(path: str) -> Answer:
        made = chance(path)
        text = f"Sorry, {path} could not be found. It may have moved. {prose('sorry', 40)}"
        return Answer(
            text,
            ("/", *(f"/{made.choice(SLUGS)}/{made.choice(SLUGS)}/{made.randrange(99999)}" for _ in range(9))),
        )

    return answer


@trap("/x/")
def repeated_path(prose: Prose) -> Callable[[str], Answer]:
    """Relative links that were meant to be absolute."""

    def answer(path: str) -> Answer:
        base = path if path.endswith("/") else path.rpartition("/")[0] + "/"
        return Answer(prose(path), (base + "news/", base + "about/", base + "item.html"))

    return answer


@trap("/d/")
def deep_path(prose: Prose) -> Callable[[str], Answer]:
    """Folders below folders without end."""

    def answer(path: str) -> Answer:
        made = chance(path)
        return Answer(prose(path), tuple(f"{path}{made.choice(SLUGS)}/" for _ in range(3)))

    return answer


@trap("/walk?trail=x")
def growing_value(prose: Prose) -> Callable[[str], Answer]:
    """A parameter that takes its own history along."""
    return lambda path: Answer(prose(path), tuple(f"{path}{letter}" for letter in "ab"))


@trap("/grow?a0=1")
def growing_parameters(prose: Prose) -> Callable[[str], Answer]:
    """One more parameter on every page."""
    return lambda path: Answer(prose(path), tuple(f"{path}&a{path.count('&') + 1}={n}" for n in range(3)))


@trap("/article?ref=0")
def aliases(prose: Prose) -> Callable[[str], Answer]:
    """One article under endlessly many URLs."""
    fresh = count(1)
    return lambda _: Answer(prose("the article"), tuple(f"/article?ref={next(fresh)}" for _ in range(12)))


@trap("/en/home")
def languages(prose: Prose) -> Callable[[str], Answer]:
    """A switch that puts a language before the path, also where there is one."""
    return lambda path: Answer(prose(path), tuple(f"/{code}{path}" for code in ("en", "de", "fr", "ja")))


@trap("/room/start")
def redirected_rooms(prose: Prose) -> Callable[[str], Answer]:
    """Pages that are reached by redirects only."""

    def answer(path: str) -> Answer:
        if path.startswith("/out?"):
            return Answer(redirect=f"/room/{digest(path)}")
        return Answer(prose(path), tuple(f"/out?to={digest(path + str(n))}" for n in range(5)))

    return answer


@trap("/search?q=ba")
def related_searches(prose: Prose) -> Callable[[str], Answer]:
    """Results for any words, with related searches that add a word."""

    def answer(path: str) -> Answer:
        made, words = chance(path), query(path)["q"].split("+")
        more = [made.choice(SLUGS) for _ in range(8)]
        found = "+".join
        return Answer(prose(path, 100), tuple(f"/search?q={found([*words[-3:], word])}" for word in more))

    return answer


@trap("/tags/ba")
def tag_combinations(prose: Prose) -> Callable[[str], Answer]:
    """Tags joined by a plus, each with other posts."""

    def answer(path: str) -> Answer:
        tags = path.rpartition("/")[2].split("+")
        more = [name for name in SLUGS[:30] if name not in tags]
        return Answer(prose(path), tuple(f"/tags/{'+'.join(sorted([*tags, name]))}" for name in more[:20]))

    return answer


@trap("/links")
def dead_list(prose: Prose) -> Callable[[str], Answer]:
    """A list of thousands of pages that are gone."""

    def answer(path: str) -> Answer:
        return (
            MISSING
            if path.startswith("/gone/")
            else Answer(prose(path), tuple(f"/gone/{n}" for n in range(3_000)))
        )

    return answer


@trap("/story/1")
def reply_forms(prose: Prose) -> Callable[[str], Answer]:
    """One story; each of its comments has links to reply, to print and to share, which show the story again."""

    def answer(path: str) -> Answer:
        at = numbers(path)
        base = at[-1] if at else 1
        text = prose("the story", 200)
        return Answer(
            text, tuple(f"/story/1?{name}={base * 9 + n}" for n in range(9) for name in ("reply", "print"))
        )

    return answer


@trap("/years/2026/")
def empty_years(prose: Prose) -> Callable[[str], Answer]:
    """An archive that goes back for ever: years with months, all empty."""

    def answer(path: str) -> Answer:
        year, *month = numbers(path)
        text = f"{prose('empty archive', 50)} nothing was written in {MONTHS[month[0] % 12] if month else 'this year'}"
        return Answer(text, (f"/years/{year - 1}/", *(f"/years/{year}/{m:02}/" for m in range(1, 13))))

    return answer


@trap("/people/1")
def made_up_people(prose: Prose) -> Callable[[str], Answer]:
    """Profiles with friends at random numbers."""

    def answer(path: str) -> Answer:
        made = chance(path)
        return Answer(prose(path, 80), ("/", *(f"/people/{made.randrange(10**9)}" for _ in range(12))))

    return answer
