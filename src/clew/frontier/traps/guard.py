"""Detect generated URL spaces, so that they can wait; refuse only what stays unpaid to the end.

No single page shows that it was generated. A *space* of them does: it grows faster than it is read, and no
page outside links to what it grows by. So the guard keeps an account for every place (a folder; see
`places`):

    costs 1     a page found on its own site that leads on to several new pages, a text that was read before,
                names that were read in another order, a redirect
    pays 3      a fresh text on a page that leads on to one new page at most (an article, a chapter), or that
                was found from another site, or that an unrelated page links to as well

A site that ends has pages that lead nowhere; a space without end has none, however deep one goes. So the
links of a place that owes `SUSPECT` requests are read newest first, a few at a time (`engine.suspect_links`):
a tree of folders soon shows the pages in it, and they pay. A place that pays nothing even then waits behind
all others, and is *closed* when it owes what the user allows (`scope.suspect_pages`). A place whose pages
stay fresh and do not branch never owes anything, so a chain of thousands of pages is read to its end; but
after `UNPROVEN` of them it waits behind others, too. Relevance pays nothing: topic words are easily
generated.

An unrelated page that links to a URL *vouches* for it, unless that link is a step of a counter or a
combination of filters: wikis and manuals are full of such links, a generator of random links has none.

A page also pays for the place that led to it, so a list is proved by what it lists, and for the places around
both. A trap may make a folder for every page. So the places around a place answer for it until ten pages of
it were read and it owes little. Requests that bring no page are counted apart: those in a row.

Two kinds of URL are refused without suspicion: names repeated in the path, and parameters known to change
nothing where the page without them was read. The first pages of a registered domain are never left out.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.frontier.traps.accounts import PAYMENT, PROBES, SMALL_PLACE, SUSPECT, Accounts
from clew.frontier.traps.content_dedup import ContentDedup
from clew.frontier.traps.lineage import READ, Lineage
from clew.frontier.traps.places import (
    branches_by_form,
    domain_of,
    is_home_page,
    malformed_path,
    names_a_thing,
    path_of,
    place_of,
)
from clew.frontier.traps.read_log import ReadLog, text_hash
from clew.frontier.traps.url_aliases import UrlAliases
from clew.types import Ids, Page

FIRST_PAGES = 100
"""Requests to a registered domain before any link of it is left out on suspicion."""

REDIRECT = 0.7
"""What a redirect to a new page costs the place that led to it: that page has still to show what it is."""

_VOUCHES_PER_PAGE = 10
_DOMAIN = " pages"
_OK, _ERROR = range(200, 300), 400
_RELEVANT = 0.5  # how much a relevant page counts as unproven
_MOSTLY = 0.5  # three of four waiting links were known


class Standing(IntEnum):
    """What the guard says about a link."""

    OPEN = 0
    SUSPECT = 1
    CLOSED = 2


class Suspicion(NamedTuple):
    """Whether a link may be fetched, and the place whose account decides it."""

    standing: Standing
    place: str = ""


FREE = Suspicion(Standing.OPEN)


class TrapGuard:
    """Decide which links lead into generated URL spaces; learn from every page read.

    `suspect_pages` is how many requests for nothing close a place, 0 for none. At most `places` accounts are
    kept. `changed` returns what changed since its last call, to be stored with the pages and passed to
    `restore` after a restart; what was read is remembered again from stored rows (`recall`).
    """

    def __init__(self, *, suspect_pages: int = 150, places: int = 100_000) -> None:
        self.suspect_pages = suspect_pages
        self.accounts = Accounts(places)
        self._lineage = Lineage()
        self._contents = ContentDedup()
        self._aliases = UrlAliases(parameters=places)
        self._read_log = ReadLog()

    @property
    def limit(self) -> float:
        """The debt that closes a place: what makes it suspect, and what is left for it then."""
        return SUSPECT + max(0, self.suspect_pages - FIRST_PAGES) if self.suspect_pages else float("inf")

    def had_enough(self, place: str) -> bool:
        """Return whether a suspect place got all that it may get while other links are open."""
        account = self.accounts.find(place)
        return account is not None and 0 < self.suspect_pages <= max(
            account.pages, account.asked + FIRST_PAGES
        )

    def is_closed(self, place: str, url: str, under_way: int = 0) -> bool:
        """Return whether a place owes too much for one more request; `under_way` counts its requests.

        Those that were under way when it became suspect are taken from what is left for it, but not the
        probes by which an honest place shows what it has.
        """
        account = self.accounts.find(place)
        if account is None or not self._is_known(url):
            return False
        late = min(account.late, max(0.0, self.limit - SUSPECT - PROBES))
        return account.debt + late + under_way >= self.limit

    def refusal(self, url: str) -> str:
        """Return why a URL is refused whatever its place is like, or an empty string."""
        return malformed_path(url) or (self._aliases.refusal(url) if "?" in url else "")

    def assess(self, id: int, url: str) -> Suspicion:
        """Return whether a link may be fetched, waits, or is left."""
        worst = FREE
        own = place_of(url)
        outside = bool(self._source_place(id)) and not self._is_inside(id, url)
        for place in (own,) if outside else self.accounts.answering(own):
            account = self.accounts.find(place)
            if account is None or not (account.failures >= SUSPECT if outside else account.is_suspect):
                continue
            if self.is_closed(place, url):
                return Suspicion(Standing.CLOSED, place)
            worst = Suspicion(Standing.SUSPECT, place)
            if account.pages >= SMALL_PLACE:
                break  # else the outermost: small folders of one space are probed together
        return worst

    def _source_place(self, id: int) -> str:
        """Return the place of the page that a link was found on; an empty string if it was found on none."""
        return self._lineage.place(self._lineage.parent(id))

    def _is_inside(self, id: int, url: str) -> bool:
        """Return whether a link was found on a page of its own registered domain.

        The links of a home page to its own host are written by people: they count as found from outside.
        """
        source, place = self._source_place(id), place_of(url)
        if (
            self._lineage.is_home(self._lineage.parent(id))
            and source.partition("/")[0] == place.partition("/")[0]
        ):
            return False
        return bool(source) and domain_of(source) == domain_of(place)

    def _is_known(self, url: str) -> bool:
        """Return whether the first pages of the URL's registered domain were read."""
        account = self.accounts.find(domain_of(place_of(url)) + _DOMAIN)
        return account is not None and account.pages >= FIRST_PAGES

    # ---- what came -----------------------------------------------------------------------------

    def add_links(self, first: int, count: int, parent: int) -> None:
        """Register new links `first`, `first + 1` …; `parent` is the page they were found on, or 0."""
        self._lineage.add(first, count, parent)

    def source(self, id: int) -> int:
        """Return the page that a link was found on, past redirects and feeds; 0 if there is none."""
        return self._lineage.parent(id)

    def learn(self, page: Page, relevant: bool, ids: Ids, new: int, probed: str = "") -> int:
        """Learn from a page that was read; return the id of an earlier page with the same text, or 0.

        `ids` are those of the links on it that were known before (0 for the others), `new` is the number of
        links of the same host that it has added. `probed` is the suspect place for which it was read, if any.
        """
        id, url, status = page.link.id, page.url, page.response.status
        place = place_of(url)
        self.accounts.open(domain_of(place) + _DOMAIN).pages += 1
        if status not in _OK:
            if status >= _ERROR:
                self.accounts.open(place).failures += 1
            return 0
        text = text_hash(page.text) if page.fingerprint else 0
        self._read_log.append(id, text)
        duplicate, fresh, reordered = self._remember(id, url, page.fingerprint, text)
        own = self.accounts.open(place)
        own.pages += 1
        own.failures = 0
        ahead = self._ahead(page, ids, new)
        rows = np.flatnonzero(ids)
        marks = self._lineage.marks(ids[rows])
        known = _known_share(marks, new)
        if text and not text & 1 and not duplicate and ahead <= 1 and known > _MOSTLY:
            fresh = True  # a page of numbers that leads to hardly any new page: the numbers are what it says
        vouched = self._lineage.is_vouched(id)
        proven = vouched or not self._is_inside(id, url)
        if not fresh or reordered:
            if not vouched:
                self.accounts.charge(place, probed)
            return duplicate
        if proven or not (ahead > 1 or branches_by_form(page.url, page.links.urls)):
            self._pay(id, place, known if ahead > 1 and self._lineage.parent(id) else 1.0, probed)
        else:
            self.accounts.charge(place, probed)
        if not proven:
            for each in self.accounts.answering(place):
                self.accounts.open(each).unproven += _RELEVANT if relevant else 1.0
        self._vouch(page, ids, rows[marks == 0], known)
        return 0

    def _pay(self, id: int, place: str, part: float, probed: str) -> None:
        """Enter a page that pays for its place, for the one that led to it, and for those around them.

        It also pays for the suspect place for which it was read, if that is none of them.
        """
        source = self._source_place(id)
        for account in self.accounts.around(place):
            account.pay(part)
        if source and source != place and domain_of(source) == domain_of(place):
            for account in self.accounts.around(source):
                account.pay(part)
        if probed and not place.startswith(probed) and not source.startswith(probed):
            self.accounts.open(probed).pay(part)

    def _remember(self, id: int, url: str, fingerprint: int, text: int) -> tuple[int, bool, bool]:
        """Remember a page; return one with the same text, whether its text is new here, its names not."""
        place, duplicate = place_of(url), 0
        self._lineage.read(id, place, home=is_home_page(url))
        if fingerprint:
            self._aliases.learn(url, fingerprint, text)
            duplicate = self._contents.find_duplicate(fingerprint, text, id)
        fresh = bool(fingerprint) and self._contents.is_new(place.partition("/")[0], fingerprint)
        return duplicate, fresh, self._aliases.is_reordered(url)

    def _ahead(self, page: Page, ids: Ids, new: int) -> int:
        """Count the pages that a page leads to which come after it and are not on its parent.

        Pages of the same place that were read before make up for as many: a pager with five pages on either
        side is no more than a chain.
        """
        id = page.link.id
        known = ids[ids > id]
        if new > 1 or not len(known):
            return new
        parent = self._lineage.parent(id)
        ahead = (self._lineage.marks(known) & READ == 0) & (self._lineage.parents(known) != parent)
        onward = new + int(np.count_nonzero(ahead))
        if onward <= 1:
            return onward
        own, place = page.link.origin, place_of(page.url)
        rows = np.flatnonzero((ids > 0) & (ids != parent))
        read = self._lineage.marks(ids[rows]) & READ > 0
        urls = [page.links.urls[row] for row in rows[read].tolist()]
        back = sum(place_of(url) == place for url in urls if url.startswith(own))
        return max(1, onward - back)

    def _vouch(self, page: Page, ids: Ids, rows: Ids, part: float) -> None:
        """Let a page vouch for the URLs in these rows that unrelated pages had before.

        They are those of known links that were not read yet.
        """
        if not len(rows):
            return
        id = page.link.id
        parents = self._lineage.parents(ids[rows])
        wanted = (parents != id) & (parents != self._lineage.parent(id)) & (parents > 0)
        for row in rows[wanted][:_VOUCHES_PER_PAGE].tolist():
            url, link = page.links.urls[row], int(ids[row])
            if not names_a_thing(page.url, url):
                continue
            self._lineage.vouch(link)
            places = {place_of(url), self._lineage.place(self._lineage.parent(link))}
            for place in places - {""}:
                for account in self.accounts.around(place):
                    account.pay(part)
                    account.unproven = max(0.0, account.unproven - part * PAYMENT)

    def learn_redirect(self, id: int, url: str, target: str, *, known: bool, probed: str = "") -> None:
        """Learn from a redirect; `known` says that its target was known before.

        One that changes only the scheme, the host or a last slash is normal and costs nothing.
        """
        place = place_of(url)
        self.accounts.open(domain_of(place) + _DOMAIN).pages += 1
        if path_of(url).rstrip("/") == path_of(target).rstrip("/"):
            return
        account = self.accounts.open(place)
        account.failures = account.failures + 1 if known else 0
        if not known and self._is_inside(id, url):
            self.accounts.charge(self._source_place(id), probed, REDIRECT)

    # ---- over restarts -------------------------------------------------------------------------

    def recall(self, *, id: int, url: str, fingerprint: int, status: int, text: int) -> None:
        """Remember a stored page from its row; to be called in the order in which pages were read."""
        if status in _OK:
            self._remember(id, url, fingerprint, text)

    def changed(self) -> dict[str, str]:
        """Return what changed since the last call, packed, by key."""
        return {**self.accounts.changed(), **self._lineage.changed(), **self._read_log.changed()}

    def restore(self, states: Mapping[str, str], parents: Sequence[int] | Ids = ()) -> dict[int, int]:
        """Restore what `changed` returned; `parents` are the pages that links were found on, by link id.

        Return the pages in the order in which they were read, each with the hash of its text.
        """
        texts, rest = self._read_log.restore(states)
        self.accounts.restore(self._lineage.restore(parents, rest))
        return texts


def _known_share(marks: NDArray[np.uint8], new: int) -> float:
    """Return how much the links of a page say for each other, by those that were known and not read yet.

    Nothing where as many are new, all where none is. A maze that links back to itself has its share of new
    links for ever; on a site that ends, ever more links are known. `marks` are those of the known ones.
    """
    waiting = int(np.count_nonzero(marks & READ == 0))
    return max(0.0, (waiting - new) / (waiting + new)) if new else 1.0
