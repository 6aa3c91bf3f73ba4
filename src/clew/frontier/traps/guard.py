"""Where pages are made up endlessly: bounded requests into generated spaces, none refused elsewhere.

Nobody can tell one generated page from an honest one; but a generated *space* gives itself away. It
feeds itself: every page of it brings more addresses of the same kind, which nobody else links to; or
it repeats itself. So each place (directory, section, host; see `regions`) has credit for some pages, and
every page read there is

    stale   when its text was read before on this host: it is owed for, unless three times as much was fresh
    solid   when it is fresh and something speaks for it: it was found from outside the place (a list,
            another section), it brings no new addresses of the place (growth ends here), or it brings
            many of another place whose pages are fresh and do not themselves branch on (a pager)
    loose   when it is fresh and nothing does. Loose pages are paid for by addresses of the place that
            were *met again* from pages that are not their family: wikis and manuals do that all the
            time, a generator of random links never. Thin loose pages are not: link farms are full of them.

Addresses that the page's own number leads to by a step met on page after page (see `steps`) say nothing
for each other: they make no list of a page, are not met again, and are owed for as soon as they are found.
Links on the front page of a host count as found from outside, and so do those met again from another place.
A list earns nothing for its section before a page of what it names was read. Places that lead to each other
and back (see `ways`) owe together for the rounds, and are closed to links from one of them to another.

A place whose debt reaches its credit is closed to links found inside it. A place that gives errors instead
of pages is closed to all, but for a sample. A parameter that was seen to change nothing is refused where
the page without it was read already.
"""

from collections import OrderedDict
from collections.abc import Mapping

import numpy as np
import xxhash
from numpy.typing import NDArray

from clew.frontier.traps.content_dedup import ContentDedup, Recent
from clew.frontier.traps.counter_urls import CounterUrls, is_wound_on
from clew.frontier.traps.path_cycles import PathCycles
from clew.frontier.traps.scoring import THIN, PageEvidence, enter, kind_of, lend
from clew.frontier.traps.url_aliases import UrlAliases
from clew.frontier.traps.url_regions import (
    ALIVE,
    UrlLocation,
    UrlRegion,
    count_new,
    is_front,
    is_inside,
    misshapen,
    spot,
)
from clew.types import Link, Page
from clew.urls import fingerprint as name_of

DIRECTORY = 48
"""Credit of a directory: pages in debt. Traps get this many requests; honest places owe less."""

SECTION = 64
"""Credit of a section, for small directories and pages that feed each other across directories."""

HOST = 52
"""Credit of a host, for small sections and pages that feed each other across sections."""

ROUND = 52
"""Credit of the rounds that pass a directory: pages of places that lead to each other and back."""

UNPAID = 1 / 3
"""Share of the pages of rounds that must be owed for: 0.07 in a help system, 0.45 and more in mazes."""

SMALL = 12
"""Pages of a directory that its section answers for as well."""

SMALL_SECTION = 4
"""Pages of a section that its host answers for as well: a dozen traps do not close a host."""

PAGER = 5
"""New addresses of another place that make a page a list worth reading on."""

TRUST = 40
"""Lists of a section counted as such before any page of theirs was read (lists may be read first)."""

TRUST_INSIDE = 8
"""The same for lists that were found inside their section."""

NAMED = 3
"""Lists that name a place before it may show some pages, whatever its section and host owe."""

DEAD = 80
"""Errors in a place without any page before it is closed; a stale list of addresses rarely has more."""

FEW = 300
"""Links refused in a folder of errors that are worth asking for after all, when nothing else is left: a list
of pages that are gone is shorter, a list that somebody made up is longer."""

BOUNCED = 0.5
"""What a redirect costs, beside 1 for an error, that leads nowhere new."""

DETOUR = 2.0
"""What a redirect costs that leads back to the place its link stood in: two requests for the next page."""

_FACETS = 2  # parameters from which on addresses are combinations, and prove nothing by being met again
_SECTION = " section"
_ROUNDS = " rounds"
_UNKNOWN = UrlRegion()
_FAMILIES = 8_192
_LOOKED_AT = 12  # new links of a page that are told apart by place: enough to know, and bounded
_NEIGHBOURS = 4  # links of a chapter in its folder: next, previous, first, up
_PER_PAGE = 10  # addresses one page can vouch for
_CLOSELY = 4  # one page in so many of a rich place is looked at closely
_OK = range(200, 300)
_ERROR = 400
_ERRORS = " gives errors"


