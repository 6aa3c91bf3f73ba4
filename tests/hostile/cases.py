"""A case: one small site of the hostile web and what must be true of it after the crawl."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from .content import page
from .judge import Check
from .server import HTML, Answer, Raw, Site

Build = Callable[[Site], list[Check]]
Made = TypeVar("Made", bound=Build)


@dataclass(frozen=True)
class Case:
    """`build` fills the site with answers and returns what the judge shall check."""

    category: str
    name: str
    build: Build

    @property
    def id(self) -> str:
        return f"{self.category}-{self.name}"


CASES: list[Case] = []


def case(category: str) -> Callable[[Made], Made]:
    """Register a function as a case; its name is the case's name."""

    def register(build: Made) -> Made:
        CASES.append(Case(category, build.__name__, build))
        return build

    return register


def front(
    site: Site, *links: str, head: str = "", body: str = "", headers: tuple[tuple[str, str], ...] = ()
) -> None:
    """Give the site a first page with links."""
    site.on(
        "/", Answer(page(f"front of {site.name}", *links, head=head, body=body), headers=(HTML, *headers))
    )


def leaf(site: Site, *paths: str, links: tuple[str, ...] = ()) -> None:
    """Give the site ordinary pages whose titles say `leaf` and the path."""
    for path in paths:
        site.on(path, Answer(page(f"leaf {path} of {site.name}", *links)))


def raw(head: str, body: bytes = b"", *, then: str = "close") -> Raw:
    """Return an answer whose head is written out, one header a line."""
    lines = "\r\n".join(line.strip() for line in head.strip().split("\n"))
    return Raw(lines.encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body, then=then)


def moved(target: str, status: int = 302, *headers: tuple[str, str], body: bytes = b"") -> Answer:
    """Return a redirect."""
    return Answer(body, status=status, headers=(HTML, ("Location", target), *headers))
