"""Detect generated URL spaces, so that they can wait; refuse only what stays unpaid to the end.

No single page shows that it was generated. A *space* of them does: its pages are found from one another,
they lead to ever new URLs, and no other page links to those. So the guard keeps an account for every place
(a folder; see `places`), and every request either pays or does not:

    pays        fresh text on a page that leads on to one new page at most (an article, a chapter), or that
                was found from outside (a list, another site), or that an unrelated page links to as well
    unpaid      fresh text on a page found from inside that branches into several new URLs, or hardly any text
    repeats     text that was read before, or the same names in another order
    errors      no page at all

*Inside* means that the crawl path came through the same place before: /m/a led to /m/b, or /a/ to /b/ to /a/.
A paying page also pays for the place that led to it, so a list is proved by what it lists. An unrelated page
that links to a URL *vouches* for it, unless that link is a step of a counter or a combination of filters:
wikis and manuals are full of such links, a generator of random links has none. Relevance pays nothing: topic
words are easily generated. But relevant pages of a chain count half, so that a relevant book waits later.

A place is *suspect* when it owes `SUSPECT` requests, or when so many of its pages were found from inside with
nothing from outside to speak for them, be they ever so fresh. Links to it then wait (`engine.suspect_links`)
behind all others. It is *closed* when it owes what the user allows (`scope.suspect_pages`); a place whose
pages stay fresh and do not branch never owes anything, so a chain of thousands of pages is read to its end.
The first pages of a registered domain are never refused.

A trap may make a folder for every page. So the places around a place answer for it until ten pages of it were
read and it owes little.

Two kinds of URL are refused without suspicion: names repeated in the path, and parameters known to change
nothing where the page without them was read.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from clew.frontier.traps.accounts import ERRORS_PAID, REPEAT_COST, SMALL_PLACE, Account, Accounts
from clew.frontier.traps.content_dedup import ContentDedup
from clew.frontier.traps.lineage import READ, Lineage
from clew.frontier.traps.places import (
    branches_by_form,
    common_place,
    domain_of,
    is_home_page,
    malformed_path,
    names_a_thing,
    parent_of,
    path_of,
    place_of,
)
from clew.frontier.traps.read_log import ReadLog, text_hash
from clew.frontier.traps.url_aliases import UrlAliases
from clew.types import Ids, Page

MIN_TEXT = 200
"""Bytes of text; that pages with less text differ is no evidence."""

FIRST_PAGES = 100
"""Requests to a registered domain before any link of it is refused on suspicion."""

ENTRANCES = 60
"""Requests of the limit kept for the first pages of a trap, found from outside, and for those under way."""

MIN_LISTED = 3
"""Known pages of other places that make a page a list."""

_MAX_SHOWN = 64  # links of the last page of a place that are remembered
REDIRECT_COST = 0.5
"""Cost of a redirect found from inside: half a request for nothing, as the page may follow."""

_MAIN_PART = 0.9
_VOUCHES_PER_PAGE = 10
_DOMAIN = " pages"
_OK, _ERROR = range(200, 300), 400
_RELEVANT = 0.5  # how much a relevant page of a chain counts as unproven

LEAF = 0.4
"""How much a page counts as unproven that leads nowhere. An endless list of such pages is suspect after 125;
with 1, honest lists would be suspect after 50."""


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


class _Finding(NamedTuple):
    """Where a link was found: the place charged for its page, and whether it was found from inside."""

    place: str
    charged: str
    inside: bool


class TrapGuard:
    """Decide which links lead into generated URL spaces; learn from every page read.

    `suspect_pages` is how many unpaid requests close a place, 0 for none. At most `places` accounts are kept.
    `changed` returns what changed since its last call, to be stored with the pages and passed to `restore`
    after a restart; what was read is remembered again from stored rows (`recall`).
    """

    def __init__(self, *, suspect_pages: int = 150, places: int = 100_000) -> None:
        self.suspect_pages = suspect_pages
        self.accounts = Accounts(places)
        self._lineage = Lineage()
        self._contents = ContentDedup()
        self._aliases = UrlAliases(parameters=places)
        self._read_log = ReadLog()

    def refusal(self, url: str) -> str:
        """Return why a URL is refused whatever its place is like, or an empty string."""
        return malformed_path(url) or (self._aliases.refusal(url) if "?" in url else "")

    def assess(self, id: int, url: str, under_way: int = 0) -> Suspicion:
        """Return whether a link may be fetched, waits, or is left; `under_way` counts its requests."""
        finding = self._finding(id, url)
        if self._lineage.is_vouched(id):
            finding = finding._replace(charged=finding.place, inside=False)
        worst = FREE
        for place, inside in self._judges(finding):
            account = self.accounts.find(place)
            if account is None or not account.is_suspect(inside=inside):
                continue
            owed = account.owed(inside=inside) + under_way
            limit = max(self.suspect_pages - ENTRANCES, self.suspect_pages // 2)
            if self.suspect_pages and owed >= limit and self._is_known(url):
                return Suspicion(Standing.CLOSED, place)
            worst = worst if worst.standing else Suspicion(Standing.SUSPECT, place)
        return worst

    def is_suspect(self, place: str) -> bool:
        """Return whether links that wait because of a place must go on waiting."""
        account = self.accounts.find(place)
        return account is not None and account.is_suspect(inside=True)

    def _judges(self, finding: _Finding) -> list[tuple[str, bool]]:
        """Return the places whose accounts decide about a link, and whether it counts as inside of each."""
        judges = [(finding.place, finding.inside and finding.charged == finding.place)]
        if finding.charged != finding.place or not finding.inside:
            start = finding.charged
        else:
            start = ""
            own = self.accounts.find(finding.place)
            if own is None or not own.is_proven:
                start = parent_of(finding.place)
        if start and start != finding.place:
            judges += [(place, True) for place in self.accounts.answering(start)]
        return judges

    def _finding(self, id: int, url: str) -> _Finding:
        place, parent = place_of(url), self._lineage.parent(id)
        path = self._lineage.path(parent)
        source = path.places[-1] if path.places else ""
        by_people = self._lineage.is_home(parent) and source.partition("/")[0] == place.partition("/")[0]
        if not source or by_people:  # of a home page, the links to its own host
            return _Finding(place, place, inside=False)
        if place in path.places:
            return _Finding(place, place, inside=True)
        if domain_of(source) != domain_of(place):
            return _Finding(place, place, inside=False)
        if path.cyclic:
            return _Finding(place, source, inside=True)
        account = self.accounts.find(place)
        if account is None or account.pages < SMALL_PLACE:
            around = common_place(place, source)
            return _Finding(place, around or place, inside=False)
        return _Finding(place, place, inside=False)

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

    def learn(self, page: Page, relevant: bool, ids: Ids, new: int) -> int:
        """Learn from a page that was read; return the id of an earlier page with the same text, or 0.

        `ids` are those of the links on it that were known before (0 for the others), `new` is the number of
        links of the same host that it has added.
        """
        id, url, status = page.link.id, page.url, page.response.status
        finding = self._finding(id, url)
        self.accounts.open(domain_of(finding.place) + _DOMAIN).pages += 1
        if status not in _OK:
            if status >= _ERROR:
                self.accounts.open(finding.place).errors += 1.0
            return 0
        text = text_hash(page.text) if page.fingerprint else 0
        self._read_log.append(id, text)
        duplicate, fresh, reordered = self._remember(id, url, page.fingerprint, text)
        own = self.accounts.open(finding.place)
        own.pages += 1
        own.errors = max(0.0, own.errors - ERRORS_PAID)
        ahead = self._ahead(page, ids, new)
        if text and not text & 1 and not duplicate and not ahead:
            fresh = True  # a page of numbers that leads nowhere: the numbers are what it says
        if not fresh or reordered:
            vouched = self._lineage.is_vouched(id)
            within = finding.inside or finding.charged != finding.place
            if not vouched and (duplicate or reordered or (within and not self._lists(page, ids, own))):
                self._charge(finding, Account(repeats=REPEAT_COST if ahead else 1.0))
            elif not vouched and finding.inside:
                self._charge(finding, Account(unproven=1.0))
            return duplicate
        thin = len(page.text.encode("utf-8", "replace")) < MIN_TEXT and not self._lists(page, ids, own)
        branches = ahead > 1 or branches_by_form(page.url, page.links.urls)
        weight = LEAF if not ahead and not branches else _RELEVANT if relevant and not branches else 1.0
        unpaid = 1.0 if branches or (thin and ahead) else LEAF * thin
        cost = Account(inside=1, unproven=weight, unpaid=unpaid)
        known = self._known_share(ids, new)
        self._enter(finding, page.link.id, cost, thin=thin, branches=branches, known=known)
        if not thin:
            self._vouch(page, ids, known)
        return 0

    def _known_share(self, ids: Ids, new: int) -> float:
        """Return how much the links of a page say for each other: the square of the share that was known.

        Where names are made up from few words, some links are found twice by chance; most are new. On a page
        of a site that people made, ever more links are known.
        """
        waiting = int(np.count_nonzero(self._lineage.marks(ids[ids > 0]) & READ == 0))
        return (waiting / (waiting + new)) ** 2 if new else 1.0

    def _remember(self, id: int, url: str, fingerprint: int, text: int) -> tuple[int, bool, bool]:
        """Remember a page; return one with the same text, whether its text is new here, its names not."""
        place, duplicate = place_of(url), 0
        self._lineage.read(id, place, home=is_home_page(url))
        if fingerprint:
            self._aliases.learn(url, fingerprint, text)
            duplicate = self._contents.find_duplicate(fingerprint, text, id)
        fresh = bool(fingerprint) and self._contents.is_new(place.partition("/")[0], fingerprint)
        return duplicate, fresh, self._aliases.is_reordered(url)

    def _enter(
        self, finding: _Finding, id: int, cost: Account, *, thin: bool, branches: bool, known: float
    ) -> None:
        """Enter a fresh page: what it costs the place that led to it, and what it pays."""
        path = self._lineage.path(self._lineage.parent(id))
        if not thin and not branches and path.places and path.places[-1] != finding.place:
            self._pay(path.places[-1])
        if finding.inside and not self._lineage.is_vouched(id):
            self._charge(finding, cost)
            paid = not thin and not branches
        elif (branches or thin) and finding.charged != finding.place:
            self._charge(finding, Account(unpaid=1.0))
            paid = False
        else:
            paid = not thin and (not branches or self._lineage.is_vouched(id) or not path.places)
        if paid:
            self._pay(finding.place, known if branches and path.places else 1.0)

    def _charge(self, finding: _Finding, cost: Account) -> None:
        """Add to the sums of the place that led to a page, and of those around it that answer for it."""
        start = finding.place if cost.repeats else finding.charged
        for place in list(self.accounts.answering(start)):
            account = self.accounts.open(place)
            before = account.is_suspect(inside=True)
            account.add(cost)
            if not before and account.pages >= SMALL_PLACE and account.is_suspect(inside=True):
                self._relieve_around(place, account)

    def _relieve_around(self, place: str, account: Account) -> None:
        """Take half of what a place owes from the places around it, once it is suspect itself.

        So one trap does not close its host. A place that owes less than that is one folder of a larger trap.
        """
        owed = account.unproven + account.unpaid + account.repeats
        while place := parent_of(place):
            around = self.accounts.open(place)
            if owed < _MAIN_PART * (around.unproven + around.unpaid + around.repeats):
                return
            around.unproven = max(0.0, around.unproven - account.unproven / 2)
            around.unpaid = max(0.0, around.unpaid - account.unpaid / 2)
            around.repeats = max(0.0, around.repeats - account.repeats / 2)

    def _pay(self, place: str, part: float = 1.0) -> None:
        for each in self.accounts.answering(place):
            if self.accounts.find(each) is not None:
                self.accounts.open(each).pay(part)

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

    def _lists(self, page: Page, ids: Ids, account: Account) -> bool:
        """Return whether a page links to known pages of other places that the last one did not: a list.

        Lists often have the same few words around their links, and are no repetitions for that.
        """
        place, own = place_of(page.url), page.link.origin
        rows = np.flatnonzero(ids).tolist()
        shown = {int(ids[row]) for row in rows if page.links.urls[row].startswith(own)}
        others = shown.difference(account.shown)
        found = (page.links.urls[row] for row in rows if int(ids[row]) in others)
        count = sum(place_of(url) != place and names_a_thing(page.url, url) for url in found)
        account.shown = tuple(shown)[:_MAX_SHOWN]
        return count >= MIN_LISTED

    def _vouch(self, page: Page, ids: Ids, part: float) -> None:
        """Let a page vouch for the URLs on it that unrelated pages had before, and that were not read yet."""
        known = np.flatnonzero(ids)
        if not len(known):
            return
        found = ids[known]
        parents = self._lineage.parents(found)
        id = page.link.id
        wanted = (
            (self._lineage.marks(found) == 0)
            & (parents != id)
            & (parents != self._lineage.parent(id))
            & (parents > 0)
        )
        for row in known[wanted][:_VOUCHES_PER_PAGE].tolist():
            url, link = page.links.urls[row], int(ids[row])
            if not names_a_thing(page.url, url):
                continue
            self._lineage.vouch(link)
            places = {place_of(url)}
            if finder := self._lineage.path(self._lineage.parent(link)).places:
                places.add(finder[-1])
            for start in places:
                for place in self.accounts.answering(start):
                    if self.accounts.find(place) is not None:
                        self.accounts.open(place).vouch(part)

    def learn_redirect(self, id: int, url: str, target: str, known: bool) -> None:
        """Learn from a redirect; `known` says that its target was known before.

        One that changes only the scheme, the host or a last slash is normal and costs nothing.
        """
        if path_of(url).rstrip("/") == path_of(target).rstrip("/"):
            return
        finding = self._finding(id, url)
        account = self.accounts.open(finding.place)
        account.errors = account.errors + 1.0 if known else max(0.0, account.errors - ERRORS_PAID)
        if finding.inside:
            self._charge(finding, Account(unpaid=REDIRECT_COST))

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
