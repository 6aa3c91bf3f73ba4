"""Honest sites written after the guard's last change, and not looked at before its first run on them."""

from collections.abc import Callable

from bench.trap_fresh_honest import title, view
from bench.trap_honest import honest
from bench.trap_text import MISSING, SLUGS, Answer, Prose, chance, digest, numbers, query, with_query
from bench.trap_traps import MONTHS


@honest("/group/project", 260)
def git_lab(prose: Prose, size: int) -> Callable[[str], Answer]:  # noqa: C901 - one site, one function
    """Issues, merge requests, commits and files of today; blame, raw, history and old trees; filters and labels."""
    base = "/group/project/-"
    files = [f"{SLUGS[n % 8]}/{SLUGS[n]}.py" for n in range(size // 4)]
    shas = [digest(f"lab {n}") for n in range(size // 2)]

    def listing(page: str, asked: dict[str, str], kind: str, count: int) -> Answer:
        at = int(asked.get("page", 1))
        kept = {name: value for name, value in asked.items() if name != "page"}
        mine = [n for n in range(1, count + 1) if int(asked.get("label", n % 6)) == n % 6]
        shown = mine[20 * at - 20 : 20 * at]
        pages = [with_query(page, {**kept, "page": str(at + step)}) for step in (-1, 1) if at + step > 0]
        sorts = [with_query(page, {**kept, "sort": by}) for by in ("created", "updated", "priority")]
        states = [with_query(page, {**kept, "state": each}) for each in ("opened", "closed", "all")]
        labels = [with_query(page, {**kept, "label": str(k)}) for k in range(6)]
        text = " ".join(f"{n} {title(n)}" for n in shown)
        links = (*(f"{base}/{kind}/{n}" for n in shown), *pages, *sorts, *states, *labels)
        return view(text, *links) if kept or not shown else Answer(text, links)

    def code(page: str) -> Answer:
        kind, _, rest = page.removeprefix(f"{base}/").partition("/")
        ref, _, name = rest.partition("/")
        old = ref != "main"
        inside = sorted({each[len(name) :].split("/")[0] for each in files if each.startswith(name)})
        if kind == "tree":
            links = [
                f"{base}/{'blob' if each.endswith('.py') else 'tree'}/{ref}/{name}{each}" for each in inside
            ]
            links = [each if each.endswith(".py") else f"{each}/" for each in links]
            return view("files", *links) if old else Answer(f"files {' '.join(inside)}", tuple(links))
        if name not in files:
            return MISSING
        forms = [f"{base}/{each}/{ref}/{name}" for each in ("blame", "raw", "commits", "edit")]
        earlier = [f"{base}/blob/{sha}/{name}" for sha in chance(page).sample(shas, 2)]
        if kind == "blob" and not old:
            return Answer(prose(f"file {name}"), tuple(forms))
        return view(prose(f"file {name}", 100), *(earlier if kind in ("blame", "commits") else ()))

    def answer(path: str) -> Answer:  # noqa: C901 - one site, one function
        asked, page = query(path), path.partition("?")[0]
        if page == "/group/project":
            links = (f"{base}/issues", f"{base}/merge_requests", f"{base}/commits/main", f"{base}/tree/main/")
            return Answer(prose(page, 40), links)
        if page == f"{base}/issues":
            return listing(page, asked, "issues", size)
        if page == f"{base}/merge_requests":
            return listing(page, asked, "merge_requests", size // 2)
        if page == f"{base}/commits/main":
            at = int(asked.get("offset", 0))
            more = [f"{page}?offset={at + 30}"] if at + 30 < len(shas) else []
            text = " ".join(title(n) for n in range(at, min(len(shas), at + 30)))
            return Answer(text, (*(f"{base}/commit/{sha}" for sha in shas[at : at + 30]), *more))
        if page.startswith(f"{base}/commit/"):
            sha = page.rpartition("/")[2]
            changed = [f"{base}/blob/{sha}/{name}" for name in chance(page).sample(files, 2)]
            return Answer(prose(page, 50), (*changed, f"{base}/tree/{sha}/", f"{page}.patch", f"{page}.diff"))
        if page.endswith((".patch", ".diff")):
            return view(prose(page.rpartition(".")[0], 50))
        if page.startswith((f"{base}/issues/", f"{base}/merge_requests/")):
            n, kind = numbers(page)[0], page.split("/")[4]
            if page.count("/") > 5:
                return Answer("sign in", status=403) if page.endswith("edit") else view(prose(page, 20))
            if not 1 <= n <= (size if kind == "issues" else size // 2):
                return MISSING
            extra = ("commits", "diffs", "pipelines") if kind == "merge_requests" else ("designs", "edit")
            seen = [f"{base}/issues/{k}" for k in chance(page).sample(range(1, size), 2)]
            labels = [f"{base}/issues?label={n % 6}", f"/users/{SLUGS[n % 25]}"]
            return Answer(prose(page), (*seen, *labels, *(f"{page}/{each}" for each in extra)))
        if page.startswith("/users/"):
            return (
                Answer(prose(page, 25), (f"{page}/activity", f"{page}/snippets"))
                if page.count("/") == 2
                else view("no")
            )
        return code(page)

    return answer


@honest("/startseite", 320)
def typo3(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A tree of pages with a menu on each; news in a list; a search form, printing, a language switch, hashes."""
    urls = ["/startseite"]
    for n in range(1, size):
        urls.append(f"{urls[(n - 1) // 6].removesuffix('.html') if n > 6 else ''}/{SLUGS[n % 400]}-{n}.html")
    at = {url: n for n, url in enumerate(urls)}

    def answer(path: str) -> Answer:
        asked, page = query(path), path.partition("?")[0]
        if page == "/index.php":
            return view(prose(urls[int(asked["id"]) % size]), urls[0])
        if page.startswith("/news/"):
            n = numbers(page)[0]
            return Answer(prose(page), (f"/index.php?id={n % size}&type=98&cHash={digest(page)}", "/suche"))
        if page == "/suche":
            return view("search", "/startseite")
        n = at[page]
        below = [urls[k] for k in range(6 * n + 1, min(size, 6 * n + 7))]
        menu = [urls[k] for k in range(1, 7)]
        tools = [f"/index.php?id={n}&type=98&cHash={digest(n)}", f"{page}?L={1 + n % 2}", f"/suche?back={n}"]
        news = [f"/news/{SLUGS[k]}-{k}.html" for k in range(n, n + 3)] if n < 60 else []
        return view(prose(page), *tools) if asked else Answer(prose(page), (*menu, *below, *news, *tools))

    return answer


@honest("/shop/", 300)
def woo_commerce(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Products in categories and tags, in pages; putting in the basket, orders, reviews, feeds, variations."""

    def url(n: int) -> str:
        return f"/product/{SLUGS[n % 400]}-{SLUGS[n * 13 % 397]}/"

    at = {url(n): n for n in range(size)}

    def listing(page: str, asked: dict[str, str]) -> Answer:
        head, _, number = page.partition("page/")
        k = int(number.strip("/") or 1)
        names = head.strip("/").split("/")
        every = range(size)
        if names[0] == "product-category":
            every = range(SLUGS.index(names[1]), size, 7)
        elif names[0] == "product-tag":
            every = range(SLUGS.index(names[1]), size, 30)
        shown = every[16 * k - 16 : 16 * k]
        kept = "".join(f"&{a}={b}" for a, b in sorted(asked.items()) if a == "orderby")
        pages = [f"{head}page/{i}/" for i in range(1, -(-len(every) // 16) + 1)]
        orders = [f"{page}?orderby={by}" for by in ("price", "date", "rating", "popularity")]
        baskets = [f"{page}?add-to-cart={n}{kept}" for n in shown]
        groups = [f"/product-category/{SLUGS[i]}/" for i in range(7)]
        links = (*map(url, shown), *pages, *orders, *baskets, *groups, f"{head}feed/")
        text = f"{' '.join(names)} {' '.join(title(n) for n in shown)}"
        return view(text, *links) if asked or not shown else Answer(text, links)

    def answer(path: str) -> Answer:
        asked, page = query(path), path.partition("?")[0]
        if page.endswith("/feed/"):
            return view("feed")
        if not page.startswith("/product/"):
            return (
                view("your basket", "/shop/")
                if page.startswith(("/cart", "/my-account"))
                else listing(page, asked)
            )
        n = at[page]
        related = [url(k) for k in chance(page).sample(range(size), 4)]
        tools = [
            f"{page}?add-to-cart={n}",
            f"{page}?attribute_size={n % 3}",
            f"{page}feed/",
            "/cart/",
            "/my-account/",
        ]
        tools += [f"{page}?add_to_wishlist={n}", f"{page}?replytocom={n * 3}"]
        groups = (f"/product-category/{SLUGS[n % 7]}/", f"/product-tag/{SLUGS[n % 30]}/")
        return (
            view(prose(page, 80), *tools) if asked else Answer(prose(page, 80), (*related, *groups, *tools))
        )

    return answer


@honest("/index.php/journal/issue/archive", 280)
def journal(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Issues with articles; abstract, files to view and to load, citations in many styles, authors, searches."""
    base = "/index.php/journal"

    def answer(path: str) -> Answer:
        page = path.partition("?")[0]
        if page.endswith("/issue/archive") or "/issue/archive/" in page:
            k = numbers(page)[0] if numbers(page) else 1
            issues = range(1, size // 10 + 1)[10 * k - 10 : 10 * k]
            more = [f"{base}/issue/archive/{k + 1}"] if issues else []
            links = (*(f"{base}/issue/view/{n}" for n in issues), *more, f"{base}/about", f"{base}/search")
            return Answer(prose(f"archive {k}", 20), links) if issues else view("no issues")
        if page.startswith(f"{base}/issue/view/"):
            n = numbers(page)[0]
            return Answer(prose(page, 30), tuple(f"{base}/article/view/{n * 10 + k}" for k in range(10)))
        if page.startswith(f"{base}/article/"):
            n = numbers(page)[0]
            if not 10 <= n < size + 10 or "/download/" in page:
                return MISSING
            if len(numbers(page)) > 1:
                return view(prose(f"article {n}"), f"{base}/article/download/{n}/{numbers(page)[1]}")
            styles = ("apa", "chicago", "mla", "vancouver", "bibtex", "ris")
            cites = [f"{base}/citationstylelanguage/get/{style}?submissionId={n}" for style in styles]
            authors = [f"{base}/search?authors={title(k)}" for k in (n % 70, n % 31)]
            also = [f"{base}/article/view/{10 + k}" for k in chance(page).sample(range(size), 2)]
            links = (
                f"{page}/{n + 900}",
                f"{base}/issue/view/{n // 10}",
                *cites,
                *authors,
                *also,
                f"{base}/login?source={n}",
            )
            return Answer(prose(f"article {n}"), links)
        if page.startswith((f"{base}/citation", f"{base}/login", f"{base}/search")):
            return view(f"{page.rpartition('/')[2]} cite {title(sum(numbers(path)) % 300)}", base)
        return Answer(prose(page, 30), (f"{base}/issue/archive",))

    return answer


@honest("/oai/browse?type=title", 300)
def repository(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Handles reached by lists of titles, authors, dates and subjects; full and short records, statistics, exports."""

    def answer(path: str) -> Answer:
        asked, page = query(path), path.partition("?")[0]
        if page.startswith("/oai/handle/"):
            n = numbers(page)[1]
            if not 0 <= n < size:
                return MISSING
            if asked or page.count("/") > 4:
                return view(f"{prose(page.split('/statistics')[0], 40)} {' '.join(sorted(asked))}")
            lists = [f"/oai/browse?type=author&value={SLUGS[k]}" for k in (n % 60, n * 7 % 60)]
            lists += [f"/oai/browse?type=subject&value={SLUGS[n % 18]}"]
            forms = [f"{page}?show=full", f"{page}/statistics", f"/oai/export?handle={n}&format=bibtex"]
            return Answer(prose(page), (*lists, *forms, f"/oai/bitstream/1234/{n}/1/file{n}.pdf"))
        if page == "/oai/browse":
            at, kind = int(asked.get("offset", 0)), asked["type"]
            value = SLUGS.index(asked["value"]) if "value" in asked else 0
            every = list(
                range(value, size, {"author": 60, "subject": 18}.get(kind, 1))
                if "value" in asked
                else range(size)
            )
            shown = every[at : at + 20]
            more = with_query(page, {**asked, "offset": str(at + 20)})
            orders = [
                with_query(page, {**asked, "order": by, "sort_by": k})
                for by in ("ASC", "DESC")
                for k in "123"
            ]
            sizes = [with_query(page, {**asked, "rpp": k}) for k in ("40", "100")]
            links = (*(f"/oai/handle/1234/{n}" for n in shown), more, *orders, *sizes)
            kinds = [f"/oai/browse?type={each}" for each in ("title", "dateissued")]
            text = f"{kind} {value} {' '.join(title(n) for n in shown)}"
            plain = (
                set(asked) <= {"type", "value", "offset"}
                and shown
                and not (kind != "title" and "value" not in asked)
            )
            return Answer(text, (*links, *kinds)) if plain else view(text, *links)
        return view("export", "/oai/browse?type=title")

    return answer


@honest("/pipermail/talk/", 420)
def mailman(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Months, each by thread, subject, author and date; messages with the one before and after and an attachment."""
    months = [f"{2004 + n // 12}-{MONTHS[n % 12]}" for n in range(size // 20)]

    def answer(path: str) -> Answer:
        if path == "/pipermail/talk/":
            links = [
                f"/pipermail/talk/{m}/{by}.html"
                for m in months
                for by in ("thread", "subject", "author", "date")
            ]
            return Answer(prose("archives", 20), tuple(links))
        month, name = path.split("/")[3:5]
        m = months.index(month)
        own = f"/pipermail/talk/{month}/"
        if not name[0].isdigit():
            text = f"{month} {' '.join(title(m * 20 + k) for k in range(20))}"
            return Answer(
                text, tuple(f"{own}{m * 20 + k:06}.html" for k in range(20)), content=f"month {month}"
            )
        n = numbers(name)[0]
        if not m * 20 <= n < m * 20 + 20:
            return MISSING
        near = [f"{own}{k:06}.html" for k in (n - 1, n + 1)]
        lists = [f"{own}{by}.html#{n}" for by in ("thread", "subject", "author", "date")]
        return Answer(
            prose(path, 90), (*near, *lists, "/pipermail/talk/", f"/mailman/listinfo/talk?from={n}")
        )

    return answer


@honest("/gesetz/index.html", 420)
def legal_code(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A code by paragraph with books and titles, references to other paragraphs, print and change views."""
    per = 30

    def answer(path: str) -> Answer:
        asked, page = query(path), path.partition("?")[0]
        if page == "/gesetz/index.html":
            return Answer(
                prose("code", 40), tuple(f"/gesetz/buch_{k}.html" for k in range(1, size // per + 1))
            )
        if page.startswith("/gesetz/buch_"):
            k = numbers(page)[0]
            return Answer(
                prose(page, 30), tuple(f"/gesetz/__{per * k - per + i}.html" for i in range(1, per + 1))
            )
        n = numbers(page)[0]
        if not 1 <= n <= size:
            return MISSING
        near = [f"/gesetz/__{k}.html" for k in (n - 1, n + 1)]
        cited = [f"/gesetz/__{k}.html" for k in chance(page).sample(range(1, size), n % 4)]
        forms = [f"{page}?druck=1", f"{page}?fassung={1990 + n % 30}", f"/vergleich?a={n}&b={n + 1}"]
        text = f"({n}) {prose(page, 25 + n % 60)}"
        return view(text, *near) if asked or page == "/vergleich" else Answer(text, (*near, *cited, *forms))

    return answer


@honest("/serial/1", 380)
def serial(prose: Prose, size: int) -> Callable[[str], Answer]:
    """A story in numbered parts, each with next and previous, comments on a page of their own, reply forms and votes."""

    def answer(path: str) -> Answer:
        page = path.partition("?")[0]
        n = numbers(page)[0]
        if not 1 <= n <= size:
            return MISSING
        if "/reply" in page or "/vote" in page:
            return view("you must log in", f"/serial/{n}")
        if page.endswith("/comments"):
            replies = [f"/serial/{n}/reply/{n * 40 + k}" for k in range(5)]
            return Answer(prose(page, 50), (f"/serial/{n}", *replies))
        near = [f"/serial/{k}" for k in (n - 1, n + 1)]
        return Answer(
            prose(page), (*near, f"/serial/{n}/comments", f"/serial/{n}/vote/up", f"/serial/{n}/vote/down")
        )

    return answer


@honest("/calendar/2025-01", 24)
def town_events(prose: Prose, size: int) -> Callable[[str], Answer]:
    """Months, days and events of a town: two years with events, empty months before and after for ever."""

    def answer(path: str) -> Answer:
        page = path.partition("?")[0]
        parts = numbers(page)
        if page.startswith("/calendar/event/"):
            n = parts[0]
            return Answer(
                prose(page, 70),
                (f"/calendar/venue/{n % 15}", f"{page}/ics", f"{page}/share", f"/calendar/kind/{n % 5}"),
            )
        if page.startswith("/calendar/venue/"):
            return (
                Answer(prose(page, 40), (f"/calendar/venue/{parts[0]}?past=1",))
                if "?" not in path
                else view("past")
            )
        if page.startswith("/calendar/kind/"):
            at = int(query(path).get("from", 0))
            more = f"{page}?from={at + 30}"
            mine = [n for n in range(size * 8) if n % 5 == parts[0]][at : at + 30]
            text = f"kind {parts[0]} {' '.join(title(n) for n in mine)}"
            links = (*(f"/calendar/event/{n}" for n in mine), more)
            return Answer(text, links) if mine else view("no events", more)
        if page.endswith(("/ics", "/share")):
            return view("file")
        m = (parts[0] - 2025) * 12 + parts[1] - 1
        near = [f"/calendar/{2025 + k // 12}-{k % 12 + 1:02}" for k in (m - 1, m + 1)]
        if len(parts) > 2:
            of_day = [n for n in range(m * 8, m * 8 + 8) if n % 8 == parts[2] // 4 and 0 <= m < size]
            return view(
                f"{parts[2]}. {' '.join(title(n) for n in of_day)}", *(f"/calendar/event/{n}" for n in of_day)
            )
        days = [f"{page}-{d:02}" for d in range(1, 29)]
        events = [f"/calendar/event/{n}" for n in range(m * 8, m * 8 + 8)] if 0 <= m < size else []
        text = f"{page} {' '.join(title(m * 8 + k) for k in range(len(events)))}"
        return Answer(text, (*near, *days, *events)) if events else view(f"{text} no events", *near, *days)

    return answer
