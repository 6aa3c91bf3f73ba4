"""What a judge by examples has to learn from: pages on this computer, labels, and the crawl itself."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from clew import urls
from clew.config import Config
from clew.errors import ConfigError
from clew.judge.example_pages import is_url, read_examples
from clew.judge.term_list import TERM_LIST_FILE, Term, propose_terms, read_terms
from clew.services.labels.answers import kept_answers
from clew.store import read_after, read_by_url
from clew.store.folder import DATABASE
from clew.types import Page

OTHERS = 200
"""Pages of the crawl that examples are compared with; the judge itself takes as many."""

MODELS = "models"
_AROUND = 36  # characters on each side of a term in its example of use


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPages:
    """Pages that are on topic, pages that are not, others to compare with, and addresses still to be read."""

    good: list[Page]
    bad: list[Page]
    others: list[Page]
    waiting: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedTerms:
    """A term of the list, a word that stands for it on a page, and an example of its use, if there is one."""

    term: Term
    word: str
    sample: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return asdict(self.term) | {"word": self.word, "sample": self.sample}


def list_of(folder: Path) -> Path:
    """Return where the list of terms of a crawl lies."""
    return folder / MODELS / TERM_LIST_FILE


def lessons(folder: Path, config: Config) -> TrainingPages:
    """Gather all there is to learn from, fetching nothing; works before, during and after a crawl."""
    canon = urls.Canon(config.scope.drop_params)
    said: dict[str, bool] = {}
    pages: dict[bool, list[Page]] = {True: [], False: []}
    others: list[Page] = []
    for names, liked in ((config.goal.good, True), (config.goal.bad, False)):
        said |= {url: liked for name in names if is_url(name) and (url := canon(name))}
        for example in read_examples(names):
            (pages[liked] if example.good else others).append(example.page)
    has_run = (folder / DATABASE).exists()
    if has_run:
        said |= {answer.url: bool(answer.good) for answer, _ in kept_answers(folder)}
        for each in read_by_url(folder, list(said)):
            pages[said.pop(each.page.url)].append(each.page)
        named = {page.url for some in pages.values() for page in some}
        others += [each.page for each in read_after(folder, 0, OTHERS) if each.page.url not in named]
    return TrainingPages(
        good=pages[True], bad=pages[False], others=others[:OTHERS], waiting=[url for url in said if said[url]]
    )


def proposed(folder: Path, config: Config, found: TrainingPages, most: int) -> list[ProposedTerms]:
    """Return the list of terms: those proposed now, under what the person has changed in the file before."""
    if not found.good and not config.goal.about:
        cure = f"name pages with goal.good in clew.toml, or say yes to some: clew label {folder} --ask"
        waits = (
            f"{len(found.waiting)} example pages wait to be fetched; run it first, or "
            if found.waiting
            else ""
        )
        msg = f"{folder} has nothing to learn from yet; {waits}{cure}"
        raise ConfigError(msg)
    terms = propose_terms(found.good, found.bad, found.others, about=config.goal.about, most=most)
    changed = {term.term: term for term in read_terms(list_of(folder)) if term.use != "auto"}
    merged = [
        replace(term, use=changed[term.term].use, weight=_weight(changed.pop(term.term), term))
        if term.term in changed
        else term
        for term in terms
    ]
    texts = [" ".join(f"{page.title}. {page.text}".split()) for page in found.good]
    return [_with_use(term, texts) for term in [*merged, *changed.values()]]


def _weight(yours: Term, ours: Term) -> float:
    return yours.weight if yours.use == "keep" else ours.weight


def _with_use(term: Term, texts: Sequence[str]) -> ProposedTerms:
    """Find the first use of a term: terms are stems, people read words."""
    name = re.escape(term.term)
    pattern = re.compile(rf"\b{name}\w*" if term.term.isascii() else name, re.IGNORECASE)
    for text in texts:
        if match := pattern.search(text):
            start, end = max(0, match.start() - _AROUND), match.end() + _AROUND
            sample = f"{'… ' if start else ''}{text[start:end]}{' …' if end < len(text) else ''}"
            return ProposedTerms(term=term, word=match[0].lower(), sample=sample)
    return ProposedTerms(term=term, word=term.term)


def struck(terms: Sequence[ProposedTerms], which: Iterable[int]) -> list[ProposedTerms]:
    """Return the list with the terms of these places struck out, or taken in again if they were."""
    places = set(which)
    return [
        replace(each, term=replace(each.term, use="auto" if each.term.use == "strike" else "strike"))
        if at in places
        else each
        for at, each in enumerate(terms)
    ]


def weighed(terms: Sequence[ProposedTerms], word: str, weight: float) -> list[ProposedTerms]:
    """Return the list with a word that counts with this weight, added if it is not there."""
    made = Term(word, weight, use="keep")
    known = [each for each in terms if each.term.term == word]
    if not known:
        return [*terms, ProposedTerms(term=made, word=word)]
    return [replace(each, term=replace(each.term, use="keep", weight=weight)) if each in known else each
            for each in terms]  # fmt: skip
