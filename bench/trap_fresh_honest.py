"""Honest sites as common programs make them: wiki, forum, shop, gallery, repository, mailing list, law.

Written without looking at what the guard says of them. Beside its pages each has views of them that bring nothing
new (`view`): versions, sorted lists, forms to log in. Those need not be read.
"""

from collections.abc import Callable
from itertools import count

from bench.trap_honest import honest
from bench.trap_text import MISSING, SLUGS, VIEW, Answer, Prose, chance, digest, numbers, query


def view(text: str, *links: str) -> Answer:
    """Return a page that brings nothing of its own."""
    return Answer(text, links, content=VIEW)


def title(n: int) -> str:
    """Return a name of two words."""
    return f"{SLUGS[n % 400]}_{SLUGS[n * 7 % 397]}".title()


@honest("/wiki/Main_Page", 420)
def media_wiki(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Articles, categories and talk; history, differences, what links here, missing pages to be written."""
    names = {f"{title(n)}_{n}" if n else "Main_Page": n for n in range(size)}
    ordered = list(names)

    def tools(name: str) -> tuple[str, ...]:
        forms = ("action=edit", "action=history", "action=info", f"oldid={len(name) * 77}")
        return (
            "/wiki/Main_Page", "/wiki/Special:RecentChanges", "/wiki/Special:Random", f"/wiki/Talk:{name}",
            f"/wiki/Special:WhatLinksHere/{name}", f"/wiki/Special:RecentChangesLinked/{name}",
            *(f"/w/index.php?title={name}&{form}" for form in forms),
        )  # fmt: skip

    def article(name: str, n: int) -> Answer:
        made = chance(name)
        linked = {int(size * made.random() ** 2) for _ in range(6 + 30 * (n == 0))}
        linked |= {n + 1} if n + 1 < size else set()
        missing = f"/w/index.php?title={SLUGS[n % 400].title()}_{n}&action=edit&redlink=1"
        links = (*(f"/wiki/{ordered[k]}" for k in sorted(linked)), f"/wiki/Category:{SLUGS[n % 12].title()}")
        return Answer(prose(name), (*links, missing, *tools(name)))

    def answer(path: str) -> Answer:
        name = path.removeprefix("/wiki/")
        if name in names:
            return article(name, names[name])
        if name.startswith("Category:"):
            of = [k for k in range(size) if name == f"Category:{SLUGS[k % 12].title()}"]
            links = tuple(f"/wiki/{ordered[k]}" for k in of)
            return Answer(prose(name, 15), (*links, *tools(name))) if of else MISSING
        if path.startswith("/w/index.php"):
            asked = query(path)
            if "redlink" in asked or "title" not in asked:
                return Answer(status=404)
            about, version = asked["title"], int(asked.get("oldid", 0) or 0)
            older = [f"/w/index.php?title={about}&oldid={version * 3 + k}" for k in range(5)]
            compare = [f"/w/index.php?title={about}&diff={version * 3 + k}&oldid=prev" for k in range(5)]
            return view(prose(f"{about} {sorted(asked)}", 30), *older, *compare, *tools(about))
        if name == "Special:Random":
            return Answer(redirect=f"/wiki/{ordered[size // 2]}")
        return view(f"{name.partition('/')[0]} nothing here yet", *tools(name.rpartition("/")[2]))

    return answer


@honest("/doku.php?id=start", 330)
def doku_wiki(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Everything by one parameter; every page can be seen as source, in versions, and with what links to it."""
    ids = ["start", *(f"{SLUGS[n % 9]}:{SLUGS[n * 3 % 400]}{n}" for n in range(1, size))]
    at = {id: n for n, id in enumerate(ids)}

    def answer(path: str) -> Answer:
        asked = query(path)
        id = asked.get("id", "start")
        actions = [f"/doku.php?do={do}&id={id}" for do in ("edit", "revisions", "backlink", "index", "login")]
        if "do" in asked or "rev" in asked or "idx" in asked:
            spaces = [f"/doku.php?do=index&id={id}&idx={space}" for space in SLUGS[:9]]
            revisions = [f"/doku.php?id={id}&rev={1_600_000_000 + 977 * k}" for k in range(6)]
            text = f"{id} {asked.get('do', '')} {prose(id, 100)}"
            return view(text, *(revisions if asked.get("do") == "revisions" else spaces), *actions)
        n = at[id]
        below = [k for k in range(3 * n + 1, 3 * n + 4) if k < size]
        seen = chance(id).sample(range(size), 2)
        return Answer(
            prose(id), ("/doku.php?id=start", *(f"/doku.php?id={ids[k]}" for k in (*below, *seen)), *actions)
        )

    return answer


@honest("/index.php", 300)
def php_bb(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A forum that gives a new session to every visit: one topic has many URLs, and every post has one of its own."""
    sessions = count(1)

    def answer(path: str) -> Answer:
        sid = f"&sid={digest(next(sessions))}"
        asked, page = query(path), path.partition("?")[0]
        boards = [f"/viewforum.php?f={k}{sid}" for k in range(1, 7)]
        if page == "/index.php":
            return Answer(prose("boards", 20), tuple(boards), content="boards")
        if page == "/viewforum.php":
            f, start = int(asked["f"]), int(asked.get("start", 0))
            topics = list(range(f - 1, size, 6))
            steps = [f"/viewforum.php?f={f}&start={k}{sid}" for k in range(0, len(topics), 25)]
            shown = [f"/viewtopic.php?f={f}&t={t}{sid}" for t in topics[start : start + 25]]
            last = [f"/viewtopic.php?f={f}&p={t * 40}{sid}" for t in topics[start : start + 25]]
            text = prose(f"board {f} {start}", 25)
            return Answer(text, (*shown, *last, *steps, "/index.php"), content=f"board {f} {start}")
        if page == "/viewtopic.php":
            t = int(asked["t"]) if "t" in asked else int(asked["p"]) // 40
            if not 0 <= t < size:
                return MISSING
            start = int(asked.get("start", 0))
            f = t % 6 + 1
            steps = [f"/viewtopic.php?f={f}&t={t}&start={k}{sid}" for k in range(0, 15 * (t % 3), 15)]
            posts = [f"/viewtopic.php?f={f}&p={t * 40 + k}{sid}" for k in range(3)]
            near = [
                f"/viewtopic.php?f={f}&t={t}&view={which}{sid}" for which in ("next", "previous", "print")
            ]
            people = [f"/memberlist.php?mode=viewprofile&u={(t + k) % 50}{sid}" for k in range(3)]
            key = f"topic {t} {start}"
            if "view" in asked:
                return view(prose(key), *posts)
            reply = f"/posting.php?mode=reply&t={t}{sid}"
            return Answer(prose(key), (*steps, *posts, *near, *people, reply, boards[f - 1]), content=key)
        return view(prose("log in to see this", 12), "/index.php")

    return answer


@honest("/", 380)
def discourse(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Topics with a name and a number, one URL a post as well, suggested topics, lists that are loaded on scrolling."""

    def url(n: int) -> str:
        return f"/t/{SLUGS[n % 400]}-{SLUGS[n * 3 % 400]}/{1000 + n}"

    def answer(path: str) -> Answer:
        asked, page = query(path), path.partition("?")[0]
        if page.startswith("/t/"):
            n = int(page.split("/")[3]) - 1000
            posts = [f"{url(n)}/{k}" for k in (2, 7, 19)]
            near = [url(k) for k in chance(page).sample(range(max(0, n - 40), min(size, n + 40)), 5)]
            people = [f"/u/{SLUGS[(n + k) % 60]}" for k in range(3)]
            links = (*posts, *near, *people, f"/c/{SLUGS[n % 8]}/{n % 8}", f"/tag/{SLUGS[n % 25]}")
            return Answer(prose(url(n)), links, content=url(n)) if 0 <= n < size else MISSING
        if page.startswith("/u/"):
            return Answer(
                prose(page, 25), (f"{page}/activity", f"{page}/summary"), content=page.split("/")[2]
            )
        at = int(asked.get("page", 0))
        every = range(size)
        if page.startswith("/c/"):
            every = range(int(page.split("/")[3]), size, 8)
        elif page.startswith("/tag/"):
            every = range(SLUGS.index(page.split("/")[2]), size, 25)
        shown = every[30 * at : 30 * at + 30]
        more = [f"{page.rstrip('/') or '/latest'}?page={at + 1}"] if shown else []
        sorts = [f"{page}?order={order}" for order in ("views", "posts", "activity")]
        text = f"{page} {at} {' '.join(title(k) for k in shown)}"
        links = (*(url(k) for k in shown), *more, *sorts, *(f"/c/{SLUGS[k]}/{k}" for k in range(8)))
        return Answer(text, links) if shown and "order" not in asked else view(text, *links)

    return answer


@honest("/library", 400)
def drupal_views(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Nodes by number in a list with filters, terms, pages to print, one URL a comment; editors' pages ask to log in."""

    def answer(path: str) -> Answer:
        asked, page = query(path), path.partition("?")[0]
        if page.startswith(("/node/", "/print/")):
            n = numbers(page)[0]
            if not 0 <= n < size or page.count("/") > 2:
                return Answer(status=403)
            forms = (
                f"/print/{n}",
                f"/comment/reply/{n}",
                f"/node/{n}/edit",
                f"/user/login?destination=node/{n}",
            )
            comments = [f"/comment/{n * 5 + k}" for k in range(n % 4)]
            terms = [f"/taxonomy/term/{k}" for k in (n % 14, 14 + n % 5)]
            text = prose(f"node {n}")
            return (
                Answer(text, (*terms, *forms, *comments, "/library"))
                if page[1] == "n"
                else view(text, "/library")
            )
        if page.startswith(("/comment/reply", "/user")):
            return Answer(prose("access denied", 10), ("/user/login",), status=403)
        if page.startswith("/comment/"):
            return view(prose(f"node {numbers(page)[0] // 5}"), f"/node/{numbers(page)[0] // 5}")
        at = int(asked.get("page", 0))
        if page.startswith("/taxonomy"):
            k = numbers(page)[0]
            every = range(k, size, 14) if k < 14 else range(k - 14, size, 5)
        else:
            every = range(int(asked.get("type", 0)), size, 4 if "type" in asked else 1)
        shown = every[20 * at : 20 * at + 20]
        kept = "".join(f"&{name}={value}" for name, value in asked.items() if name != "page")
        pages = [f"{page}?page={k}{kept}" for k in range(-(-len(every) // 20))]
        kinds = [f"{page}?type={k}" for k in range(4)] if page == "/library" else []
        sorts = [f"{page}?order={by}&sort={way}{kept}" for by in ("title", "date") for way in ("asc", "desc")]
        links = (*(f"/node/{k}" for k in shown), *pages, *kinds, *(sorts if "order" not in asked else ()))
        text = " ".join(title(k) for k in shown)
        return view(text, *links) if "order" in asked or not shown else Answer(text, links)

    return answer


@honest("/", 300)
def git_web(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A repository: commits one after the other, files of today, and every file as it was at every commit."""
    shas = [digest(f"commit {n}") for n in range(size)]
    files = [f"{SLUGS[n % 12]}/{SLUGS[n]}.c" for n in range(90)]

    def answer(path: str) -> Answer:
        asked, page = query(path), path.partition("?")[0]
        top = ("/", "/log/", "/tree/", "/refs/")
        if page == "/log/":
            at = int(asked.get("ofs", 0))
            shown = shas[at : at + 50]
            links = [f"/commit/?id={sha}" for sha in shown]
            return Answer(
                prose(f"log {at}", 30), (*top, *links, *([f"/log/?ofs={at + 50}"] if at + 50 < size else []))
            )
        if page == "/commit/":
            n = shas.index(asked["id"])
            before = [f"/commit/?id={sha}" for sha in shas[n + 1 : n + 2]]
            changed = chance(path).sample(files, 2)
            kinds = ("/tree/", "/patch/", "/diff/", "/snapshot/")
            of_files = [
                f"{kind}{name}?id={asked['id']}" for name in changed for kind in ("/tree/", "/diff/", "/log/")
            ]
            return Answer(
                prose(path, 60), (*top, *before, *(f"{kind}?id={asked['id']}" for kind in kinds), *of_files)
            )
        if page.startswith("/tree/"):
            name, old = page.removeprefix("/tree/"), "id" in asked
            suffix = f"?id={asked['id']}" if old else ""
            if name in files:
                links = (*top, f"/blame/{name}{suffix}", f"/plain/{name}{suffix}", f"/log/{name}{suffix}")
                return view(prose(name), *links) if old else Answer(prose(name), links)
            inside = sorted(
                {
                    f"/tree/{name}{each[len(name) :].partition('/')[0]}"
                    for each in files
                    if each.startswith(name)
                }
            )
            folders = [each if each.endswith(".c") else f"{each}/" for each in inside]
            text = f"mode name size {' '.join(inside)}"
            links = (*top, *(f"{each}{suffix}" for each in folders))
            return view(text, *links) if old else Answer(text, links)
        if page in ("/", "/refs/"):
            return Answer(prose(page, 30), (*top, *(f"/commit/?id={sha}" for sha in shas[:10])))
        near = chance(path).sample(shas, 3)
        return view(prose(page, 60), *top, *(f"{page}?id={sha}" for sha in near))

    return answer
