"""Traps after mechanics of real servers, written without looking at what the guard says of them."""

from collections.abc import Callable
from itertools import count

from bench.trap_text import SLUGS, Answer, Prose, chance, digest, numbers, query
from bench.trap_traps import trap


@trap("/insights/lighthouse-keeping")
def related_labyrinth(prose: Prose) -> Callable[[str], Answer]:
    """Articles made for crawlers: six links to themes near the page's own words, some of which other articles have."""
    themes = (
        "lighthouse",
        "keeper",
        "harbour",
        "beacon",
        "signal",
        "lens",
        "tower",
        "storm",
        "island",
        "history",
    )

    def answer(path: str) -> Answer:
        words = path.rpartition("/")[2].split("-")
        made = chance(path)
        links = [
            "-".join((made.choice(words), made.choice(themes), *made.choices(themes, k=made.randrange(3))))
            for _ in range(6)
        ]
        return Answer(prose(path, 180), tuple(f"/insights/{each}" for each in links))

    return answer


@trap("/a/start")
def popular_maze(prose: Prose) -> Callable[[str], Answer]:
    """Every page links to three new ones and to six of a hundred that all others link to as well."""
    popular = [f"/a/{SLUGS[n]}-{SLUGS[n + 50]}" for n in range(100)]

    def answer(path: str) -> Answer:
        made = chance(path)
        new = [f"/a/{made.choice(SLUGS)}-{made.choice(SLUGS)}-{digest(path + str(k))[:4]}" for k in range(3)]
        return Answer(prose(path, 150), (*made.sample(popular, 6), *new))

    return answer


@trap("/feed?cursor=0")
def endless_scroll(prose: Prose) -> Callable[[str], Answer]:
    """A list without end of forty things that come again under other numbers."""
    cursors = count(1)

    def answer(path: str) -> Answer:
        if path.startswith("/post/"):
            return Answer(prose(f"post {numbers(path)[0] % 40}"), (f"/feed?cursor={digest(path)}",))
        items = [next(cursors) for _ in range(8)]
        text = " ".join(SLUGS[n % 40] for n in items)
        return Answer(text, (*(f"/post/{n}" for n in items), f"/feed?cursor={digest(path)}"))

    return answer


@trap("/rooms?adults=2&from=100&to=103")
def booking(prose: Prose) -> Callable[[str], Answer]:
    """Rooms and prices for any days and any number of people, with days and numbers beside them."""
    hotel = prose("hotel", 40)

    def answer(path: str) -> Answer:
        asked = {name: int(value) for name, value in query(path).items()}
        a, b, n = asked["from"], asked["to"], asked["adults"]
        near = [(n, a + 1, b + 1), (n, a - 1, b - 1), (n, a, b + 1), (n + 1, a, b), (n, a + 7, b + 7)]
        prices = " ".join(f"room {k} costs {chance(path + str(k)).randint(60, 900)}" for k in range(9))
        return Answer(f"{hotel} {prices}", tuple(f"/rooms?adults={i}&from={j}&to={k}" for i, j, k in near))

    return answer


@trap("/repo/log/0")
def blob_history(prose: Prose) -> Callable[[str], Answer]:
    """Thirty files of a repository as they were at each of thousands of commits, with authors and differences."""

    def answer(path: str) -> Answer:
        kind, commit = path.split("/")[2], numbers(path)[0]
        file = numbers(path)[1] if len(numbers(path)) > 1 else 0
        others = [chance(path + str(k)).randrange(5_000) for k in range(4)]
        kinds = [f"/repo/{each}/{commit}/file{file}.c" for each in ("blob", "blame", "raw")]
        changed = [f"/repo/blob/{n}/file{(file + n) % 30}.c" for n in others]
        if kind == "log":
            return Answer(f"commit {digest(commit)} {prose(path, 12)}", (f"/repo/log/{commit + 1}", *changed))
        compared = [f"/repo/diff/{commit}..{n}/file{file}.c" for n in others[:2]]
        text = prose(f"file {file}", 120) if kind != "diff" else prose(path, 15)
        return Answer(text, (*kinds, *changed, *compared))

    return answer


