"""Pages by number, and a table with rows found on them, passed to a ranker as in a crawl."""

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


def book_table():
    return RecordTable(("author", "title"), BOOKS)


def address(number):
    return f"https://a.test/{number}"


class RankerCrawl:
    """Pass pages to a ranker in the order of the engine: rows, then `learn`, `rerank` and `score`."""

    def __init__(self, ranker, table=None):
        self.ranker, self.table, self.scores, self.reranked = ranker, table, {}, []
        if table is not None:
            ranker.use_table(table)

    def read(self, number, *rows, text="", found=(), verdict=0.0):
        page = sample_page(address(number), text=text)
        page = replace(page, response=replace(page.response, link=replace(page.link, id=number)))
        for values in found:
            self.table.add(values, page=number, pattern=1, confidence=0.9)
        outcome = Outcome(page, Verdict(verdict))
        self.ranker.learn(outcome)
        self.rerank()
        self.scores.pop(urls.fingerprint(page.url), None)
        if not rows:
            return []
        full = [row if isinstance(row, tuple) else (row,) for row in rows]
        full = [(address(row[0]) if isinstance(row[0], int) else row[0], *row[1:]) for row in full]
        scores = self.ranker.score(outcome, links(*full)).tolist()
        for row, score in zip(full, scores, strict=True):
            name = urls.fingerprint(row[0])
            self.scores[name] = max(score, self.scores.get(name, 0.0))
        self.last = outcome, links(*full)
        return scores

    def rerank(self):
        changed = self.ranker.rerank()
        if changed is not None:
            self.reranked.append(len(changed[0]))
            for name, score in zip(changed[0].tolist(), changed[1].tolist(), strict=True):
                if name in self.scores:
                    self.scores[name] = score

    def score(self, number):
        return self.scores[urls.fingerprint(address(number))]
