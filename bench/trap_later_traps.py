"""Traps written after the guard was settled, which was not changed for them."""

from collections.abc import Callable
from itertools import count

from bench.trap_text import SLUGS, Answer, Prose, chance, digest, numbers, query
from bench.trap_traps import MONTHS, trap


@trap("/diary/2024-05")
def diary_of_nothing(_: Prose) -> Callable[[str], Answer]:
    """Months, weeks and days without an entry, each with the one before and after, for ever."""

    def answer(path: str) -> Answer:
        year, month, *day = numbers(path)
        months = [f"/diary/{year + (month + s - 1) // 12}-{(month + s - 1) % 12 + 1:02}" for s in (-1, 1)]
        days = [f"/diary/{year}-{month:02}-{d:02}" for d in range(1, 29)]
        if day:
            days = [f"/diary/{year}-{month:02}-{d:02}" for d in (day[0] - 1, day[0] + 1) if 1 <= d <= 28]
            days.append(f"/diary/new?date={year}-{month}-{day[0]}")
        return Answer(
            f"{MONTHS[month % 12]} no entries for this {'day' if day else 'month'}", (*months, *days)
        )

    return answer


@trap("/catalogue?in=all")
def filters_in_any_order(prose: Prose) -> Callable[[str], Answer]:
    """Filters that are added in the order of clicks: the same things under every order."""

    def answer(path: str) -> Answer:
        if path.startswith("/thing/"):
            return Answer(prose(path, 60), ("/catalogue?in=all",))
        asked = path.partition("?")[2]
        chosen = set(query(path).values())
        values = [(kind, f"{kind}{n}") for kind in ("hue", "cut", "make", "year", "fit") for n in range(4)]
        links = [f"/catalogue?{asked}&{kind}={value}" for kind, value in values if f"{kind}=" not in asked]
        things = [f"/thing/{n}" for n in chance(str(sorted(chosen))).sample(range(80), 5)]
        return Answer(" ".join(SLUGS[numbers(each)[0]] for each in things), (*things, *links))

    return answer


@trap("/s-0000aaaa1111/home")
def session_before_path(prose: Prose) -> Callable[[str], Answer]:
    """Forty pages behind a folder that names the session; every page begins a new one."""
    visits = count(1)

    def answer(path: str) -> Answer:
        name = path.split("/", 2)[2]
        session = f"/s-{digest(next(visits))}"
        pages = chance(name).sample(range(40), 7)
        return Answer(prose(f"session page {name}"), tuple(f"{session}/{SLUGS[n]}" for n in pages))

    return answer


@trap("/products/list")
def relative_loop(prose: Prose) -> Callable[[str], Answer]:
    """Links without a leading slash on pages that end in a slash: every click goes one folder deeper."""

    def answer(path: str) -> Answer:
        last = path.rstrip("/").rpartition("/")[2]
        names = ("about", "contact", "products", "help", "news")
        own = path if path.endswith("/") else path.rpartition("/")[0] + "/"
        return Answer(prose(f"relative {last}"), tuple(f"{own}{name}/" for name in names))

    return answer
