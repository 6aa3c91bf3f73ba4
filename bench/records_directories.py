"""Five rows (name, telephone) of one directory of people: how many rows of other directories are found?

    python -m bench.records_directories            # writes the data of a table of docs/lab/records.md

The directories are made here, in layouts of five groups, with numbers that belong to nobody in the list (main office,
fax, mobile) and one list of services, which has no people. Each directory with people is the source once, and only
rows of the others of its group count. Four groups were written one after the other and looked at while the method
was changed; the last one was written when it was done.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bench.figures import publish
from clew.domain.records.record_learner import RecordLearner
from clew.domain.records.record_table import RecordTable
from clew.domain.records.values import row_key
from clew.parse.page_reader import markup_of
from clew.types import Link, Response
from clew.urls import Canon
from docs.figures import Table

PEOPLE = 28
GIVEN = """Alice Bruno Carla Dmitri Elena Farid Grace Hiro Ines Jonas Kavita Liam Mona Nadia Oscar Priya Quentin
Rosa Sven Tara Umar Vera Walter Xenia Yusuf Zoe Helen Marcus Judith Pablo"""
FAMILY = """Abbott Baranov Castillo Dunne Eriksen Fontaine Gallagher Haddad Iversen Jansen Kowalski Lindqvist Moretti
Nakamura O'Brien Petrov Quigley Ramirez Steinberg Thornton Ulrich Vasquez Whitfield Xu Yamada Zimmer Bell"""
ROLES = ("Professor", "Associate Professor", "Lecturer", "Department Administrator", "Research Fellow")
SERVICES = ("Parking Office", "Lost Property", "Student Health Centre", "Career Services", "Print Shop",
            "Housing Office", "Sports Hall", "Library Desk")  # fmt: skip
FORMATS = ("({}) {}-{}", "{}-{}-{}", "{}.{}.{}", "+1 {} {} {}", "{}/{}-{}")


@dataclass(frozen=True, slots=True)
class Person:
    """One row, and what stands around it."""

    name: str
    phone: str
    fax: str
    mobile: str
    role: str
    room: str
    extension: str

    @property
    def email(self) -> str:
        return f"{self.name.split()[-1].lower()}@uni.example"


MAIN = "(971) 555-0100"
"""The number of a company, which goes before the extension of a person."""

Part = list[Person]


@dataclass(frozen=True, slots=True)
class Layout:
    """How a directory writes people: some to a page, or one; `make` returns the body of a page."""

    name: str
    a_page: int
    make: Callable[[Part], str]
    title: str = "People"
    phone: int = 0
    titled: bool = False
    extended: bool = False
    is_source: bool = True

    def rows(self, person: Person) -> tuple[tuple[str, str], ...]:
        """Return the rows of a person that count as right; the first one is the example."""
        name = f"Dr. {person.name}" if self.titled else person.name
        if self.extended:
            return ((name, f"{MAIN} x{person.extension}"), (name, person.extension))
        return ((name, person.phone), (person.name, person.phone))


def _lines(part: Part, template: str) -> str:
    return "".join(
        template.format(
            name=each.name, phone=each.phone, fax=each.fax, mobile=each.mobile, role=each.role, room=each.room,
            email=each.email, first=each.name.split()[0], last=each.name.split()[-1], reversed=_reversed(each.name), main=MAIN,
            extension=each.extension,
        )
        for each in part
    )  # fmt: skip


def _reversed(name: str) -> str:
    *given, last = name.split()
    return f"{last}, {' '.join(given)}"


def listed(name: str, a_page: int, template: str, around: str = "{}", phone: int = 0) -> Layout:
    return Layout(name, a_page, lambda part: around.format(_lines(part, template)), phone=phone)


def single(name: str, template: str, title: str = "{}", phone: int = 0) -> Layout:
    return Layout(name, 1, lambda part: _lines(part, template), title, phone)


def threes(part: Part) -> str:
    rows = [part[at : at + 3] for at in range(0, len(part), 3)]
    cell = (
        "<td align=center><img src=x.jpg><br><a href=/x>{name}</a><br><small>{role}</small><br>{phone}</td>"
    )
    return f"<table>{''.join(f'<tr>{_lines(row, cell)}</tr>' for row in rows)}</table>"


def services(part: Part) -> str:
    rows = zip(SERVICES, part, strict=False)
    return f"<table>{''.join(f'<tr><td>{name}<td>{each.phone}' for name, each in rows)}</table>"