class TrapGuard:
    """Say which links lead into generated spaces; learn from every page read.

    `regions` places are remembered, the least used are forgotten. What was learned of places since the
    last time is `changed`, to be stored with the pages that taught it, and to be given to `restore` after
    a restart; texts are learned again from stored rows (`recall`).
    """

    def __init__(self, *, regions: int = 100_000) -> None:
        self.regions = regions
        self._regions: OrderedDict[str, UrlRegion] = OrderedDict()
        self._touched: set[str] = set()
        self._contents = ContentDedup()
        self._families: OrderedDict[str, NDArray[np.uint64]] = OrderedDict()
        self._vouched: Recent[bool] = Recent(200_000)
        self._named: Recent[bool] = Recent(200_000)
        self._fronts: Recent[bool] = Recent(10_000)
        self._steps = CounterUrls()
        self._ways = PathCycles()
        self._aliases = UrlAliases(parameters=regions)

    def refusal(self, link: Link, source: str = "", *, sample: bool = True) -> str:
        """Return why a link is not worth a request, or an empty string; `source` is its parent's address.

        Of places that give errors a `sample` is let through.
        """
        url = link.url
        rule = (
            misshapen(url) or (self._aliases.refusal(url) if "?" in url else "") or self._closed(url, source)
        )
        return rule or self._dead(url, sample)

    def _closed(self, url: str, source: str) -> str:
        here = spot(url)
        there = spot(source) if source else here
        wound = self._is_wound(url, source, here.host)
        named = not wound and (is_front(source) or self._named.find(name_of(url)) is not None)
        directory = self._regions.get(here.directory, _UNKNOWN)
        section = self._regions.get(here.section + _SECTION, _UNKNOWN)
        inside = wound or not (named or not is_inside(url, source, here, there))
        places = [(directory, here.directory, DIRECTORY, inside)]
        untried = named or (directory.named >= NAMED and directory.pages < SMALL)  # let it show what it is
        if wound or (not untried and (directory.pages < SMALL or directory.branches)):
            places.append((section, here.section, SECTION, wound or there.section == here.section))
            if wound or section.pages < SMALL_SECTION or directory.branches:
                host = self._regions.get(here.host, _UNKNOWN)
                places.append((host, here.host, HOST, there.host == here.host))
        for region, name, credit, inside in places:
            if region.debt(inside=inside) >= credit:
                for lender, owed in region.lent.items():
                    self._region(lender).forgiven += owed
                region.lent.clear()
                return f"traps: {name} repeats or feeds itself ({region.pages} pages read)"
        if not named and self._owes_rounds(here) and self._owes_rounds(there):
            return f"traps: {here.directory} feeds places that feed it ({directory.pages} pages read)"
        return ""

    def _dead(self, url: str, sample: bool) -> str:
        """Refuse links of a folder that gives only errors, but for the 1st, 2nd, 4th, 8th … of them.

        Without `sample`, as is asked when nothing else is left to do, a folder of few links is opened again.
        """
        directory = self._regions.get(spot(url).directory, _UNKNOWN)
        for name in (_errors_of(url), spot(url).directory):
            place = self._regions.get(name)
            if place is None or place.dead < DEAD + ALIVE * (directory.fresh + directory.led):
                continue
            if not sample and place.turned_away <= FEW and name.endswith(_ERRORS):
                place.dead = place.turned_away = 0
                continue
            place.turned_away += sample
            if sample and place.turned_away & (place.turned_away - 1) == 0:
                return ""
            return f"traps: {name.removesuffix(_ERRORS)}{_ERRORS} ({place.dead:.0f})"
        return ""

    def learn(
        self, page: Page, relevant: bool, source: str = "", again: NDArray[np.bool_] | None = None
    ) -> int:
        """Learn from a page that was read; return the id of an earlier page with the same text, or 0.

        `source` is the address of its parent, empty for a seed; `again` marks the links on it that
        had been met before.
        """
        if page.response.status not in _OK:
            if page.response.status >= _ERROR:
                self._region(_errors_of(page.url)).dead += 1.0
            return 0
        seen = PageEvidence(page.fingerprint, relevant, len(page.text))
        if again is not None:
            origins, origin = page.links.origins, page.link.origin
            rows = [row for row in np.flatnonzero(~again).tolist() if origins[row] == origin]
            seen.new = [page.links.urls[row] for row in rows[:_LOOKED_AT]]
            seen.brings = len(rows)
            if len(rows) == 1:
                folder = page.url.rpartition("/")[0] + "/"
                seen.one_way = sum(url.startswith(folder) for url in page.links.urls) <= _NEIGHBOURS
            here = self._region(spot(page.url).directory)
            idle = here.is_rich and here.pages % _CLOSELY > 0
            if not idle:
                seen.counted = [url for url in seen.new if self._steps.is_counted(page.url, url)]
            seen.lists = self._vouch(page, source, again, here, idle)
        self._book(page.url, source, seen)
        if not page.fingerprint:
            return 0
        text = xxhash.xxh3_64_intdigest(page.text.encode("utf-8", "replace"))
        self._aliases.learn(page.url, page.fingerprint, text, page.text)
        return self._contents.same(page.fingerprint, text, page.link.id)

    def bounce(self, url: str, source: str, target: str, known: bool) -> None:
        """Learn from a redirect; `known` says that the target had been met before.

        One that changes only the scheme, the host or a last slash is housekeeping, and free. One that leads
        to a new page of another place proves its own place useful.
        """
        if _path(url).rstrip("/") == _path(target).rstrip("/"):
            return
        region = self._region(spot(url).directory)
        region.pages += 1  # and none fresh: whatever names this place is no list of pages
        region.prolific += not known
        if known:
            region.dead += BOUNCED
        elif source and spot(source).directory == spot(target).directory:
            region.dead += DETOUR
        else:
            region.led += 1

    def recall(self, *, id: int, url: str, fingerprint: int, status: int) -> None:
        """Know the text of a stored page again."""
        if status in _OK and fingerprint:
            self._contents.is_new(spot(url).host, fingerprint)
            self._contents.same(fingerprint, 0, id)
        if status in _OK:
            self._aliases.recall(url, fingerprint)

    def changed(self) -> dict[str, str]:
        """Return what was learned of places since this was last asked, by their keys."""
        keys, self._touched = self._touched, set()
        return {key: self._regions[key].packed() for key in keys if key in self._regions}

    def restore(self, states: Mapping[str, str]) -> None:
        """Know again what `changed` gave."""
        self._regions.update((key, UrlRegion.unpacked(state)) for key, state in states.items())

    def _region(self, key: str) -> UrlRegion:
        self._touched.add(key)
        region = self._regions.get(key)
        if region is None:
            region = self._regions[key] = UrlRegion()
            if len(self._regions) > self.regions:
                self._regions.popitem(last=False)
        else:
            self._regions.move_to_end(key)
        return region

    def _book(self, url: str, source: str, seen: PageEvidence) -> None:
        """Enter a page in the books of the places it lies in."""
        here = spot(url)
        there = spot(source) if source else None
        fresh = bool(seen.fingerprint) and self._contents.is_new(here.host, seen.fingerprint)
        wound = self._is_wound(url, source, here.host, learn=True)
        in_directory, in_section, elsewhere, place = count_new(seen.new or (), here)
        *_, counted, _ = count_new(seen.counted, here)
        directory = self._region(here.directory)
        section = self._region(here.section + _SECTION)
        named = is_front(source) or self._named.find(name_of(url)) is not None
        fed = not wound and (there is None or named or not is_inside(url, source, here, there))
        outside = not wound and (there is None or there.section != here.section)
        pager = elsewhere - (0 if fed else counted) >= PAGER and self._is_list(
            place, section, TRUST if outside else TRUST_INSIDE
        )
        trusted = pager and self._region(place).pages < NAMED
        prolific = in_directory + elsewhere >= PAGER
        small = directory.pages < SMALL
        ends = seen.new is not None and seen.length >= THIN and url.count("=") < _FACETS
        kind = kind_of(seen, fresh, fed or pager or (ends and not in_directory), fed)
        enter(directory, kind, seen, counted=True)
        if source and not named:
            self._book_round(self._ways.round(here.directory, source), seen, fresh, ends)
        self._ways.learn(url, here.directory, source)
        directory.prolific += prolific
        directory.fresh += fresh
        branches = prolific and not pager
        if wound or small or (branches and kind == "solid"):  # what a directory closes for needs no more
            alone = outside or (ends and not in_section)
            kind = kind_of(seen, fresh, alone or pager, fed)
            kind = "trusted" if trusted and kind == "solid" and not alone else kind
            owed = enter(section, kind, seen)
            lend(directory, here.section + _SECTION, owed)
            if wound or section.pages <= SMALL_SECTION or (branches and kind == "solid"):
                foreign = there is None or there.host != here.host
                kind = kind_of(seen, fresh, foreign or (ends and not seen.new), fed)
                owed = enter(self._region(here.host), kind, seen)
                lend(directory, here.host, owed)
                lend(section, here.host, owed)

    def _is_wound(self, url: str, source: str, host: str, *, learn: bool = False) -> bool:
        """Tell a name set before the source's path whose own first name was set before another's."""
        name = is_wound_on(url, source) if source else ""
        if not name:
            return False
        if learn:
            self._fronts.put(name_of(f"{host}/{name}"), True)
        first = _path(source)[1:].partition("/")[0]
        return self._fronts.find(name_of(f"{host}/{first}")) is not None

    def _book_round(self, places: frozenset[str], seen: PageEvidence, fresh: bool, ends: bool) -> None:
        """Enter a page in the books of all places of the round it is part of."""
        grows = any(spot(each).directory in places for each in seen.new or ())
        kind = kind_of(seen, fresh, ends and not grows, fed=False)
        for place in places:
            enter(self._region(place + _ROUNDS), kind, seen)

    def _owes_rounds(self, place: UrlLocation) -> bool:
        """Tell whether the rounds that pass a place are more than what speaks for it pays for."""
        book = self._regions.get(place.directory + _ROUNDS)
        if book is None:
            return False
        book.again = self._regions.get(place.directory, _UNKNOWN).again
        return book.debt(inside=True) >= max(ROUND, UNPAID * book.pages)

    def _is_list(self, place: str, section: UrlRegion, trust: int) -> bool:
        """Tell whether a page with many new links to a place is a list of good pages."""
        listed = self._region(place)
        listed.named += 1
        if listed.pages < NAMED:
            section.on_trust += 1
            return section.on_trust <= trust
        return not listed.branches and 2 * listed.fresh >= listed.pages

    def _vouch(self, page: Page, source: str, again: NDArray[np.bool_], here: UrlRegion, idle: bool) -> bool:
        """Count addresses of this host that were met again, but not from their family.

        Return whether the page names many known pages that the last one of its place did not: a list.
        """
        links, origin, own = page.links, page.link.origin, page.url
        hashes = links.hashes.tolist()
        rows = [row for row in np.flatnonzero(again).tolist() if links.origins[row] == origin]
        known = frozenset(hashes[row] for row in rows)
        others = [links.urls[row] for row in rows if hashes[row] not in here.last]
        lists = here.pages > 0 and own.count("=") < _FACETS and self._names_many(own, others)
        here.last = known
        if not again.all():
            self._families[own] = links.hashes
            if len(self._families) > _FAMILIES:
                self._families.popitem(last=False)
        if idle:
            return lists
        addresses = {hashes[row]: links.urls[row] for row in rows}
        self._name(own, source, addresses)
        family = self._families.get(source)
        if family is not None:
            for sibling in family.tolist():
                addresses.pop(sibling, None)
        met_now = [addresses[name] for name in self._vouched.missing(addresses)[:_PER_PAGE]]
        for url in met_now:
            if url in (source, own) or url.count("=") >= _FACETS or self._steps.is_counted(own, url):
                continue
            self._vouched.put(name_of(url), True)
            met = spot(url)
            for key in (met.directory, met.section + _SECTION, met.host):
                self._region(key).again += 1
        return lists

    def _names_many(self, own: str, others: list[str]) -> bool:
        """Tell whether enough of a page's links to known pages are none that a step leads to."""
        if len(others) < PAGER:
            return False
        said = set(others[:_LOOKED_AT])
        return sum(not self._steps.is_counted(own, url) for url in said) >= PAGER

    def _name(self, own: str, source: str, addresses: dict[int, str]) -> None:
        """Remember which known addresses were met from another place: neither theirs nor one they led to."""
        folder = own.rpartition("/")[0]
        places = {spot(own).directory, spot(source).directory if source else ""}
        for name in self._named.missing(addresses):
            url = addresses[name]
            if url.rpartition("/")[0] == folder:
                continue
            if spot(url).directory not in places and not self._steps.is_counted(own, url):
                self._named.put(name, True)


def _path(url: str) -> str:
    return url[url.find("/", 8) :]


def _errors_of(url: str) -> str:
    """Name the book of a folder's errors: numbered folders of an archive are dead or alive one by one."""
    folder = url.partition("://")[2].partition("?")[0].rpartition("/")[0]
    return f"{folder}/{_ERRORS}"
