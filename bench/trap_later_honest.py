"""Honest sites written after the guard was settled, which was not changed for them."""

from collections.abc import Callable

from bench.trap_fresh_honest import title, view
from bench.trap_honest import honest
from bench.trap_text import MISSING, SLUGS, Answer, Prose, chance, numbers, query, with_query


@honest("/index.php?title=Main", 300)
def wiki_by_script(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Articles by one parameter; history, differences of any two versions, editing, lists of what links here."""
    names = ["Main", *(f"{title(n)}_{n}" for n in range(1, size))]
    at = {name: n for n, name in enumerate(names)}

    def answer(path: str) -> Answer:
        asked = query(path)
        name = asked["title"]
        own = f"/index.php?title={name}"
        tabs = (own, f"{own}&action=edit", f"{own}&action=history", f"{own}&printable=yes")
        tools = (f"/index.php?title=Special:WhatLinksHere/{name}", "/index.php?title=Special:AllPages")
        if name.startswith("Special:"):
            start = int(asked.get("from", 0))
            listed = [f"/index.php?title={each}" for each in names[start : start + 100]]
            more = [f"/index.php?title=Special:AllPages&from={start + 100}"] if start + 100 < size else []
            if name == "Special:AllPages":
                return view(" ".join(names[start : start + 100]), *listed, *more)
            about = name.partition("/")[2]
            return view(f"pages that link to {about}", f"/index.php?title={about}")
        if name not in at:
            return MISSING
        if asked.get("action") == "history":
            old = [f"{own}&oldid={at[name] * 50 + k}" for k in range(8)]
            compared = [f"{own}&diff={at[name] * 50 + k + 1}&oldid={at[name] * 50 + k}" for k in range(8)]
            return view(f"versions of {name} {prose(f'history {name}', 30)}", *tabs, *old, *compared)
        if len(asked) > 1:
            return view(f"{' '.join(sorted(asked))} {prose(name)}", *tabs, *tools)
        n = at[name]
        linked = {int(size * chance(name + str(k)).random()) for k in range(4)} | {min(n + 1, size - 1)}
        return Answer(prose(name), (*(f"/index.php?title={names[k]}" for k in sorted(linked)), *tabs, *tools))

    return answer


@honest("/forum/", 240)
def bulletin_board(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Threads with pages and one URL a post, members, printing, sending, sorting."""

    def answer(path: str) -> Answer:
        asked, page = query(path), path.partition("?")[0]
        boards = [f"/forum/forumdisplay.php?f={k}" for k in range(1, 6)]
        if page == "/forum/":
            return Answer(prose("board index", 30), tuple(boards))
        if page.endswith("forumdisplay.php"):
            f, at = int(asked["f"]), int(asked.get("page", 1))
            mine = list(range(f - 1, size, 5))
            shown = mine[20 * at - 20 : 20 * at]
            orders = [
                f"{page}?f={f}&sort={by}&order={way}"
                for by in ("title", "replies")
                for way in ("asc", "desc")
            ]
            pages = [f"{page}?f={f}&page={k}" for k in range(2, -(-len(mine) // 20) + 1)]
            threads = [f"/forum/showthread.php?t={n}" for n in shown]
            lasts = [f"/forum/showthread.php?goto=lastpost&t={n}" for n in shown]
            text = " ".join(title(n) for n in shown)
            links = (*threads, *lasts, *pages, *orders, "/forum/")
            return view(text, *links) if "sort" in asked or not shown else Answer(text, links)
        if page.endswith("showthread.php"):
            n, at = int(asked["t"]), int(asked.get("page", 1))
            if "goto" in asked:
                return Answer(redirect=f"/forum/showthread.php?t={n}")
            posts = [f"/forum/showpost.php?p={n * 30 + at * 4 + k}" for k in range(4)]
            pages = [f"{page}?t={n}&page={k}" for k in range(2, n % 4 + 1)]
            people = [f"/forum/member.php?u={(n * 3 + k) % 40}" for k in range(3)]
            forms = [f"/forum/newreply.php?p={n * 30 + k}" for k in range(3)]
            tools = (
                f"/forum/printthread.php?t={n}",
                f"/forum/sendmessage.php?t={n}",
                f"{page}?t={n}&mode=hybrid",
            )
            text = prose(f"thread {n} {at}")
            links = (*posts, *pages, *people, *forms, *tools, boards[n % 5])
            return view(text, *links) if "mode" in asked else Answer(text, links)
        if page.endswith("member.php"):
            return Answer(prose(path, 30), ("/forum/", f"/forum/sendmessage.php?u={asked['u']}"))
        if page.endswith("showpost.php"):
            n = int(asked["p"]) // 30
            return view(" ".join(prose(f"thread {n} 1").split()[:40]), f"/forum/showthread.php?t={n}")
        if page.endswith("printthread.php"):
            return view(prose(f"thread {asked['t']} 1"), f"/forum/showthread.php?t={asked['t']}")
        return view("you are not logged in or have no permission", "/forum/")

    return answer


@honest("/issues", 300)
def tracker(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Issues in a list with filters, columns to sort by and files; relations, wiki, who changed what."""

    def answer(path: str) -> Answer:
        asked, page = query(path), path.partition("?")[0]
        if page == "/issues":
            at = int(asked.get("page", 1))
            mine = [n for n in range(1, size) if int(asked.get("status", n % 4)) == n % 4]
            shown = mine[25 * at - 25 : 25 * at]
            kept = {name: value for name, value in asked.items() if name != "page"}
            pages = [with_query(page, {**kept, "page": str(k)}) for k in range(1, -(-len(mine) // 25) + 1)]
            sorts = [with_query(page, {**kept, "sort": by}) for by in ("id", "status", "updated", "author")]
            status = [with_query(page, {**kept, "status": str(k)}) for k in range(4)]
            files = [with_query("/issues.csv", kept), with_query("/issues.atom", kept)]
            text = " ".join(f"{n} {title(n)}" for n in shown)
            links = (*(f"/issues/{n}" for n in shown), *pages, *sorts, *status, *files)
            return view(text, *links) if kept or not shown else Answer(text, links)
        if page.startswith("/issues/"):
            n = numbers(page)[0]
            if page.endswith(("/edit", "/watch")):
                return Answer("please log in", status=403)
            related = [f"/issues/{k}" for k in chance(page).sample(range(1, size), 2)]
            tools = (
                f"/issues/{n}/edit",
                f"/issues/{n}/watch",
                f"/issues/{n}.pdf",
                f"/login?back_url=issues%2F{n}",
            )
            person, journal = f"/users/{n % 20}", f"/journals/{n * 3}/diff"
            if page.endswith(".pdf") or not 1 <= n < size:
                return MISSING
            return Answer(prose(path), (*related, *tools, person, journal, f"/issues?status={n % 4}"))
        if page.startswith("/users/"):
            return Answer(prose(page, 30), (f"/activity?user={numbers(page)[0]}",))
        if page == "/activity":
            day = int(asked.get("from", 4000))
            before = with_query(page, {**asked, "from": str(day - 10)})
            return view(f"no activity in these days {prose('activity', 20)}", before)
        if page.startswith("/journals/"):
            return view(prose(path, 12), f"/issues/{numbers(page)[0] // 3}")
        return view("log in with name and password", "/issues")

    return answer


@honest("/index.php?route=common%2Fhome", 260)
def cart(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Everything by a route: categories, goods in them and alone, filters, orders, limits, reviews, comparison."""
    base = "/index.php?route="

    def answer(path: str) -> Answer:
        asked = query(path)
        route = asked["route"].partition("%2F")[2]
        kinds = [f"{base}product%2Fcategory&path={k}" for k in range(1, 9)]
        if route == "home":
            return Answer(prose("shop", 30), tuple(kinds))
        if route == "category":
            k, at = int(asked["path"]), int(asked.get("page", 1))
            mine = [n for n in range(size) if n % 8 == k - 1 and int(asked.get("filter", n % 5)) == n % 5]
            shown = mine[10 * at - 10 : 10 * at]
            kept = {name: v for name, v in asked.items() if name not in ("page", "route", "path")}
            own = f"{base}product%2Fcategory&path={k}"
            more = [{**kept, "page": str(i)} for i in range(2, -(-len(mine) // 10) + 1)]
            more += [
                {**kept, "sort": by, "order": way} for by in ("name", "price") for way in ("ASC", "DESC")
            ]
            more += [{**kept, "limit": str(i)} for i in (25, 50)] + [
                {**kept, "filter": str(i)} for i in range(5)
            ]
            goods = [f"{base}product%2Fproduct&path={k}&product_id={n}" for n in shown]
            links = (*goods, *(own + "".join(f"&{a}={b}" for a, b in sorted(each.items())) for each in more))
            text = " ".join(title(n) for n in shown)
            return view(text, *links) if kept or not shown else Answer(text, (*links, *kinds))
        if route == "product":
            n = int(asked["product_id"])
            also = [f"{base}product%2Fproduct&product_id={k}" for k in chance(f"g{n}").sample(range(size), 3)]
            tools = [f"{base}product%2Fproduct%2Freview&product_id={n}", f"{base}product%2Fcompare&add={n}"]
            maker = f"{base}product%2Fmanufacturer&manufacturer_id={n % 7}"
            return Answer(prose(f"goods {n}", 90), (*also, *tools, maker, kinds[n % 8]), content=f"goods {n}")
        if route == "manufacturer":
            k = int(asked["manufacturer_id"])
            mine = [f"{base}product%2Fproduct&product_id={n}" for n in range(k, size, 7)]
            return Answer(prose(path, 20), tuple(mine))
        return view("there are no reviews for this product", kinds[0])

    return answer


@honest("/en/latest/index.html", 320)
def manual_pages(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A manual: chapters, numbered sections, next and previous, sources, an index by letter, a search page."""

    def url(n: int) -> str:
        chapter = n // 16
        return f"/en/latest/{SLUGS[chapter]}/{n % 16 + 1}-{SLUGS[n % 400]}.html"

    at = {url(n): n for n in range(size)}

    def answer(path: str) -> Answer:
        page = path.partition("?")[0]
        top = ("/en/latest/index.html", "/en/latest/genindex.html", "/en/latest/search.html")
        chapters = [f"/en/latest/{SLUGS[k]}/index.html" for k in range(size // 16)]
        if page == top[0]:
            return Answer(prose("contents", 40), (*top, *chapters))
        if page.startswith("/en/latest/genindex"):
            letters = [f"/en/latest/genindex-{letter}.html" for letter in "ABCDEFGH"]
            listed = range("ABCDEFGH".index(page[-6]), size, 8) if "-" in page else ()
            return Answer(prose(page, 20), (*top, *letters, *(url(n) for n in listed)))
        if page.startswith("/en/latest/_sources/"):
            name = page.replace("_sources/", "").replace(".rst.txt", ".html")
            return view(prose(name))
        if page == top[2]:
            return view("search for words", *top)
        if page.endswith("/index.html"):
            k = SLUGS.index(page.split("/")[3])
            return Answer(prose(page, 30), (*top, *(url(n) for n in range(16 * k, 16 * k + 16))))
        n = at[page]
        near = [url(k) for k in (n - 1, n + 1) if 0 <= k < size]
        seen = [url(k) for k in chance(page).sample(range(size), 2)]
        source = page.replace("/latest/", "/latest/_sources/").replace(".html", ".rst.txt")
        return Answer(prose(page), (*top, *near, *seen, source))

    return answer


@honest("/archive/", 360)
def newspaper(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Years, months and days with articles; printing, sending, comments, sections in pages, authors."""

    def url(n: int) -> str:
        day = n // 3
        return f"/{2015 + day // 60}/{day // 5 % 12 + 1:02}/{day % 5 * 6 + 1:02}/{SLUGS[n % 400]}-{SLUGS[n * 3 % 397]}"

    at = {url(n): n for n in range(size)}

    def answer(path: str) -> Answer:
        asked, page = query(path), path.partition("?")[0]
        if page == "/archive/":
            return Answer(prose("archive", 20), tuple(f"/{2015 + k}/" for k in range(-(-size // 180))))
        if page.startswith("/section/"):
            k, p = SLUGS.index(page.split("/")[2]), int(asked.get("page", 1))
            shown = list(range(k, size, 6))[15 * p - 15 : 15 * p]
            more = [f"{page}?page={p + 1}"] if shown else []
            text = f"{page} {' '.join(title(n) for n in shown)}"
            return Answer(text, (*map(url, shown), *more)) if shown else view("nothing more")
        if page.startswith("/author/"):
            return Answer(prose(page, 15), tuple(map(url, range(int(numbers(page)[0]), size, 25))))
        if page.startswith(("/share", "/subscribe")):
            return view("subscribe to read on and share", "/archive/")
        own = page.removesuffix("/print").removesuffix("/comments")
        if own in at:
            n = at[own]
            if own != page or asked:
                return view(prose(own) if not page.endswith("/comments") else "no comments yet", own)
            related = [url(k) for k in chance(own).sample(range(size), 3)]
            tools = (
                f"{own}/print",
                f"{own}/comments",
                f"/share?u={n}",
                f"{own}?amp=1",
                f"/subscribe?from={n}",
            )
            return Answer(prose(own), (*related, *tools, f"/section/{SLUGS[n % 6]}/", f"/author/{n % 25}"))
        inside = sorted(
            {
                each[: len(page)] + each[len(page) :].split("/")[0] + "/"
                for each in at
                if each.startswith(page)
            }
        )
        if page.count("/") > 4:
            inside = [each for each in at if each.startswith(page)]
        return Answer(prose(page, 12), tuple(inside)) if inside else MISSING

    return answer
