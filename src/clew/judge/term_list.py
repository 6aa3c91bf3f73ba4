"""The editable list of topic terms: proposed by the judge, edited by the user, reloaded during the crawl."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.domain.text import printable, terms
from clew.errors import ConfigError, StoreError
from clew.judge.model_io import TermModel
from clew.judge.similarity import NO_EDITS, Edits, fit
from clew.judge.term_vectors import TermIndex, distinct
from clew.types import Page

TERM_LIST_FILE = "terms.tsv"
USES = ("auto", "keep", "strike")
MAX_WEIGHT = 10.0
"""Weight of the strongest term; the others are scaled to it."""

_HEAD = """\
# The terms of your topic. Change the first column, or add lines; a running crawl reloads it at once.
#   auto    weighted by the judge: the weight here is only shown
#   keep    counts with the weight written here, 10 is the strongest for, -10 the strongest against
#   strike  never counts
"""
_COLUMNS = "use\tterm\tweight\texamples\tothers"


@dataclass(frozen=True, slots=True)
class Term:
    """A term, its weight (10 to -10), in how many examples and other pages it occurs, and its use."""

    term: str
    weight: float
    examples: int = 0
    others: int = 0
    use: str = "auto"


def propose_terms(
    good: Iterable[Page],
    bad: Iterable[Page] = (),
    others: Iterable[Page] = (),
    *,
    about: str = "",
    most: int = 100,
) -> list[Term]:
    """Return the terms that best separate examples from other pages, strongest first."""
    index = TermIndex()
    counts_by_kind = [distinct(index.encode_page(page) for page in pages) for pages in (good, bad, others)]
    langs = [page.lang for page in counts_by_kind[0] or counts_by_kind[2]]
    about_ids = [index.id_of(term) for term in about_terms(about, langs)]
    model = fit(index, *counts_by_kind, about=about_ids, most=most)
    positive = [{index.names[id] for id in page.ids.tolist()} for page in counts_by_kind[0]]
    negative = [
        {index.names[id] for id in page.ids.tolist()} for page in counts_by_kind[1] + counts_by_kind[2]
    ]
    return [
        Term(
            term.term,
            term.weight,
            sum(term.term in page for page in positive),
            sum(term.term in page for page in negative),
        )
        for term in ranked_terms(model)[:most]
    ]


def ranked_terms(learned: TermModel) -> list[Term]:
    """Return the terms with a weight in a fitted model, strongest first, scaled to a maximum of 10."""
    weights = {term: weight for term, (_, weight) in learned.table.items() if weight}
    strongest = max(map(abs, weights.values()), default=1.0)
    ordered = sorted(weights.items(), key=lambda item: (-abs(item[1]), item[0]))
    return [Term(term, round(MAX_WEIGHT * weight / strongest, 2)) for term, weight in ordered]


def about_terms(about: str, langs: Sequence[str]) -> list[str]:
    """Return the user's words as terms, in the language of most examples (or of the crawl)."""
    lang = max(sorted(set(langs)), key=list(langs).count) if langs else ""
    return list(dict.fromkeys(terms(about, lang)))


def write_terms(path: Path, found: Iterable[Term]) -> None:
    """Write a list for the user to edit."""
    rows = (
        f"{term.use}\t{printable(term.term)}\t{term.weight:g}\t{term.examples}\t{term.others}"
        for term in found
    )
    temporary = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(_HEAD + "\n".join((_COLUMNS, *rows)) + "\n", "utf-8")
        temporary.replace(path)
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}; free some space, or give yourself access to it"
        raise StoreError(msg) from None


def read_terms(path: Path) -> list[Term]:
    """Read a list that the user may have edited; empty if there is no file."""
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        return []
    except UnicodeDecodeError:
        msg = f"{path} is not UTF-8; save it as UTF-8 in your editor"
        raise ConfigError(msg) from None
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; give yourself access to it"
        raise ConfigError(msg) from None
    lines = enumerate(text.splitlines(), 1)
    entries = ((number, line) for number, line in lines if line.strip() and not line.startswith("#"))
    return [_parse_line(path, number, line) for number, line in entries if line != _COLUMNS]


def edits(found: Iterable[Term], lang: str = "") -> Edits:
    """Return the user's changes; words are normalized to terms as the judge counts them."""
    weights: dict[str, float] = {}
    removed: set[str] = set()
    for term in found:
        forms = {term.term, *terms(term.term, lang)}
        if term.use == "strike":
            removed |= forms
        elif term.use == "keep":
            weights |= dict.fromkeys(forms, term.weight)
    return Edits(weights, removed)


@dataclass(slots=True)
class EditedTerms:
    """The user's changes to the terms, read from a list that may change while the crawl runs."""

    path: Path | None = None
    edits: Edits = NO_EDITS
    error: str = ""
    _mtime: int = 0

    def as_values(self) -> dict[str, object]:
        """Return the changes as plain values, to compare them with those of another time."""
        return {"weights": dict(self.edits.weights), "removed": sorted(self.edits.removed)}

    def reload(self, langs: Mapping[str, int], *, strict: bool = False) -> bool:
        """Read the list if it has changed, and tell whether it had; words are in the examples' language.

        An error is kept in `error`, and raised only if `strict`; until it is corrected the old list holds.
        """
        if self.path is None:
            return False
        try:
            modified = os.stat(self.path).st_mtime_ns  # noqa: PTH116 - called for every page
        except OSError:
            modified = 0
        if modified == self._mtime:
            return False
        self._mtime, self.error = modified, ""
        try:
            self.edits = edits(read_terms(self.path), max(langs, key=lambda lang: langs[lang], default=""))
        except ConfigError as error:
            if strict:
                raise
            self.error = str(error)
        return True


def _parse_line(path: Path, number: int, line: str) -> Term:
    use, *rest = (cell.strip() for cell in line.split("\t"))
    if use not in USES or not rest or not rest[0]:
        msg = (
            f'{path}, line {number}: "{printable(line, 30)}" is not: auto, keep or strike, a tab, a '
            "term, a tab, "
            "a weight; correct or delete the line"
        )
        raise ConfigError(msg)
    cells = [*rest[1:], "", "", ""]
    try:
        weight = float(cells[0] or (MAX_WEIGHT / 2 if use == "keep" else 0))
        counts = [int(cell or 0) for cell in cells[1:3]]
    except ValueError:
        weight, counts = math.nan, [0, 0]
    if not -MAX_WEIGHT <= weight <= MAX_WEIGHT:
        weight_text = printable(cells[0], 20)
        msg = f'{path}, line {number}: "{weight_text}" is not a weight; write a number from -10 to 10'
        raise ConfigError(msg)
    return Term(rest[0], weight, counts[0], counts[1], use)
