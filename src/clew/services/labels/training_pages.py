"""The training pages of the judge `examples`: local files, labelled pages, and other pages of the crawl."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from clew import urls
from clew.config import Config
from clew.domain.text import terms
from clew.errors import ConfigError
from clew.judge.example_pages import is_url, read_examples
from clew.judge.term_list import TERM_LIST_FILE, Term, propose_terms, read_terms
from clew.services.labels.answers import stored_answers
from clew.store import read_after, read_by_url
from clew.store.folder import DATABASE
from clew.types import Page

OTHERS = 200
"""Maximum pages of the crawl that examples are contrasted with; the same number as in the judge."""

MODELS = "models"
_AROUND = 36  # characters on each side of a term in its example of use


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPages:
    """Relevant and irrelevant examples, other pages for contrast, and examples that are not fetched yet."""

    good: list[Page]
    bad: list[Page]
    others: list[Page]
    waiting: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedTerm:
    """A term of the list, a word form of it on a page, and an example of its use, if there is one."""

    term: Term
    word: str
    sample: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return asdict(self.term) | {"word": self.word, "sample": self.sample}


def term_list_path(folder: Path) -> Path:
    """Return the path of the term list of a crawl."""
    return folder / MODELS / TERM_LIST_FILE


def collect_training_pages(folder: Path, config: Config) -> TrainingPages:
    """Collect the training pages without fetching any; works before, during and after a crawl."""
    canon = urls.Canon(config.scope.drop_params)
    labels: dict[str, bool] = {}
    pages: dict[bool, list[Page]] = {True: [], False: []}
    others: list[Page] = []
    for names, relevant in ((config.goal.good, True), (config.goal.bad, False)):
        labels |= {url: relevant for name in names if is_url(name) and (url := canon(name))}
        for example in read_examples(names):
            (pages[relevant] if example.good else others).append(example.page)
    has_run = (folder / DATABASE).exists()
    if has_run:
        labels |= {answer.url: bool(answer.good) for answer, _ in stored_answers(folder)}
        for each in read_by_url(folder, list(labels)):
            pages[labels.pop(each.page.url)].append(each.page)
        used = {page.url for some in pages.values() for page in some}
        others += [each.page for each in read_after(folder, 0, OTHERS) if each.page.url not in used]
    return TrainingPages(
        good=pages[True],
        bad=pages[False],
        others=others[:OTHERS],
        waiting=[url for url, relevant in labels.items() if relevant],
    )


def merge_terms(folder: Path, config: Config, found: TrainingPages, most: int) -> list[ProposedTerm]:
    """Return the proposed terms, with the changes that the user has made in the file before."""
    if not found.good and not config.goal.about:
        cure = f"name pages with goal.good in clew.toml, or label some: clew label {folder} --ask"
        waits = (
            f"{len(found.waiting)} example pages are not fetched yet; clew learn {folder} --fetch, or "
            if found.waiting
            else ""
        )
        msg = f"{folder} has nothing to learn from yet; {waits}{cure}"
        raise ConfigError(msg)
    proposed = propose_terms(found.good, found.bad, found.others, about=config.goal.about, most=most)
    changed = {term.term: term for term in read_terms(term_list_path(folder)) if term.use != "auto"}
    merged = [
        replace(term, use=changed[term.term].use, weight=_weight(changed.pop(term.term), term))
        if term.term in changed
        else term
        for term in proposed
    ]
    listed = [*merged, *changed.values()]
    texts = [_line(page) for page in found.good]
    rest = map(_line, [*found.bad, *found.others])
    uses = _first_uses(chain(texts, [(config.goal.about, "")], rest), {term.term for term in listed})
    return [_with_use(term, texts, uses) for term in listed]


def words_of(folder: Path, stems: Iterable[str]) -> dict[str, str]:
    """Return for each stem a word that has it, as far as the first pages of a crawl contain one."""
    if not (folder / DATABASE).exists():
        return {}
    texts = (_line(each.page) for each in read_after(folder, 0, OTHERS))
    return {stem: match[0].lower() for stem, (_, match) in _first_uses(texts, set(stems)).items()}


def _line(page: Page) -> tuple[str, str]:
    return " ".join(f"{page.title}. {page.text}".split()), page.lang


def _weight(edited: Term, proposed: Term) -> float:
    return edited.weight if edited.use == "keep" else proposed.weight


def _first_uses(texts: Iterable[tuple[str, str]], wanted: set[str]) -> dict[str, tuple[str, re.Match[str]]]:
    """Return for each term the text and the word in it that first give the term."""
    uses: dict[str, tuple[str, re.Match[str]]] = {}
    stems = cache(terms)
    for text, lang in texts:
        for match in re.finditer(r"\w+", text):
            for stem in wanted.intersection(stems(match[0].lower(), lang)):
                uses.setdefault(stem, (text, match))
        if len(uses) == len(wanted):
            break
    return uses


def _with_use(
    term: Term, texts: Sequence[tuple[str, str]], uses: Mapping[str, tuple[str, re.Match[str]]]
) -> ProposedTerm:
    """Find the first use of a term, because terms are stems and people read words."""
    found = uses.get(term.term)
    if found is None or not term.term.isascii():  # signs as in C++, and scripts without spaces
        exact = re.compile(re.escape(term.term), re.IGNORECASE)
        found = next(((text, match) for text, _ in texts if (match := exact.search(text))), None)
    if found is None:
        return ProposedTerm(term=term, word=term.term)
    text, match = found
    start, end = max(0, match.start() - _AROUND), match.end() + _AROUND
    sample = f"{'… ' if start else ''}{text[start:end]}{' …' if end < len(text) else ''}"
    return ProposedTerm(term=term, word=match[0].lower(), sample=sample)


def toggle_terms(terms: Sequence[ProposedTerm], which: Iterable[int]) -> list[ProposedTerm]:
    """Strike the terms at these positions, or restore those that were struck; return the new list."""
    positions = set(which)
    return [
        replace(each, term=replace(each.term, use="auto" if each.term.use == "strike" else "strike"))
        if at in positions
        else each
        for at, each in enumerate(terms)
    ]


def set_weight(terms: Sequence[ProposedTerm], word: str, weight: float) -> list[ProposedTerm]:
    """Give a term a fixed weight, adding it if it is missing; return the new list."""
    fixed = Term(word, weight, use="keep")
    known = [each for each in terms if each.term.term == word]
    if not known:
        return [*terms, ProposedTerm(term=fixed, word=word)]
    return [replace(each, term=replace(each.term, use="keep", weight=weight)) if each in known else each
            for each in terms]  # fmt: skip
