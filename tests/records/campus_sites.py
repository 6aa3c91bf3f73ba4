"""Ten staff directories in layouts of their own, an example site, and the rows that are on them."""

import random
from collections.abc import Callable

FIRST = (
    "Amina",
    "Bruno",
    "Chiara",
    "Dmitri",
    "Elena",
    "Farid",
    "Gwen",
    "Hiroshi",
    "Ines",
    "Jorge",
    "Katya",
    "Liam",
    "Mei",
    "Nadia",
)
LAST = (
    "Almeida",
    "Brandt",
    "Castillo",
    "Dubois",
    "Eriksen",
    "Fontaine",
    "Gallagher",
    "Haddad",
    "Ibsen",
    "Jansen",
    "Kowalski",
)
JOBS = ("Professor of Botany", "Reader in Law", "Lab Technician", "Dean of Students", "Postdoctoral Fellow")
WRITTEN = ("({}) {}-{}", "{}-{}-{}", "{}.{}.{}", "+1 {} {} {}", "{} {} {}")
Row = tuple[str, str]
EXAMPLES = 10
"""Number of the site whose rows are known."""


def staff(site: int) -> list[Row]:
    """Return the rows of a site, as it writes them."""
    choice = random.Random(1000 + site)
    names = choice.sample([(first, last) for first in FIRST for last in LAST], 12)
    shown = [f"{last}, {first}" if site == 0 else f"{first} {last}" for first, last in names]
    return [(name, WRITTEN[site % 5].format(choice.randint(201, 989), choice.randint(200, 999), choice.randint(1000, 9999))) for name in shown]  # fmt: skip


def _surname_first(rows: list[Row], jobs: list[str]) -> str:
    cells = (
        f"<tr class=r{at % 2}><td>{at + 1}</td><td>{name}</td><td>{jobs[at]}</td><td>Hall {at + 20}</td><td>{phone}</td></tr>"
        for at, (name, phone) in enumerate(rows)
    )
    return f"<table class=list>{''.join(cells)}</table>"


def _two_a_line(rows: list[Row], jobs: list[str]) -> str:
    cells = [
        f"<td><b>{name}</b><br>{jobs[at]}<br>Phone {phone}</td>" for at, (name, phone) in enumerate(rows)
    ]
    return (
        "<table>"
        + "".join(f"<tr>{cells[at]}{cells[at + 1]}</tr>" for at in range(0, len(cells), 2))
        + "</table>"
    )


def _grid(rows: list[Row], jobs: list[str]) -> str:
    return "".join(
        f"<div class=row><div class=a>{name}</div><div class=b>{jobs[at]}</div><div class=c>{phone}</div></div>"
        for at, (name, phone) in enumerate(rows)
    )


def _addresses(rows: list[Row], jobs: list[str]) -> str:
    return "".join(
        f"<address><b>{name}</b><br>{jobs[at]}<br>{phone}<br>u{at}@campus.example</address>"
        for at, (name, phone) in enumerate(rows)
    )


def _flat_headings(rows: list[Row], jobs: list[str]) -> str:
    return "".join(
        f"<h4>{name}</h4><p>{jobs[at]} · Room {at + 3} · {phone}</p>" for at, (name, phone) in enumerate(rows)
    )


def _plain_text(rows: list[Row], jobs: list[str]) -> str:
    return "<pre>" + "\n".join(f"{name:<28}{phone}" for name, phone in rows) + "</pre>"


def _number_first(rows: list[Row], jobs: list[str]) -> str:
    return (
        "<ul>" + "".join(f"<li><em>{phone}</em> – <span>{name}</span></li>" for name, phone in rows) + "</ul>"
    )


def _with_fax(rows: list[Row], jobs: list[str]) -> str:
    lines = (
        f"<tr><td><a href='mailto:u{at}@campus.example'>{name}</a></td><td>{jobs[at]}</td><td>{phone}</td><td>Fax 404-555-0199</td></tr>"
        for at, (name, phone) in enumerate(rows)
    )
    head = "<tr><th>Staff member</th><th>Title</th><th>Telephone</th><th>Fax</th></tr>"
    return f"<table>{head}{''.join(lines)}</table>"


LISTS: tuple[Callable[[list[Row], list[str]], str], ...] = (
    _surname_first, _two_a_line, _grid, _addresses, _flat_headings, _plain_text, _number_first, _with_fax,
)  # fmt: skip


def _card(name: str, phone: str, job: str) -> str:
    return (
        f"<div class=vcard><span class=fn>{name}</span><span class=title>{job}</span>"
        f"<a class=tel href='tel:1'>{phone}</a></div><p>Teaches on Mondays and Thursdays.</p>"
    )


def _facts(name: str, phone: str, job: str) -> str:
    return (
        f"<p class=crumbs><a href='/'>Home</a> &gt; {name}</p><h1>{name}</h1><ul><li><strong>Position</strong> {job}</li>"
        f"<li><strong>Phone</strong> {phone}</li><li><strong>Hours</strong> 9 to 12</li></ul>"
    )


def _page(title: str, body: str) -> str:
    return (
        f"<html lang=en><head><title>{title}</title></head><body><header><a href='/'>Campus Home</a> "
        f"<a href='/news.html'>News and Events</a></header><main>{body}</main>"
        "<footer>Switchboard 404-555-0100. Privacy Notice.</footer></body></html>"
    )


def campus_pages(site: int) -> dict[str, str]:
    """Return the pages of a site by URL: a home page with links, news, and its directory."""
    rows, host = staff(site), f"http://www.campus{site}.test"
    jobs = random.Random(2000 + site).choices(JOBS, k=len(rows))
    if site == EXAMPLES or site < len(LISTS):
        maker = _grid if site == EXAMPLES else LISTS[site]
        inner = {f"{host}/staff.html": _page("Staff Directory", maker(rows, jobs))}
    else:
        maker_of_one = _card if site == len(LISTS) else _facts
        inner = {
            f"{host}/person/{at}.html": _page(name, maker_of_one(name, phone, jobs[at]))
            for at, (name, phone) in enumerate(rows)
        }
    links = "".join(f"<li><a href='{url}'>{url[-14:]}</a></li>" for url in inner)
    news = _page(
        "News", "<p>The new library opens on 12 May 2021. Grant number 2021-44-10293-8 was approved.</p>"
    )
    return {f"{host}/": _page("Welcome", f"<ul>{links}</ul>"), f"{host}/news.html": news, **inner}
