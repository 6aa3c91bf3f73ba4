"""Ten directories of people, each written in its own way, with the rows that are on them."""

import random

FIRST = [
    "Ada",
    "Alan",
    "Barbara",
    "Charles",
    "Claire",
    "Daniel",
    "Edith",
    "Frances",
    "George",
    "Grace",
    "Hannah",
    "Ivan",
    "James",
    "Karen",
    "Leslie",
    "Maria",
    "Niklaus",
    "Olga",
    "Peter",
    "Rosa",
]
LAST = [
    "Abelson",
    "Backus",
    "Codd",
    "Dijkstra",
    "Engelbart",
    "Floyd",
    "Gray",
    "Hopper",
    "Iverson",
    "Johnson",
    "Knuth",
    "Lampson",
    "Milner",
    "Naur",
    "Ousterhout",
    "Perlis",
    "Ritchie",
    "Sutherland",
    "Thompson",
    "Wirth",
]
ROLES = ("Associate Professor", "Assistant Professor", "Senior Lecturer", "Office Manager", "Research Staff")
AREAS = ("Operating Systems", "Computer Graphics", "Data Bases", "Human Interfaces")
FORMATS = ("({a}) {b}-{c}", "{a}-{b}-{c}", "{a}.{b}.{c}", "+1 {a} {b} {c}", "{a}/{b}-{c}")
Row = tuple[str, str]


def people(site: int, count: int = 14) -> list[Row]:
    """Return the rows of a site: names and telephone numbers in the site's way of writing."""
    choice = random.Random(site)
    names = choice.sample([f"{first} {last}" for first in FIRST for last in LAST], count)
    number = FORMATS[site % len(FORMATS)]
    return [
        (
            name,
            number.format(
                a=choice.randint(201, 989), b=choice.randint(200, 999), c=choice.randint(1000, 9999)
            ),
        )
        for name in names
    ]


def _table(rows: list[Row], role: list[str]) -> str:
    cells = "".join(
        f"<tr><td><a href='/p/{at}'>{name}</a></td><td>{role[at]}</td><td>{phone}</td><td>p{at}@cs.example</td></tr>"
        for at, (name, phone) in enumerate(rows)
    )
    return f"<table><tr><th>Name</th><th>Position</th><th>Phone</th><th>Mail</th></tr>{cells}</table>"


def _phone_first(rows: list[Row], role: list[str]) -> str:
    return (
        "<table>"
        + "".join(f"<tr><td>{p}</td><td>{n}</td><td>{role[at]}</td></tr>" for at, (n, p) in enumerate(rows))
        + "</table>"
    )


def _cards(rows: list[Row], role: list[str]) -> str:
    return "".join(
        f"<div class=person><h3>{n}</h3><p class=role>{role[at]}</p><p>Office: Hall {at + 100}</p><p>Phone: {p}</p></div>"
        for at, (n, p) in enumerate(rows)
    )


def _lines(rows: list[Row], role: list[str]) -> str:
    return "<p>" + "<br>".join(f"<b>{n}</b>, {role[at]}, {p}" for at, (n, p) in enumerate(rows)) + "</p>"


def _items(rows: list[Row], role: list[str]) -> str:
    return "<ul>" + "".join(f"<li>{n}: {p}</li>" for n, p in rows) + "</ul>"


def _terms(rows: list[Row], role: list[str]) -> str:
    return (
        "<dl>"
        + "".join(f"<dt>{n}</dt><dd>{role[at]}</dd><dd>tel. {p}</dd>" for at, (n, p) in enumerate(rows))
        + "</dl>"
    )


def _spans(rows: list[Row], role: list[str]) -> str:
    return (
        "<ol>"
        + "".join(
            f"<li><span class=n>{n}</span> <span class=a>{AREAS[at % 4]}</span> <a href='tel:1'>{p}</a></li>"
            for at, (n, p) in enumerate(rows)
        )
        + "</ol>"
    )


def _blocks(rows: list[Row], role: list[str]) -> str:
    return "".join(
        f"<section><strong>{n}</strong><br>{role[at]}<br>Room {at}<br>{p}</section>"
        for at, (n, p) in enumerate(rows)
    )


LISTS = (_table, _phone_first, _cards, _lines, _items, _terms, _spans, _blocks)


def _frame(title: str, body: str) -> str:
    menu = "".join(
        f"<li><a href='/{name}'>{name}</a></li>" for name in ("About Us", "Study Here", "Contact Us")
    )
    return (
        f"<html><head><title>{title}</title></head><body><ul class=menu>{menu}</ul>{body}"
        "<p class=foot>Department Office, Science Hall, 404-555-0100</p></body></html>"
    )


def site_pages(site: int) -> dict[str, str]:
    """Return the pages of a site: a list in one of eight layouts, or one page a person in two others."""
    rows, host = people(site), f"http://www.u{site}.example"
    role = random.Random(site + 100).choices(ROLES, k=len(rows))
    if site % 10 < len(LISTS):
        return {f"{host}/people.html": _frame("Our People", LISTS[site % 10](rows, role))}
    if site % 10 == 8:
        return {
            f"{host}/people/{at}.html": _frame(
                n, f"<h1>{n}</h1><p>{role[at]}</p><table><tr><th>Telephone</th><td>{p}</td></tr></table>"
            )
            for at, (n, p) in enumerate(rows)
        }
    return {
        f"{host}/staff?id={at}": _frame(
            f"{n} - Staff", f"<h2>{n}</h2><div>{role[at]}</div><div>Call <b>{p}</b></div>"
        )
        for at, (n, p) in enumerate(rows)
    }
