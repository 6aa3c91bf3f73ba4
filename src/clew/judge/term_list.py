"""The list of telling terms: proposed by the judge, changed by the person, heeded while the crawl runs."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.domain.text import printable, terms
from clew.errors import ConfigError, StoreError
from clew.judge.model_io import SavedJudge
from clew.judge.similarity import Edits, fit
from clew.judge.term_bags import TermIndex, counted, distinct
from clew.types import Page

TERM_LIST_FILE = "terms.tsv"
USES = ("auto", "keep", "strike")
STRONGEST = 10.0
"""Weight of the strongest term; the others are in proportion."""

_HEAD = """\
# The terms that tell your topic. Change the first column, or add lines; a crawl under way sees it at once.
#   auto    weighed by the judge: the weight here is only shown
#   keep    counts with the weight written here, 10 the strongest for, -10 the strongest against
#   strike  never counts
"""
_COLUMNS = "use\tterm\tweight\texamples\tothers"


@dataclass(frozen=True, slots=True)
class Term:
    """A term, what it adds (10 to -10), in how many examples and other pages it stands, and its use."""

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
    """Return the terms that tell most, strongest first: what examples have and other pages have not."""
    book = TermIndex()
    bags = [distinct(book.bag(counted(page), page.lang) for page in pages) for pages in (good, bad, others)]
    langs = [bag.lang for bag in bags[0] or bags[2]]
    words = [book.number(term) for term in about_terms(about, langs)]
    likeness = fit(book, *bags, about=words, most=most)
    ours = [{book.names[id] for id in bag.ids.tolist()} for bag in bags[0]]
    theirs = [{book.names[id] for id in bag.ids.tolist()} for bag in bags[1] + bags[2]]
    return [
        Term(
            term.term,
            term.weight,
            sum(term.term in bag for bag in ours),
            sum(term.term in bag for bag in theirs),
        )
        for term in telling(likeness)[:most]
    ]


def telling(learned: SavedJudge) -> list[Term]:
    """Return the terms that count in a likeness, strongest first, the strongest with weight 10."""
    weights = {term: weight for term, (_, weight) in learned.table.items() if weight}
    most = max(map(abs, weights.values()), default=1.0)
    ordered = sorted(weights.items(), key=lambda item: (-abs(item[1]), item[0]))
    return [Term(term, round(STRONGEST * weight / most, 2)) for term, weight in ordered]


def about_terms(about: str, langs: Sequence[str]) -> list[str]:
    """Return the person's words as terms, read in the language of most examples (or of the crawl)."""
    lang = max(sorted(set(langs)), key=list(langs).count) if langs else ""
    return list(dict.fromkeys(terms(about, lang)))


def write_terms(path: Path, found: Iterable[Term]) -> None:
    """Write a list for the person to edit."""
    rows = (
        f"{term.use}\t{printable(term.term)}\t{term.weight:g}\t{term.examples}\t{term.others}"
        for term in found
    )
    half = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        half.write_text(_HEAD + "\n".join((_COLUMNS, *rows)) + "\n", "utf-8")
        half.replace(path)
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}; free some space, or give yourself access to it"
        raise StoreError(msg) from None


def read_terms(path: Path) -> list[Term]:
    """Read a list that a person may have edited; nothing when there is none."""
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
    told = ((number, line) for number, line in lines if line.strip() and not line.startswith("#"))
    return [_term(path, number, line) for number, line in told if line != _COLUMNS]


def edits(found: Iterable[Term], lang: str = "") -> Edits:
    """Return what the person changed; words are brought into the form that the judge knows."""
    weights: dict[str, float] = {}
    struck: set[str] = set()
    for term in found:
        forms = {term.term, *terms(term.term, lang)}
        if term.use == "strike":
            struck |= forms
        elif term.use == "keep":
            weights |= dict.fromkeys(forms, term.weight)
    return Edits(weights, struck)


def _term(path: Path, number: int, line: str) -> Term:
    use, *rest = (cell.strip() for cell in line.split("\t"))
    if use not in USES or not rest or not rest[0]:
        msg = (
            f'{path}, line {number}: "{printable(line, 30)}" is not: auto, keep or strike, a tab, a '
            "term, a tab, "
            "a weight; mend or delete the line"
        )
        raise ConfigError(msg)
    cells = [*rest[1:], "", "", ""]
    try:
        weight = float(cells[0] or (STRONGEST / 2 if use == "keep" else 0))
        counts = [int(cell or 0) for cell in cells[1:3]]
    except ValueError:
        weight, counts = math.nan, [0, 0]
    if not -STRONGEST <= weight <= STRONGEST:
        msg = (
            f'{path}, line {number}: "{printable(cells[0], 20)}" is no weight; write a number from -10 to 10'
        )
        raise ConfigError(msg)
    return Term(rest[0], weight, counts[0], counts[1], use)
