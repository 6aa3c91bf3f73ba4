"""The `data` judge: does a page link to data files, or is it one? And `files`, for files of any kind."""

from collections import OrderedDict

from clew import urls
from clew.domain.datafiles import DATA, OTHER, FileInspection, KindSign, kind_of, looked_at
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.types import Label, Page, Verdict

PRIOR = 2.0
"""Weight of the prior chance of a kind of file on a host, in files."""

_MAX_REMEMBERED = 100_000
_DATASET_CHANCE = 0.4  # a page marked as a Dataset that links to no file: often a catalogue's entry
_MAX_REASONS = 3
_DATASET_TYPES = ("Dataset", "DataDownload", "StatisticalPopulation", "DataFeed")


class DataJudge:
    """Find pages that link to data files, and the files: csv, xlsx, ods, Stata, SPSS, PC-Axis, SDMX.

    A link is judged by its URL, its type attribute and its text, before it is fetched. Fetched files are
    judged by their content: boosted trees classify their cells as statistics or as address lists, logs and
    other tables. The results are remembered, for links to the same file and for files of the same kind on
    the same host. Links of one kind to one host count once, with the highest chance: if one is not data,
    the others are unlikely to be.

    >>> from clew.testing import sample_links, sample_page
    >>> verdict = DataJudge().judge(sample_page(links=sample_links(1)))
    >>> verdict.value, verdict.why
    (0.0, ('no link to a data file',))
    """

    needs_whole_page = True
    """It needs more than the stored text of a page, so stored pages keep their verdicts."""

    def __init__(self) -> None:
        self._files: OrderedDict[int, float] = OrderedDict()
        self._hosts: OrderedDict[tuple[str, str], tuple[float, int]] = OrderedDict()

    def judge(self, page: Page) -> Verdict:
        found = looked_at(page)
        if found is not None:
            self._remember(page, found)
            return Verdict(found.statistical, (found.why,))
        return self._judge_links(page)

    def learn(self, label: Label, page: Page) -> None:
        """Ignore labels: a label of one page says little about files elsewhere."""

    def _judge_links(self, page: Page) -> Verdict:
        """Judge a page by its links to files."""
        links, best = page.links, dict[tuple[str, str], tuple[float, int, KindSign]]()
        count = 0
        for at, url in enumerate(links.urls):
            sign = kind_of(url, links.types[at], links.anchors[at])
            if sign.chance <= 0:
                continue
            count += sign.chance >= 0.5  # noqa: PLR2004 - unlikely ones are not counted
            origin = links.origins[at]
            chance = self._chance(int(links.hashes[at]), origin, sign)
            if chance > best.get((origin, sign.kind), (0.0,))[0]:
                best[origin, sign.kind] = chance, at, sign
        miss_chance = 1.0
        for chance, _, _ in best.values():
            miss_chance *= 1 - chance
        ranked = sorted(best.values(), key=lambda found: -found[0])[:_MAX_REASONS]
        why = [
            f"{chance:.2f} {_describe(links.urls[at], links.anchors[at], sign)}"
            for chance, at, sign in ranked
        ]
        if count > len(why):
            why.append(f"{count:,} links to files in all")
        if stated := [kind for kind in page.kinds if kind in _DATASET_TYPES]:
            miss_chance = min(miss_chance, 1 - _DATASET_CHANCE)
            why.append(f"calls itself a {stated[0]}")
        return Verdict(round(1 - miss_chance, 4), tuple(why) or ("no link to a data file",))

    def _chance(self, name: int, origin: str, sign: KindSign) -> float:
        """Return the chance that a link leads to data, given earlier files at its URL or on its host."""
        known = self._files.get(name)
        if known is not None:
            return known
        total, files = self._hosts.get((origin, sign.kind), (0.0, 0))
        return sign.chance * (PRIOR + total) / (PRIOR + files)

    def _remember(self, page: Page, found: FileInspection) -> None:
        origin = page.link.origin or urls.origin(page.url)
        self._files[urls.fingerprint(page.url)] = found.statistical
        total, files = self._hosts.pop((origin, found.kind), (0.0, 0))
        self._hosts[origin, found.kind] = total + found.statistical, files + 1
        for cache in (self._files, self._hosts):
            if len(cache) > _MAX_REMEMBERED:
                cache.popitem(last=False)


class FilesJudge:
    """Find pages that link to files of a kind, and the files: `files:pdf`, `files:xlsx+ods`.

    >>> from clew.testing import sample_page
    >>> FilesJudge(of="pdf").judge(sample_page()).why
    ('no link to a pdf file',)
    """

    needs_whole_page = True
    """It needs more than the stored text of a page, so stored pages keep their verdicts."""

    def __init__(self, *, of: str = "pdf") -> None:
        self.of = of

    def prepare(self) -> None:
        """Raise a ConfigError for an unknown kind before the first page."""
        known = sorted({*DATA, *OTHER})
        for kind in self.of.split("+"):
            if kind.strip().lower() not in known:
                msg = f'judge "files:{self.of}": there is no kind "{kind}"; known: {", ".join(known)}'
                raise ConfigError(msg)

    def judge(self, page: Page) -> Verdict:
        wanted = {kind.strip().lower() for kind in self.of.split("+")}
        own = kind_of(page.url, page.mime, first=page.response.body[:4_096])
        if own.kind in wanted and own.kind != "html":
            return Verdict(own.sure, (f"{own.kind} by {own.why}",))
        links, best, count = page.links, (0.0, ""), 0
        for at, url in enumerate(links.urls):
            sign = kind_of(url, links.types[at], links.anchors[at])
            if sign.kind in wanted:
                count += 1
                best = max(best, (sign.sure, _describe(url, links.anchors[at], sign)))
        more = (f"{count:,} links to such files",) if count > 1 else ()
        return Verdict(best[0], (best[1], *more) if count else (f"no link to a {self.of} file",))

    def learn(self, label: Label, page: Page) -> None:
        """Ignore labels: the kind of a file does not depend on them."""


def _describe(url: str, anchor: str, sign: KindSign) -> str:
    words = f' "{printable(anchor, 40)}"' if anchor.strip() else ""
    return f"{sign.kind} by {printable(sign.why, 60)}:{words} {printable(url, 80)}"