FIRST_TEN = (
    listed("striped table", 14, "<tr><td><a href=/p>{name}</a><td>{role}<td>{room}<td>{phone}",
           "<table><tr><th>Name<th>Position<th>Office<th>Telephone{}</table>"),
    listed("definition list", 10, "<dt>{name}, <i>{role}</i></dt><dd>Phone {phone}; e-mail {email}</dd>",
           "<dl>{}</dl>", 1),
    listed("cards with fax", 9, "<div class='card person'><h3>{name}</h3><p class=role>{role}</p><ul><li>"
           "<a href='tel:{phone}'>{phone}</a></li><li>Fax {fax}</li><li>{email}</li></ul></div>", phone=2),
    single("page each, table", "<h1>{name}</h1><p>{role}</p><table><tr><th>Office<td>{room}<tr><th>Phone<td>{phone}"
           "<tr><th>Email<td>{email}</table><h2>Research</h2><p>{first} works on rivers.</p>", "{} - Faculty"),
    listed("one line each", 14, "<li>{name} – {role} – {phone}</li>", "<ul>{}</ul>", 1),
    listed("lines with fax", 7, "<tr valign=top><td><img src=p.gif></td><td><strong>{name}</strong><br>{role}<br>{room}"
           "<br>Tel: {phone}<br>Fax: {fax}<br></td></tr>", "<table>{}</table>", 3),
    listed("telephone first", 14, "<tr><td class=tel>{phone}<td class=nm>{name}<td>{room}", "<table>{}</table>", 2),
    listed("articles", 10, "<article><header><h2><a href=/u>{name}</a></h2><span>{role}</span></header><div class=row>"
           "<div class=label>Phone</div><div class=val>{phone}</div></div></article>"),
    single("home pages with fax", "<center><h2>{name}</h2></center><p><b>{role}</b>, Department of History<p>{room}"
           "<p>Office phone: {phone}<p>Fax: {fax}<hr><p>Courses: The Age of Sail.", phone=4),
    listed("preformatted", 14, "{name:<30}{phone:<20}{role}\n", "<pre>{}</pre>", 1),
)  # fmt: skip

LATER = (
    listed("last name first", 14, "<tr><td>{reversed}<td>{phone}<td>{email}",
           "<table><tr><td><b>Name</b><td><b>Office</b><td><b>E-mail</b>{}</table>", 1),
    listed("headings and quotes", 10, "<h4>{name}</h4><blockquote>{role}, {room}<br>Telephone: {phone}<br>"
           "Office hours: Mon 10-2</blockquote>"),
    listed("vcard", 12, "<div class=vcard><span class='fn n'><a href=/v class=url>{name}</a></span> "
           "<span class=title>{role}</span> <div class=tel><span class=type>Work</span>: "
           "<span class=value>{phone}</span></div></div>", phone=2),
    single("profile pages", "<h1>{name}</h1><aside><h3>Contact details</h3><p>{email}</p><p>{phone}</p><p>{room}</p>"
           "</aside><section><h3>Biography</h3><p>{first} studies glaciers.</p></section>", "{} | University", 1),
    Layout("three to a row", 12, threes),
    listed("direct line and mobile", 14, "<tr><td>{name}<td>{phone}<td>{mobile}",
           "<table><tr><th>Staff member<th>Direct line<th>Mobile{}</table>", 1),
    listed("sentences under pictures", 10, "<figure><img src=a.png><figcaption><strong>{name}</strong></figcaption>"
           "</figure><div>{role}. You can reach {first} at {phone} or {email}.</div>"),
    Layout("services, no people", PEOPLE, services),
)  # fmt: skip

THIRD = (
    listed("cards with mail and tel links", 9, "<div class='card'><div class='card-body'><a class='card-title' "
           "href='mailto:{email}'>{name}</a><p class='card-text'>{role}<br>{room}</p><a class='btn' href='tel:{phone}'>"
           "<i class='icon'></i> {phone}</a><a class='btn' href='mailto:{email}'>{email}</a></div></div>", phone=1),
    Layout("extensions", 14, lambda part: "<table class=directory><thead><tr><th>Name<th>Title<th>Phone</thead>"
           + _lines(part, "<tr><td>{reversed}<td>{role}<td>{main} x{extension}") + "</table>", extended=True),
    Layout("internal numbers", 14, lambda part: "<p>All numbers begin with (971) 555-0100, extension as listed.</p>"
           "<table><tr><th>Ext.<th>Name<th>Room" + _lines(part, "<tr><td>{extension}<td>{name}<td>{room}") + "</table>",
           extended=True, is_source=False),
    listed("a row for the name, a row for the number", 10, "<tr><th colspan=2><a href=/p>{name}</a></th></tr><tr><td>Role"
           "<td>{role}</tr><tr><td>Tel.<td>{phone}</tr><tr><td>Fax<td>{fax}</tr>", "<table>{}</table>", 2),
    Layout("definition list of a company", 10, lambda part: "<dl class=team>" + _lines(part, "<dt>Dr. {name}</dt><dd>{role}"
           "</dd><dd>T: <a href='tel:{phone}'>{phone}</a></dd><dd>M: {mobile}</dd><dd><a href='mailto:{email}'>E-mail</a>"
           "</dd>") + "</dl>", phone=3, titled=True),
)  # fmt: skip

