"""Honest large sites: 400 pages each, beside all the traps, and every page must be read."""

from .cases import case, front
from .content import page, prose
from .judge import Check, Evidence
from .server import Answer, Site

SIZE = 400


def _all(site: Site, pages: dict[str, tuple[str, ...]], *, words: int = 120, body: str = "") -> list[Check]:
    """Serve `pages` (path to links); every one of them must come home."""
    for path, links in pages.items():
        site.on(path, Answer(page(f"{prose(path, 4)} {path}", *links, words=words, body=body)))

    def check(evidence: Evidence, name: str) -> None:
        good = {
            p for p in pages if (row := evidence.row(name, p)) and row["status"] == 200 and not row["error"]
        }
        missing = sorted(set(pages) - good)
        assert not missing, f"{len(missing)} of {len(pages)} pages are missing, for example {missing[:6]}"

    return [check]


def _slug(number: int) -> str:
    return prose(("slug", number), 3).lower().strip(".").replace(" ", "-")


@case("large")
def a_catalogue_by_query(site: Site) -> list[Check]:
    items = [f"/item?id={n}" for n in range(1, 381)]
    lists = [f"/list?page={n}" for n in range(1, 21)]
    pages = {
        path: (*items[20 * i : 20 * i + 20], *lists[max(0, i - 2) : i + 3], "/")
        for i, path in enumerate(lists)
    }
    pages |= {
        path: (*items[(7 * i) % 370 : (7 * i) % 370 + 4], lists[i // 20]) for i, path in enumerate(items)
    }
    front(site, lists[0])
    return _all(site, pages)


@case("large")
def articles_by_date(site: Site) -> list[Check]:
    pages: dict[str, tuple[str, ...]] = {}
    years = [f"/{year}/" for year in range(2015, 2025)]
    for year in years:
        months = [f"{year}{month:02}/" for month in (1, 4, 7, 10)]
        pages[year] = (*months, *years)
        for month in months:
            articles = [f"{month}{_slug(n)}-{n}" for n in range(9)]
            pages[month] = (*articles, year, "/")
            pages |= dict.fromkeys(articles, (month, *articles[:3]))
    front(site, *years)
    return _all(site, pages)


@case("large")
def an_encyclopedia(site: Site) -> list[Check]:
    names = [f"/wiki/{_slug(n).title()}_{n}" for n in range(SIZE)]
    pages = {name: tuple(names[(i * 31 + k * 57) % SIZE] for k in range(12)) for i, name in enumerate(names)}
    front(site, names[0], names[1])
    return _all(site, pages, words=250)


@case("large")
def files_in_one_folder(site: Site) -> list[Check]:
    names = [f"/docs/page{n:04}.html" for n in range(SIZE)]
    pages: dict[str, tuple[str, ...]] = {
        name: (names[(i + 1) % SIZE], names[i - 1], "/") for i, name in enumerate(names)
    }
    front(site, *names)
    return _all(site, pages)


@case("large")
def products_on_one_template(site: Site) -> list[Check]:
    terms = f"<footer><p>{prose('terms of sale', 120)}</p></footer>"
    shelves = [
        f"/shop/{shelf}/" for shelf in ("tea", "coffee", "bread", "cheese", "fruit", "fish", "wine", "salt")
    ]
    pages: dict[str, tuple[str, ...]] = {}
    for shelf in shelves:
        goods = [f"{shelf}{n}-{_slug(n)}" for n in range(49)]
        pages[shelf] = (*goods, *shelves)
        pages |= {good: (shelf, *goods[i : i + 2]) for i, good in enumerate(goods)}
    front(site, *shelves)
    return _all(site, pages, words=60, body=terms)
