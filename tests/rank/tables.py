"""Pages by number, and a book to find rows on them, as the house shows both to a ranker."""

from dataclasses import replace

from clew import urls
from clew.domain.records.record_table import RecordTable
from clew.testing import sample_page
from clew.types import Outcome, Verdict

from .graphs import links

BOOKS = [
    ("C. J. Date", "An Introduction to Database Systems"),
    ("D. Maier", "The Theory of Relational Databases"),
    ("R. G. G. Cattell", "Object Data Management"),
]


def book_of_books():
    return RecordTable(("author", "title"), BOOKS)


def address(number):
    return f"https://a.test/{number}"


class Walk:
    """Show pages to a ranker in the mind's order: rows, then `learn`, `rerank` and `score`."""

    def __init__(self, ranker, book=None):
        self.ranker, self.book, self.scores, self.reranked = ranker, book, {}, []
        if book is not None:
            ranker.use_table(book)

    def read(self, number, *rows, text="", found=(), verdict=0.0):
        page = sample_page(address(number), text=text)
        page = replace(page, response=replace(page.response, link=replace(page.link, id=number)))
        for values in found:
            self.book.add(values, page=number, pattern=1, confidence=0.9)
        outcome = Outcome(page, Verdict(verdict))
        self.ranker.learn(outcome)
        self.think()
        self.scores.pop(urls.fingerprint(page.url), None)
        if not rows:
            return []
        full = [row if isinstance(row, tuple) else (row,) for row in rows]
        full = [(address(row[0]) if isinstance(row[0], int) else row[0], *row[1:]) for row in full]
        given = self.ranker.score(outcome, links(*full)).tolist()
        for row, score in zip(full, given, strict=True):
            name = urls.fingerprint(row[0])
            self.scores[name] = max(score, self.scores.get(name, 0.0))
        self.last = outcome, links(*full)
        return given

    def think(self):
        changed = self.ranker.rerank()
        if changed is not None:
            self.reranked.append(len(changed[0]))
            for name, score in zip(changed[0].tolist(), changed[1].tolist(), strict=True):
                if name in self.scores:
                    self.scores[name] = score

    def score(self, number):
        return self.scores[urls.fingerprint(address(number))]