LAST = (
    listed("rows of a content system", 10, "<div class=views-row><div class=views-field><span class=field-content><h3>"
           "<a href=/u>{name}</a></h3></span></div><div class=views-field><span class=field-content>{role}</span></div>"
           "<div class=views-field><span class=views-label>Phone: </span><span class=field-content>{phone}</span></div>"
           "</div>", "<div class=view-content>{}</div>", 1),
    listed("label and value pairs", 10, "<dt>Name</dt><dd>{name}</dd><dt>Office</dt><dd>{room}</dd><dt>Telephone</dt>"
           "<dd>{phone}</dd><dt>E-mail</dt><dd>{email}</dd>", "<dl>{}</dl>", 2),
    listed("given and family name in two cells", 14, "<tr><td>{first}<td>{last}<td>{role}<td>{phone}", "<table>{}</table>"),
    listed("items with line breaks", 14, "<li><b>{name}</b>, {role}<br>{phone} / {room}<br><i>{email}</i></li>",
           "<h2>Administration</h2><ul>{}</ul>", 3),
    listed("number in front of the name", 9, "<p><code>{phone}</code> <span class=who>{name}</span> "
           "<small>{role}, fax {fax}</small></p>", phone=4),
)  # fmt: skip


HELD_OUT = (
    listed("grid of a department", 9, "<div class='col-md-4'><div class=thumbnail><img src=p.jpg><div class=caption><h4>"
           "{name}</h4><p class='text-muted'>{role}</p><p><span class='glyphicon glyphicon-earphone'></span> {phone}</p>"
           "<p><a href='mailto:{email}'>{email}</a></p></div></div></div>", "<div class=row>{}</div>", 1),
    single("profile with a list of contacts", "<div class=profile><h1 class=page-title>{name}</h1><h2 class=sub>{role}</h2>"
           "<ul class=contact><li><strong>Office:</strong> {room}</li><li><strong>Phone:</strong> {phone}</li><li><strong>"
           "Fax:</strong> {fax}</li><li><strong>Email:</strong> {email}</li></ul><p>{first} joined the faculty in 2009."
           "</p></div>", "{} | Department of Physics"),
    listed("accordion by letter", 14, "<div class=entry><button>{reversed}</button><div class=panel><p>{role}</p><p>"
           "{room} &bull; {phone}</p></div></div>", "<h2>A to Z</h2>{}", 1),
    listed("table with mail links", 14, "<tr class=person><td class=col1><a href='mailto:{email}'>{name}</a></td>"
           "<td class=col2>{phone}</td><td class=col3>{room}</td><td class=col4>{role}</td></tr>",
           "<table id=staff><caption>Staff list</caption>{}</table>", 4),
    listed("address blocks", 10, "<address><b>{name}</b><br>{role}<br>Faculty of Arts, {room}<br>Phone: {phone}<br>"
           "E-mail: {email}</address><hr>"),
    listed("cells of spans", 10, "<div class=row><span class=c1>{name}</span><span class=c2>{role}</span><span class=c3>"
           "{room}</span><span class=c4>{phone}</span></div>", "<div class=head><span>Name</span><span>Title</span><span>"
           "Office</span><span>Phone</span></div>{}", 2),
    listed("paragraphs of a secretary", 14, "<p><strong>{role}:</strong> {name}, tel. {phone}, {room}</p>", phone=1),
    single("home page of long ago", "<table border=0><tr><td><img src=me.gif><td><h1>{name}</h1><i>{role}</i></table><hr>"
           "<b>Address:</b> Department of Chemistry, {room}<br><b>Telephone:</b> {phone}<br><b>Fax:</b> {fax}<p>"
           "<h3>Teaching</h3><ul><li>Chem 101</ul>", "{}'s home page"),
    listed("names as headings of a long page", 14, "<h3 id=p>{name}</h3><p>{role} &ndash; {room} &ndash; {phone} &ndash; "
           "<a href='mailto:{email}'>send mail</a></p>", "<nav><a href=#p>Top</a></nav>{}", 2),
    listed("microdata", 9, "<li itemscope itemtype='http://schema.org/Person'><a itemprop=url href=/u><span itemprop=name>"
           "{name}</span></a> <em itemprop=jobTitle>{role}</em> <span itemprop=telephone>{phone}</span> <span "
           "itemprop=faxNumber>{fax}</span></li>", "<ul class=people>{}</ul>", 3),
)  # fmt: skip
"""Written when the method was done, and measured once: nothing was changed after them."""


@dataclass(frozen=True, slots=True)
class Directory:
    """A site of one layout."""

    name: str
    rows: tuple[tuple[tuple[str, str], ...], ...]
    pages: tuple[tuple[str, str], ...]
    is_source: bool


