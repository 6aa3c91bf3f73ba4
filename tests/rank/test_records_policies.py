"""The three policies that go by rows, in a crawl of the book web with the product's own extractor."""

import pytest

from clew.domain.records.values import row_key
from clew.lab.synthetic.books import COLUMNS, BookWeb, example_rows
from clew.lab.synthetic_world import SyntheticPages
from clew.lab.task import Task
from clew.lab.trial import run_trial
from clew.lab.world import World

PAGES = 50


class OnDatabases:
    """The truth of a book web for somebody who looks for books on databases."""

    relevant = row_count = -1

    def __init__(self, web):
        self.web = web
        self.subjects = {row_key((book.author, book.title)): book.subject for book in web.books}

    def label_of(self, values, urls):
        about = self.subjects.get(row_key(tuple(values)), "")
        return "noise" if not about else "right" if about == "databases" else "off-topic"

    def grade(self, url):
        return float(any(self.label_of(row, ()) == "right" for row in self.web.rows(url)))


def crawl(policy, answers=0):
    web = BookWeb(3)
    truth = OnDatabases(web)
    rows = tuple(dict(zip(COLUMNS, row, strict=True)) for row in example_rows())
    task = Task(
        name="databases", kind="records", about="", truth=truth, starts={"seeds": tuple(web.seeds())},
        records=rows, rows=truth,
    )  # fmt: skip
    return run_trial(
        World("books", SyntheticPages(web)), task, policy, pages=PAGES, judge="records", extractor="records",
        answers=answers, examples="none",
    )  # fmt: skip


@pytest.mark.parametrize("policy", ["records-text", "records-jaccard", "objectrank"])
def test_the_table_grows_and_the_same_again(policy):
    trace = crawl(policy)
    assert trace.gained[-1] >= 50
    assert trace.scores.min() >= 0
    assert trace.scores.max() <= 1
    assert crawl(policy).hashes.tolist() == trace.hashes.tolist()


def test_words_of_the_rows_lead_to_more_pages_than_any_order():
    assert crawl("records-text").relevant.sum() > 1.3 * crawl("breadth").relevant.sum()


def test_labels_change_the_ranking():
    unlabelled, labelled = crawl("records-text"), crawl("records-text", answers=10)
    assert sum(labelled.facts["marked"].values()) > 3
    assert labelled.hashes.tolist() != unlabelled.hashes.tolist()
