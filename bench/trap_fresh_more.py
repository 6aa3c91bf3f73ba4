"""More honest sites as common programs make them; see `trap_fresh_honest`."""

from collections.abc import Callable

from bench.trap_fresh_honest import title, view
from bench.trap_honest import honest
from bench.trap_text import MISSING, SLUGS, Answer, Prose, chance, digest, numbers, query, with_query
from bench.trap_traps import MONTHS


@honest("/index.php?/categories", 400)
def photo_gallery(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Pictures that are shown in their album, under each of their tags and by date: one caption under many URLs."""

    def groups(kind: str, k: int) -> list[int]:
        by = {"category": 16, "tags": 11, "created-monthly": 24}[kind]
        return [n for n in range(size) if (n * 5 if kind == "tags" else n) % by == k]

    def answer(path: str) -> Answer:
        page, _, rest = path.partition("?/")
        names = rest.partition("&")[0].split("/")
        if page == "/picture.php":
            n, kind, k = int(names[0]), names[1], int(names[2])
            mates = groups(kind, k)
            at = mates.index(n)
            near = [f"/picture.php?/{mates[i]}/{kind}/{k}" for i in (at - 1, at + 1) if 0 <= i < len(mates)]
            lists = (
                f"/index.php?/category/{n % 16}",
                f"/index.php?/tags/{n * 5 % 11}",
                f"/index.php?/created-monthly/{n % 24}",
            )
            size_of = f"/picture.php?/{n}/{kind}/{k}&slideshow="
            if "slideshow" in path:
                return view(prose(f"picture {n}", 12), *near)
            return Answer(
                f"{title(n)} {prose(f'picture {n}', 12)}", (*near, *lists, size_of), content=f"picture {n}"
            )
        if names[0] == "categories":
            albums = [
                f"/index.php?/{kind}/{k}" for kind, by in (("category", 16), ("tags", 11)) for k in range(by)
            ]
            return Answer(prose("albums", 20), tuple(albums))
        kind, k = names[0], int(names[1])
        start = int(names[2].removeprefix("start-")) if len(names) > 2 else 0
        mates = groups(kind, k)
        steps = [f"/index.php?/{kind}/{k}/start-{at}" for at in range(15, len(mates), 15)]
        shown = [f"/picture.php?/{n}/{kind}/{k}" for n in mates[start : start + 15]]
        orders = [f"/index.php?/{kind}/{k}&image_order={n}" for n in range(4)]
        text = f"{kind} {k} {' '.join(title(n) for n in mates[start : start + 15])}"
        return (
            view(text, *shown)
            if "image_order" in path
            else Answer(text, (*shown, *steps, *orders, "/index.php?/categories"))
        )

    return answer


@honest("/en/", 330)
def layered_shop(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Two languages; goods stand under each of their categories and under none; filters, orders, wish lists, reviews."""
    filters = {"colour": 6, "size": 5, "brand": 7}

    def goods(lang: str, n: int) -> str:
        return f"/{lang}/{SLUGS[n % 400]}-{SLUGS[n * 11 % 397]}-{n}.html"

    def product(path: str, lang: str) -> Answer:
        n = numbers(path)[-1]
        if not 0 <= n < size:
            return MISSING
        also = [goods(lang, k) for k in chance(f"also {n}").sample(range(size), 4)]
        other = "de" if lang == "en" else "en"
        token = digest(path + "uenc")
        links = (
            f"/{lang}/", goods(other, n), *also, f"/{lang}/review/product/list/id/{n}", f"/{lang}/sendfriend/product/{n}",
            f"/{lang}/wishlist/index/add/product/{n}", f"/{lang}/product_compare/add/product/{n}/uenc/{token}",
        )  # fmt: skip
        return Answer(prose(f"{lang} goods {n}", 90), links, content=goods(lang, n))

    def listing(path: str, lang: str) -> Answer:
        asked, page = query(path), path.partition("?")[0]
        k = SLUGS.index(page.strip("/").split("/")[1])
        every = [
            n
            for n in range(size)
            if n % 9 == k and all(int(asked.get(f, n % m)) == n % m for f, m in filters.items())
        ]
        at = int(asked.get("p", 1)) - 1
        shown = every[12 * at : 12 * at + 12]
        kept = {name: value for name, value in asked.items() if name != "p"}
        pages = [with_query(page, {**kept, "p": str(i + 1)}) for i in range(-(-len(every) // 12))]
        more = [
            with_query(page, {**kept, f: str(v)})
            for f, m in filters.items()
            if f not in asked
            for v in range(m)
        ]
        orders = [
            with_query(page, {**kept, "order": by, "dir": way})
            for by in ("price", "name")
            for way in ("asc", "desc")
        ]
        text = " ".join(f"{lang} {title(n)}" for n in shown) or "nothing matches"
        links = (*(f"{page}{goods(lang, n)[4:]}" for n in shown), *pages, *more, *orders)
        return Answer(text, links) if shown and not kept else view(text, *links)

    def answer(path: str) -> Answer:
        lang = path.split("/")[1]
        if path == f"/{lang}/" and lang in ("en", "de"):
            return Answer(prose(path, 30), ("/en/", "/de/", *(f"/{lang}/{SLUGS[k]}/" for k in range(9))))
        if "/wishlist/" in path or "/product_compare/" in path or "/sendfriend/" in path:
            return Answer(redirect=f"/{lang}/customer/account/login/")
        if "/review/" in path or "/customer/" in path:
            return view(prose(f"review {numbers(path)[:1]}", 8), f"/{lang}/")
        return product(path, lang) if path.endswith(".html") else listing(path, lang)

    return answer


@honest("/acts", 480)
def legislation(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Acts by year and number; each section alone, in its part, plain, with notes, and as it stood at several dates."""
    acts = [(1980 + n * 2, 10 + n * 3) for n in range(size // 30)]

    def answer(path: str) -> Answer:
        asked, page = query(path), path.partition("?")[0]
        if page == "/acts":
            return Answer(prose("acts", 20), tuple(f"/act/{y}/{n}/contents" for y, n in acts))
        year, number = numbers(page)[:2]
        base = f"/act/{year}/{number}"
        at = acts.index((year, number))
        if page.endswith("/contents"):
            parts = [f"{base}/part/{k}" for k in range(1, 4)]
            return Answer(prose(page, 40), ("/acts", *parts, *(f"{base}/section/{k}" for k in range(1, 27))))
        kind, k = page.split("/")[4], numbers(page)[2]
        if not 1 <= k <= 26:
            return MISSING
        if kind == "part":
            return Answer(
                prose(page, 30),
                (
                    f"{base}/contents",
                    *(f"{base}/section/{9 * k - 8 + i}" for i in range(9) if 9 * k - 8 + i <= 26),
                ),
            )
        near = [f"{base}/section/{i}" for i in (k - 1, k + 1) if 1 <= i <= 26]
        cited = [f"/act/{y}/{n}/section/{k}" for y, n in (acts[(at * 5 + k) % len(acts)],)]
        forms = [f"{base}/section/{k}?view={form}" for form in ("plain", "extent", "timeline")]
        dates = [f"{base}/section/{k}/{d}-01-01" for d in range(year + 1, year + 6)]
        key = f"{base}/section/{k}"
        text = f"{k} {SLUGS[k]} the person shall {prose(key, 45)}"
        if asked or len(numbers(page)) > 3 or page.endswith(".xml"):
            return view(f"{prose(page, 4)} {text}", *near, *dates)
        return Answer(
            text, (f"{base}/contents", *near, *cited, *forms, *dates, f"{base}/section/{k}/data.xml")
        )

    return answer


@honest("/list/", 420)
def public_inbox(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Mail by message id; whole threads flat and nested hold the same mails again; older ones by time."""

    def mid(n: int) -> str:
        return f"/list/{2019_0101_0000 + n * 7919}.{digest(n)[:5]}@{SLUGS[n % 9]}.example/"

    at_of = {mid(n): n for n in range(size)}

    def answer(path: str) -> Answer:
        page = path.partition("?")[0]
        if page == "/list/":
            at = int(query(path).get("t", size))
            shown = [n for n in range(at - 1, at - 41, -1) if n >= 0]
            older = [f"/list/?t={at - 40}"] if at > 40 else []
            newer = [f"/list/?t={at + 40}"] if at + 40 <= size else []
            threads = [f"{mid(n - n % 8)}T/" for n in shown]
            return Answer(
                " ".join(title(n) for n in shown), (*(mid(n) for n in shown), *threads, *older, *newer)
            )
        for end in ("T/", "t/", "raw"):
            if page.endswith(f"/{end}"):
                first = at_of[page.removesuffix(end)]
                mates = range(first - first % 8, min(size, first - first % 8 + 8))
                text = (
                    " ".join(prose(f"mail {n}", 70) for n in mates)
                    if end != "raw"
                    else prose(f"mail {first}", 70)
                )
                return view(text, *(mid(n) for n in mates), *(f"{mid(n)}raw" for n in mates))
        n = at_of[page]
        mates = [k for k in (n - n % 8, n - 1, n + 1) if k // 8 == n // 8 and 0 <= k < size]
        return Answer(
            prose(f"mail {n}", 70),
            ("/list/", *(mid(k) for k in mates), *(f"{page}{e}" for e in ("T/", "t/", "raw"))),
        )

    return answer


@honest("/events/2024-01/", 36)
def event_calendar(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Months for ever in both directions, in three views and as files; three years of them have events."""

    def answer(path: str) -> Answer:
        asked, page = query(path), path.partition("?")[0]
        if page.startswith("/event/"):
            month, k = numbers(page)
            near = [f"/event/{SLUGS[month + i]}-{month}-{i}/" for i in (k - 1, k + 1) if 0 <= i < 6]
            back = f"/events/{2024 + month // 12}-{month % 12 + 1:02}/"
            return Answer(prose(page, 80), (back, *near, f"{page}?ical=1")) if not asked else view("file")
        parts = numbers(page)
        at = (parts[0] - 2024) * 12 + parts[1] - 1
        steps = [f"/events/{2024 + i // 12}-{i % 12 + 1:02}/" for i in (at - 1, at + 1)]
        views = [f"{page}?view={kind}" for kind in ("list", "week", "map")] if not asked else []
        days = [f"/events/{parts[0]}-{parts[1]:02}-{day:02}/" for day in (1, 15)] if len(parts) == 2 else []
        shown = (
            [f"/event/{SLUGS[at + k]}-{at}-{k}/" for k in range(6)]
            if 0 <= at < size and len(parts) == 2
            else []
        )
        text = f"{MONTHS[at % 12]} {parts[0]} {' '.join(SLUGS[at + k] for k in range(len(shown)))}"
        if asked or not shown:
            return view(f"{text} no events", *steps, *views, *days)
        return Answer(text, (*steps, *views, *days, *shown, f"{page}?ical=1"))

    return answer