def directory(layout: Layout, number: int) -> Directory:
    """Return the site of a layout; the same each time."""
    rng, people, host = random.Random(number), dict[str, Person](), f"http://site{number}.example"
    area = f"{201 + 37 * number % 799}"

    def call() -> str:
        return FORMATS[layout.phone].format(area, rng.randint(200, 999), f"{rng.randint(0, 9999):04}")

    while len(people) < PEOPLE:
        middle = rng.choice(("", "", "", f"{rng.choice('ABCDEJKLMRST')}. "))
        name = f"{rng.choice(GIVEN.split())} {middle}{rng.choice(FAMILY.split())}"
        room = f"Room {rng.randint(100, 499)}"
        extension = f"{4000 + 7 * len(people) + len(people) ** 2 % 7}"
        people[name] = Person(name, call(), call(), call(), rng.choice(ROLES), room, extension)
    rows = list(people.values())
    parts = [rows[at : at + layout.a_page] for at in range(0, len(rows), layout.a_page)]
    pages = [
        (f"{host}/people/{at}", _whole(layout.title.format(part[0].name), layout.make(part), area))
        for at, part in enumerate(parts)
    ]
    kept = () if layout.make is services else tuple(map(layout.rows, rows))
    made = tuple((url, _markup(url, html)) for url, html in pages)
    return Directory(layout.name, kept, made, layout.is_source and bool(kept))


def _whole(title: str, body: str, area: str) -> str:
    return (
        f"<!doctype html><html lang=en><title>{title}</title><body><header><a href=/>Home</a> Switchboard "
        f"({area}) 555-0111</header><main>{body}</main><footer>Main office: ({area}) 555-0100 | Fax ({area}) "
        "555-0199</footer></body></html>"
    )


def _markup(url: str, html: str) -> str:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    link = Link(id=0, url=url, origin="")
    response = Response(link=link, started=0, ended=0, status=200, head=head, body=html.encode())
    return markup_of(response, canon=Canon(), max_bytes=1_000_000)


@dataclass(frozen=True, slots=True)
class Found:
    """What the rows of one directory find in the others."""

    right: int
    wrong: int
    rows: int
    wrong_of_services: int = 0

    @property
    def recall(self) -> float:
        return self.right / self.rows

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)


def found_from(source: Directory, sites: list[Directory]) -> Found:
    """Read all pages of the sites, with five rows of one of them as examples."""
    pages = [page for site in sites for page in site.pages]
    owner = [site for site in sites for _ in site.pages]
    examples = [rows[0] for rows in random.Random(0).sample(source.rows, 5)]
    table = RecordTable(("name", "phone"), examples)
    learner = RecordLearner(table)
    for number, (url, markup) in enumerate(pages, 1):
        learner.process_page(number, url, markup, float(number))
    for _ in range(5):
        for number in learner.wanted():
            learner.again(number, *pages[number - 1], 0.0)
    right, wrong, at_services = set[tuple[str, int]](), 0, 0
    people = {
        site.name: {row_key(row): at for at, rows in enumerate(site.rows) for row in rows} for site in sites
    }
    for row in range(len(table)):
        for site in {owner[each.page - 1].name for each in table.supports(row) if each.pattern >= 0}:
            if site == source.name:
                continue
            person = people[site].get(row_key(table.values(row)))
            if person is None:
                wrong, at_services = wrong + 1, at_services + (not people[site])
            else:
                right.add((site, person))
    rows = sum(len(site.rows) for site in sites if site is not source)
    return Found(len(right), wrong, rows, at_services)


def results() -> Iterator[tuple[str, ...]]:
    """Yield a row of the table for either group of layouts."""
    first = 0
    for title, layouts in (
        ("first ten", FIRST_TEN),
        ("written later", LATER),
        ("written third", THIRD),
        ("written last", LAST),
        ("ten held out", HELD_OUT),
    ):
        sites = [directory(layout, at) for at, layout in enumerate(layouts, first)]
        first += len(layouts)
        found = [found_from(site, sites) for site in sites if site.is_source]
        count = len(found)
        yield (
            title, f"{count}", f"{sum(each.recall for each in found) / count:.2f}",
            f"{min(each.recall for each in found):.2f}", f"{sum(each.precision for each in found) / count:.2f}",
            f"{sum(each.wrong for each in found)}", f"{sum(each.wrong_of_services for each in found)}",
        )  # fmt: skip


COLUMNS = ("layouts", "directories", "recall, mean", "recall, worst source", "precision", "wrong rows",
           "of these from a list of services")  # fmt: skip


def main() -> None:
    publish({"records-directories": Table(COLUMNS, tuple(results()))}, "python -m bench.records_directories")


if __name__ == "__main__":
    main()
