"""Detect crawler traps: bound the requests into generated URL spaces without refusing normal sites.

A single generated page cannot be told from a normal one, but a generated URL *space* can. It feeds itself:
every page adds URLs of the same kind that no other page links to; or it repeats itself. So each region
(directory, section, host; see `url_regions`) has credit for some pages, and every page read there is

    stale   if its text was read before on this host: it adds to the debt, unless three times as much is fresh
    solid   if it is fresh and has evidence: it was found from outside the region (a list, another section),
            it adds no new URLs of the region (growth ends here), or it adds many of another region whose
            pages are fresh and do not branch themselves (a pager)
    loose   if it is fresh without such evidence. Loose pages are offset by URLs of the region that were
            *linked again* from unrelated pages: wikis and manuals do that all the time, a generator of random
            links never. Thin loose pages are not offset: link farms are full of them.

URLs that follow from the page's own URL by a counter (see `counter_urls`) are no evidence for each other:
they make no list of a page, do not count as linked again, and add to the debt as soon as they are found.
Links on the home page of a host count as found from outside, and so do those linked again from elsewhere.
A list counts for its section only after one of the pages it lists was read. Directories that lead to each
other and back (see `path_cycles`) share a debt, and are closed to links from one of them to another.

A region whose debt reaches its credit is closed to links found inside it. A region that gives errors instead
of pages is closed to all links but a sample. A URL parameter that was seen to change nothing is refused where
the page without it was read already.
"""

from collections import OrderedDict
from collections.abc import Mapping

import numpy as np
import xxhash
from numpy.typing import NDArray

from clew.frontier.traps.content_dedup import ContentDedup, Recent
from clew.frontier.traps.counter_urls import CounterUrls, prefixed_segment
from clew.frontier.traps.path_cycles import PathCycles
from clew.frontier.traps.scoring import MIN_TEXT, PageEvidence, add_loan, add_page, classify
from clew.frontier.traps.thresholds import (
    CYCLE_CREDIT,
    CYCLE_SHARE,
    DETOUR_COST,
    DIRECTORY_CREDIT,
    HOST_CREDIT,
    KNOWN_REDIRECT_COST,
    MAX_ERRORS,
    MIN_LISTED,
    MIN_LISTS,
    RETRY_LIMIT,
    SECTION_CREDIT,
    SMALL_DIRECTORY,
    SMALL_SECTION,
    UNREAD_LISTS,
    UNREAD_LISTS_INSIDE,
)
from clew.frontier.traps.url_aliases import UrlAliases
from clew.frontier.traps.url_regions import (
    ERRORS_PER_PAGE,
    UrlLocation,
    UrlRegion,
    count_new,
    is_home_page,
    is_inside,
    locate,
    malformed_path,
)
from clew.types import Link, Page
from clew.urls import fingerprint as name_of

_MIN_FACETS = 2  # parameters from which on URLs are combinations, and links to them are no evidence
_SECTION = " section"
_CYCLES = " rounds"
_UNKNOWN = UrlRegion()
_MAX_FAMILIES = 8_192
_SAMPLED_LINKS = 12  # new links of a page that are counted by directory: enough to decide, and bounded
_CHAPTER_LINKS = 4  # links of a chapter in its folder: next, previous, first, up
_RELINKS_PER_PAGE = 10  # URLs that one page can mark as linked again
_SAMPLE_EVERY = 4  # one page in so many of a rich directory is examined
_OK = range(200, 300)
_ERROR = 400
_ERRORS = " gives errors"


