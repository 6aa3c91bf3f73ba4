"""Traps written after the guard's last change, and not looked at before its first run on them."""

from collections.abc import Callable
from itertools import count

from bench.trap_text import SLUGS, Answer, Prose, chance, digest, numbers, query
from bench.trap_traps import trap


@trap("/flights?day=200&from=ba&to=ke")
def timetable_search(_: Prose) -> Callable[[str], Answer]:
    """Connections between any two towns on any day, with the day before and after and other towns."""

    def answer(path: str) -> Answer:
        asked = query(path)
        day, made = int(asked["day"]), chance(path)
        near = [{**asked, "day": str(day + step)} for step in (-1, 1, 7)]
        near += [{**asked, "to": made.choice(SLUGS)} for _ in range(4)]
        rows = " ".join(
            f"{made.randint(0, 23)}:{made.randint(10, 59)} train {made.randint(1, 999)}" for _ in range(9)
        )
        head = f"connections {asked['from']} {asked['to']}"
        return Answer(
            f"{head} {rows}", tuple(f"/flights?day={e['day']}&from={e['from']}&to={e['to']}" for e in near)
        )

    return answer


@trap("/knowledge/start")
def answer_farm(prose: Prose) -> Callable[[str], Answer]:
    """Made-up questions with made-up answers, five more on each page, a shelf of topics and popular ones."""
    popular = [f"/knowledge/how-to-{SLUGS[n]}" for n in range(30)]

    def answer(path: str) -> Answer:
        made = chance(path)
        if path.startswith("/shelf/"):
            names = [f"/knowledge/why-{made.choice(SLUGS)}-{digest(path + str(k))[:4]}" for k in range(12)]
            return Answer(prose(path, 30), tuple(names))
        more = [f"/knowledge/what-is-{made.choice(SLUGS)}-{made.choice(SLUGS)}" for _ in range(5)]
        return Answer(prose(path, 160), (*more, *made.sample(popular, 3), f"/shelf/{made.choice(SLUGS)}"))

    return answer


@trap("/app/s1/home")
def state_in_path(prose: Prose) -> Callable[[str], Answer]:
    """A program that numbers every state of a dialogue: twenty pages, each under a new number on every visit."""
    states = count(2)

    def answer(path: str) -> Answer:
        name = path.rpartition("/")[2]
        pages = chance(name).sample(range(20), 6)
        return Answer(prose(f"state {name}"), tuple(f"/app/s{next(states)}/{SLUGS[n]}" for n in pages))

    return answer


@trap("/dir/?C=N&O=D")
def sorted_folders(prose: Prose) -> Callable[[str], Answer]:
    """Folders that link to themselves under another name, sorted by any column."""

    def answer(path: str) -> Answer:
        page = path.partition("?")[0]
        sorts = [f"{page}?C={c}&O={o}" for c in "NMSD" for o in "AD"]
        return Answer(
            f"Index of files {prose('dir', 30)}", (*sorts, f"{page}self/", f"{page}copy/", f"{page}old/")
        )

    return answer


@trap("/compare/ba-vs-ke")
def versus(prose: Prose) -> Callable[[str], Answer]:
    """Comparisons of any two of four hundred things, written anew for each."""

    def answer(path: str) -> Answer:
        made = chance(path)
        a, _, b = path.rpartition("/")[2].partition("-vs-")
        others = [f"/compare/{each}-vs-{made.choice(SLUGS)}" for each in (a, b, a, b, a)]
        return Answer(prose(path, 120), (*others, f"/thing/{a}", f"/thing/{b}"))

    return answer


@trap("/news/2026/11/18/")
def old_news(prose: Prose) -> Callable[[str], Answer]:
    """Days back to the year nought, all with the same three stories and a list of years."""

    def answer(path: str) -> Answer:
        year, month, day = (*numbers(path), 1, 1)[:3]
        back = [(year, month, day - 1), (year, month - 1, day), (year - 1, month, day)]
        days = [f"/news/{y}/{(m - 1) % 12 + 1:02}/{(d - 1) % 28 + 1:02}/" for y, m, d in back]
        stories = " ".join(prose(f"story {n}", 40) for n in range(3))
        return Answer(f"{day}.{month}.{year} {stories}", tuple(days))

    return answer


@trap("/u/ba")
def follower_lists(prose: Prose) -> Callable[[str], Answer]:
    """Made-up people with lists of followers in pages that never end."""

    def answer(path: str) -> Answer:
        page = path.partition("?")[0]
        at = int(query(path).get("p", 1))
        who = page.split("/")[2]
        if page.endswith("/followers"):
            made = chance(path)
            people = [f"/u/{made.choice(SLUGS)}{made.choice(SLUGS)}" for _ in range(6)]
            return Answer(f"followers of {who} {prose(path, 8)}", (*people, f"{page}?p={at + 1}"))
        return Answer(prose(path, 30), (f"/u/{who}/followers", f"/u/{who}/likes"))

    return answer