@trap("/Special/RecentChanges?days=7")
def special_pages(prose: Prose) -> Callable[[str], Answer]:
    """Lists of changes with settings that add up, from any moment on, over thirty articles."""
    now = count(1)

    def answer(path: str) -> Answer:
        if path.startswith("/article/"):
            n = numbers(path)[0]
            return Answer(
                prose(path), (f"/Special/WhatLinksHere?from=0&target={n}", f"/article/{(n + 1) % 30}")
            )
        asked = query(path)
        if "target" in asked:
            at = int(asked["from"])
            pages = [f"/Special/WhatLinksHere?from={k}&target={asked['target']}" for k in (at + 50, at + 250)]
            return Answer(
                f"links here {prose(path, 10)}", (*pages, *(f"/article/{(at + k) % 30}" for k in range(5)))
            )
        made = {**asked, "from": str(next(now) * 61)}
        switched = [{**asked, name: value} for name in ("bots", "minor", "mine") for value in ("0", "1")]
        links = ["&".join(f"{k}={v}" for k, v in sorted(each.items())) for each in (made, *switched)]
        links += [f"days={k}&limit={n}" for k in (1, 30) for n in (50, 500)]
        return Answer(f"changes {prose(path, 25)}", tuple(f"/Special/RecentChanges?{each}" for each in links))

    return answer


@trap("/browse.php?u=http%3A%2F%2Fnews.invalid%2F")
def web_proxy(prose: Prose) -> Callable[[str], Answer]:
    """The whole web through one script: the URL of any page in a parameter."""

    def answer(path: str) -> Answer:
        made = chance(path)
        hosts = [f"{made.choice(SLUGS)}.invalid%2F{made.choice(SLUGS)}" for _ in range(3)]
        inner = query(path)["u"]
        deeper = [f"{inner}{made.choice(SLUGS)}%2F" for _ in range(4)]
        links = (*deeper, *(f"http%3A%2F%2F{each}" for each in hosts))
        return Answer(prose(path, 140), tuple(f"/browse.php?u={each}" for each in links))

    return answer


@trap("/position/e4")
def game_states(_: Prose) -> Callable[[str], Answer]:
    """Positions of a game, each with the positions after every possible move."""

    def answer(path: str) -> Answer:
        made = chance(path)
        moves = [f"{made.choice('abcdefgh')}{made.randint(1, 8)}" for _ in range(7)]
        played = path.rpartition("/")[2]
        text = f"White {' '.join(moves)} after {played.replace('.', ' ')}"
        return Answer(text, tuple(f"/position/{played}.{move}" for move in moves))

    return answer


@trap("/finder")
def facet_arrays(prose: Prose) -> Callable[[str], Answer]:
    """Numbered filters in brackets in the order of choosing, over sixty things."""

    def answer(path: str) -> Answer:
        if path.startswith("/thing/"):
            return Answer(prose(path), ("/finder",))
        chosen = [value for _, value in sorted(query(path).items())]
        values = [f"{kind}%3A{n}" for kind in ("colour", "form", "maker") for n in range(4)]
        left = [value for value in values if value not in chosen]
        links = ["&".join(f"f%5B{i}%5D={v}" for i, v in enumerate((*chosen, each))) for each in left]
        things = [f"/thing/{n}" for n in chance(str(sorted(chosen))).sample(range(60), 4)]
        return Answer(f"found {' '.join(things)}", (*things, *(f"/finder?{each}" for each in links)))

    return answer


@trap("/index/b")
def prefix_index(prose: Prose) -> Callable[[str], Answer]:
    """An index by first letters: any letters have entries, and further letters below them."""

    def answer(path: str) -> Answer:
        prefix = path.rpartition("/")[2]
        if path.startswith("/word/"):
            return Answer(prose(path, 40), (f"/index/{prefix[:-1]}",))
        below = [f"/index/{prefix}{letter}" for letter in "aeiorst"]
        words = [f"/word/{prefix}{end}" for end in ("an", "en", "on")]
        return Answer(f"words with {prefix} {prose(path, 20)}", (*below, *words))

    return answer


@trap("/paper/1")
def tracked_links(prose: Prose) -> Callable[[str], Answer]:
    """Twenty-five pages whose links all go through a counter that notes who came from where, and redirects."""
    visits = count(1)

    def answer(path: str) -> Answer:
        n = numbers(path)
        if path.startswith("/out"):
            return Answer(redirect=f"/paper/{n[-1] % 25}")
        return Answer(
            prose(f"paper {n[0] % 25}"),
            tuple(f"/out?visit={next(visits)}&to={k}" for k in chance(path).sample(range(25), 6)),
        )

    return answer