class TrapGuard:
    """Decide which links lead into generated URL spaces; learn from every page read.

    At most `regions` regions are remembered, the least recently used are dropped. `changed` returns the
    regions that changed since its last call, to be stored with the pages and passed to `restore` after a
    restart; texts are learned again from stored rows (`recall`).
    """

    def __init__(self, *, regions: int = 100_000) -> None:
        self.regions = regions
        self._regions: OrderedDict[str, UrlRegion] = OrderedDict()
        self._changed: set[str] = set()
        self._contents = ContentDedup()
        self._families: OrderedDict[str, NDArray[np.uint64]] = OrderedDict()
        self._relinked: Recent[bool] = Recent(200_000)
        self._linked_elsewhere: Recent[bool] = Recent(200_000)
        self._prefixes: Recent[bool] = Recent(10_000)
        self._counters = CounterUrls()
        self._paths = PathCycles()
        self._aliases = UrlAliases(parameters=regions)

    def refusal(self, link: Link, source: str = "", *, sample: bool = True) -> str:
        """Return why a link is not worth a request, or an empty string; `source` is its parent's URL.

        A `sample` of the links to regions that give errors is let through.
        """
        url = link.url
        rule = (
            malformed_path(url)
            or (self._aliases.refusal(url) if "?" in url else "")
            or self._region_refusal(url, source)
        )
        return rule or self._error_refusal(url, sample)

    def _region_refusal(self, url: str, source: str) -> str:
        here = locate(url)
        there = locate(source) if source else here
        prefixed = self._is_prefixed(url, source, here.host)
        linked_elsewhere = not prefixed and (
            is_home_page(source) or self._linked_elsewhere.find(name_of(url)) is not None
        )
        directory = self._regions.get(here.directory, _UNKNOWN)
        section = self._regions.get(here.section + _SECTION, _UNKNOWN)
        inside = prefixed or not (linked_elsewhere or not is_inside(url, source, here, there))
        places = [(directory, here.directory, DIRECTORY_CREDIT, inside)]
        untried = linked_elsewhere or (
            directory.named >= MIN_LISTS and directory.pages < SMALL_DIRECTORY
        )  # read some pages of it first
        if prefixed or (not untried and (directory.pages < SMALL_DIRECTORY or directory.branches)):
            places.append((section, here.section, SECTION_CREDIT, prefixed or there.section == here.section))
            if prefixed or section.pages < SMALL_SECTION or directory.branches:
                host = self._regions.get(here.host, _UNKNOWN)
                places.append((host, here.host, HOST_CREDIT, there.host == here.host))
        for region, name, credit, inside in places:
            if region.debt(inside=inside) >= credit:
                for lender, owed in region.lent.items():
                    self._region(lender).forgiven += owed
                region.lent.clear()
                return f"traps: {name} repeats or feeds itself ({region.pages} pages read)"
        if not linked_elsewhere and self._exceeds_cycle_credit(here) and self._exceeds_cycle_credit(there):
            return f"traps: {here.directory} feeds places that feed it ({directory.pages} pages read)"
        return ""

    def _error_refusal(self, url: str, sample: bool) -> str:
        """Refuse links of a folder that gives only errors, except the 1st, 2nd, 4th, 8th … of them.

        Without `sample`, used when no other link is left, a folder of few links is opened again.
        """
        directory = self._regions.get(locate(url).directory, _UNKNOWN)
        for name in (_errors_key(url), locate(url).directory):
            place = self._regions.get(name)
            if place is None or place.dead < MAX_ERRORS + ERRORS_PER_PAGE * (directory.fresh + directory.led):
                continue
            if not sample and place.turned_away <= RETRY_LIMIT and name.endswith(_ERRORS):
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

        `source` is the URL of its parent, empty for a seed; `again` marks the links on it that were
        known before.
        """
        if page.response.status not in _OK:
            if page.response.status >= _ERROR:
                self._region(_errors_key(page.url)).dead += 1.0
            return 0
        seen = PageEvidence(page.fingerprint, relevant, len(page.text))
        if again is not None:
            origins, origin = page.links.origins, page.link.origin
            rows = [row for row in np.flatnonzero(~again).tolist() if origins[row] == origin]
            seen.new = [page.links.urls[row] for row in rows[:_SAMPLED_LINKS]]
            seen.brings = len(rows)
            if len(rows) == 1:
                folder = page.url.rpartition("/")[0] + "/"
                seen.one_way = sum(url.startswith(folder) for url in page.links.urls) <= _CHAPTER_LINKS
            here = self._region(locate(page.url).directory)
            idle = here.is_rich and here.pages % _SAMPLE_EVERY > 0
            if not idle:
                seen.counted = [url for url in seen.new if self._counters.is_counted(page.url, url)]
            seen.lists = self._learn_relinks(page, source, again, here, idle)
        self._add_page(page.url, source, seen)
        if not page.fingerprint:
            return 0
        text = xxhash.xxh3_64_intdigest(page.text.encode("utf-8", "replace"))
        self._aliases.learn(page.url, page.fingerprint, text, page.text)
        return self._contents.find_duplicate(page.fingerprint, text, page.link.id)

    def learn_redirect(self, url: str, source: str, target: str, known: bool) -> None:
        """Learn from a redirect; `known` says that its target was known before.

        A redirect that changes only the scheme, the host or a last slash is normal and costs nothing. One
        to a new page of another directory counts in favour of its own directory.
        """
        if _path(url).rstrip("/") == _path(target).rstrip("/"):
            return
        region = self._region(locate(url).directory)
        region.pages += 1  # and none fresh: a page that links here is no list of pages
        region.prolific += not known
        if known:
            region.dead += KNOWN_REDIRECT_COST
        elif source and locate(source).directory == locate(target).directory:
            region.dead += DETOUR_COST
        else:
            region.led += 1

    def recall(self, *, id: int, url: str, fingerprint: int, status: int) -> None:
        """Restore the text fingerprint of a stored page."""
        if status in _OK and fingerprint:
            self._contents.is_new(locate(url).host, fingerprint)
            self._contents.find_duplicate(fingerprint, 0, id)
        if status in _OK:
            self._aliases.recall(url, fingerprint)

    def changed(self) -> dict[str, str]:
        """Return the packed state of the regions that changed since the last call, by key."""
        keys, self._changed = self._changed, set()
        return {key: self._regions[key].packed() for key in keys if key in self._regions}

    def restore(self, states: Mapping[str, str]) -> None:
        """Restore regions that `changed` returned."""
        self._regions.update((key, UrlRegion.unpacked(state)) for key, state in states.items())

    def _region(self, key: str) -> UrlRegion:
        self._changed.add(key)
        region = self._regions.get(key)
        if region is None:
            region = self._regions[key] = UrlRegion()
            if len(self._regions) > self.regions:
                self._regions.popitem(last=False)
        else:
            self._regions.move_to_end(key)
        return region

    def _add_page(self, url: str, source: str, seen: PageEvidence) -> None:
        """Count a page in its directory, and in its section and host where those answer for it."""
        here = locate(url)
        there = locate(source) if source else None
        fresh = bool(seen.fingerprint) and self._contents.is_new(here.host, seen.fingerprint)
        prefixed = self._is_prefixed(url, source, here.host, learn=True)
        in_directory, in_section, elsewhere, place = count_new(seen.new or (), here)
        *_, counted, _ = count_new(seen.counted, here)
        directory = self._region(here.directory)
        section = self._region(here.section + _SECTION)
        linked_elsewhere = is_home_page(source) or self._linked_elsewhere.find(name_of(url)) is not None
        found_outside = not prefixed and (
            there is None or linked_elsewhere or not is_inside(url, source, here, there)
        )
        outside = not prefixed and (there is None or there.section != here.section)
        pager = elsewhere - (0 if found_outside else counted) >= MIN_LISTED and self._is_list(
            place, section, UNREAD_LISTS if outside else UNREAD_LISTS_INSIDE
        )
        trusted = pager and self._region(place).pages < MIN_LISTS
        prolific = in_directory + elsewhere >= MIN_LISTED
        small = directory.pages < SMALL_DIRECTORY
        ends = seen.new is not None and seen.length >= MIN_TEXT and url.count("=") < _MIN_FACETS
        kind = classify(seen, fresh, found_outside or pager or (ends and not in_directory), found_outside)
        add_page(directory, kind, seen, counted=True)
        if source and not linked_elsewhere:
            self._add_to_cycle(self._paths.cycle(here.directory, source), seen, fresh, ends)
        self._paths.learn(url, here.directory, source)
        directory.prolific += prolific
        directory.fresh += fresh
        branches = prolific and not pager
        if prefixed or small or (branches and kind == "solid"):  # else the directory alone is enough
            alone = outside or (ends and not in_section)
            kind = classify(seen, fresh, alone or pager, found_outside)
            kind = "trusted" if trusted and kind == "solid" and not alone else kind
            owed = add_page(section, kind, seen)
            add_loan(directory, here.section + _SECTION, owed)
            if prefixed or section.pages <= SMALL_SECTION or (branches and kind == "solid"):
                foreign = there is None or there.host != here.host
                kind = classify(seen, fresh, foreign or (ends and not seen.new), found_outside)
                owed = add_page(self._region(here.host), kind, seen)
                add_loan(directory, here.host, owed)
                add_loan(section, here.host, owed)

    def _is_prefixed(self, url: str, source: str, host: str, *, learn: bool = False) -> bool:
        """Return whether a segment was put before the source's path whose own first one was put there too."""
        name = prefixed_segment(url, source) if source else ""
        if not name:
            return False
        if learn:
            self._prefixes.put(name_of(f"{host}/{name}"), True)
        first = _path(source)[1:].partition("/")[0]
        return self._prefixes.find(name_of(f"{host}/{first}")) is not None

    def _add_to_cycle(self, places: frozenset[str], seen: PageEvidence, fresh: bool, ends: bool) -> None:
        """Count a page in all directories of the cycle it is part of."""
        grows = any(locate(each).directory in places for each in seen.new or ())
        kind = classify(seen, fresh, ends and not grows, found_outside=False)
        for place in places:
            add_page(self._region(place + _CYCLES), kind, seen)

    def _exceeds_cycle_credit(self, place: UrlLocation) -> bool:
        """Return whether the cycles through a directory owe more than their credit."""
        cycle = self._regions.get(place.directory + _CYCLES)
        if cycle is None:
            return False
        cycle.again = self._regions.get(place.directory, _UNKNOWN).again
        return cycle.debt(inside=True) >= max(CYCLE_CREDIT, CYCLE_SHARE * cycle.pages)

    def _is_list(self, place: str, section: UrlRegion, trust: int) -> bool:
        """Return whether a page with many new links to a directory is a list of fresh pages."""
        listed = self._region(place)
        listed.named += 1
        if listed.pages < MIN_LISTS:
            section.on_trust += 1
            return section.on_trust <= trust
        return not listed.branches and 2 * listed.fresh >= listed.pages

    def _learn_relinks(
        self, page: Page, source: str, again: NDArray[np.bool_], here: UrlRegion, idle: bool
    ) -> bool:
        """Count URLs of this host that were linked again, but not by siblings of the first linking page.

        Return whether the page links to many known pages that the last one of its directory did not: a list.
        """
        links, origin, own = page.links, page.link.origin, page.url
        hashes = links.hashes.tolist()
        rows = [row for row in np.flatnonzero(again).tolist() if links.origins[row] == origin]
        known = frozenset(hashes[row] for row in rows)
        others = [links.urls[row] for row in rows if hashes[row] not in here.last]
        lists = here.pages > 0 and own.count("=") < _MIN_FACETS and self._lists_many(own, others)
        here.last = known
        if not again.all():
            self._families[own] = links.hashes
            if len(self._families) > _MAX_FAMILIES:
                self._families.popitem(last=False)
        if idle:
            return lists
        url_of_hash = {hashes[row]: links.urls[row] for row in rows}
        self._learn_linked_elsewhere(own, source, url_of_hash)
        family = self._families.get(source)
        if family is not None:
            for sibling in family.tolist():
                url_of_hash.pop(sibling, None)
        relinked = [url_of_hash[name] for name in self._relinked.missing(url_of_hash)[:_RELINKS_PER_PAGE]]
        for url in relinked:
            if url in (source, own) or url.count("=") >= _MIN_FACETS or self._counters.is_counted(own, url):
                continue
            self._relinked.put(name_of(url), True)
            location = locate(url)
            for key in (location.directory, location.section + _SECTION, location.host):
                self._region(key).again += 1
        return lists

    def _lists_many(self, own: str, others: list[str]) -> bool:
        """Return whether enough of a page's links to known pages do not follow a counter."""
        if len(others) < MIN_LISTED:
            return False
        sampled = set(others[:_SAMPLED_LINKS])
        return sum(not self._counters.is_counted(own, url) for url in sampled) >= MIN_LISTED

    def _learn_linked_elsewhere(self, own: str, source: str, url_of_hash: dict[int, str]) -> None:
        """Remember which known URLs were linked from another directory than their own or their source's."""
        folder = own.rpartition("/")[0]
        places = {locate(own).directory, locate(source).directory if source else ""}
        for name in self._linked_elsewhere.missing(url_of_hash):
            url = url_of_hash[name]
            if url.rpartition("/")[0] == folder:
                continue
            if locate(url).directory not in places and not self._counters.is_counted(own, url):
                self._linked_elsewhere.put(name, True)


def _path(url: str) -> str:
    return url[url.find("/", 8) :]


def _errors_key(url: str) -> str:
    """Return the key of a folder's errors; numbered folders of an archive are counted one by one."""
    folder = url.partition("://")[2].partition("?")[0].rpartition("/")[0]
    return f"{folder}/{_ERRORS}"
