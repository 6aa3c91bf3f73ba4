"""Goals that are not topics: what the table and the kind of a file say in the policy `clew`, and what it learns."""

from dataclasses import replace

import numpy as np
import pytest

from clew.domain.records.record_table import RecordTable
from clew.rank.clew.goal_features import goal_features
from clew.rank.clew.policy import Clew
from clew.rank.shared.token_stats import logistic
from clew.testing import check_ranker, sample_page
from clew.types import Links, Outcome, Verdict

from .graphs import links
from .tables import BOOKS, book_table

MORE = [(f"Author {letter * 3}", f"Treatise {letter * 4}") for letter in "abcdefghijklmnopqrst"]


class Crawl:
    """Show pages to a ranker as the house does: rows first, then `learn`, then features that are kept."""

    def __init__(self, ranker, book=None):
        self.ranker, self.table, self.features, self.ids = ranker, book, {}, {}
        ranker.use_features(self.features.get)
        if book is not None:
            ranker.use_table(book)

    def read(self, url, *found, verdict=0.0, rows=(), text=""):
        """Read a page with its links; each link is (address, text)."""
        id, parent, anchor = self.ids.get(url, (len(self.ids) + 1, 0, ""))
        self.ids.setdefault(url, (id, 0, ""))
        for values in rows:
            self.table.add(values, page=id, pattern=1, confidence=0.9)
        page = sample_page(url, text=text, links=links(*found) if found else Links())
        link = replace(page.link, id=id, parent=parent, anchor=anchor)
        outcome = Outcome(replace(page, response=replace(page.response, link=link)), Verdict(verdict))
        self.ranker.weights()
        self.ranker.learn(outcome)
        self.ranker.weights()
        features = self.ranker.features(outcome, page.links)
        for (target, *said), row in zip(found, features, strict=True):
            if target not in self.ids:
                self.ids[target] = len(self.ids) + 1, id, (said or [""])[0]
                self.features[self.ids[target][0]] = row
        self.last = outcome, page.links, features
        return dict(zip(page.links.urls, self.ranker.score(outcome, page.links).tolist(), strict=True))

    def explained(self, at=0):
        """Return what the sixth witness said of a link of the latest page."""
        outcome, found, features = self.last
        story = self.ranker.explain_terms(outcome, found.take([at]), features[[at]])[0]
        return dict(story[self.ranker.groups[-1].name])


def table_crawl():
    return Crawl(Clew(judge="records"), book_table())


@pytest.mark.parametrize("judge", ["records", "all:records,auto", "data", "files:pdf"])
def test_it_keeps_its_promises_with_every_goal(judge):
    ranker = Clew(about="wind", judge=judge)
    check_ranker(ranker)
    assert len(ranker.groups) == 7
    assert sum(family.weight for family in ranker.groups) == pytest.approx(1)


@pytest.mark.parametrize("judge", ["", "auto", "words", "place:jp", "schema:Dataset", "all:place:jp,words"])
def test_a_topic_costs_nothing_more(judge):
    plain, goal = Clew(about="wind"), Clew(about="wind", judge=judge)
    goal.use_table(book_table())
    assert goal.groups == plain.groups
    source, found = (
        Outcome(sample_page("https://a.test/"), Verdict(0.4)),
        links(("https://a.test/t.csv", "x")),
    )
    assert np.array_equal(plain.features(source, found), goal.features(source, found))
    assert np.array_equal(plain.score(source, found), goal.score(source, found))
    assert goal_features(judge) is None


def test_the_words_of_the_rows_are_told():
    scores = table_crawl().read(
        "https://a.test/", ("https://a.test/1", "Maier"), ("https://a.test/2", "Imprint")
    )
    assert scores["https://a.test/1"] > scores["https://a.test/2"] + 0.1


def test_links_on_a_page_with_rows_come_first():
    crawl = table_crawl()
    none = crawl.read("https://a.test/", ("https://a.test/1", "one"))["https://a.test/1"]
    assert "no row of the table on its page" in crawl.explained()
    some = crawl.read("https://b.test/", ("https://b.test/1", "one"), rows=MORE[:7])["https://b.test/1"]
    assert "5 to 16 rows of the table on its page" in crawl.explained()
    assert some > none + 0.03


def test_pages_that_repeat_known_rows_are_worth_less_than_pages_that_bring_new_ones():
    crawl = table_crawl()
    home = [(f"https://s.test/{kind}/{n}", kind) for n in range(10) for kind in ("works", "lists")]
    crawl.read("https://s.test/", *home, rows=MORE[:5])
    for number in range(10):
        crawl.read(f"https://s.test/works/{number}", verdict=0.9, rows=MORE[:1])
        crawl.read(
            f"https://s.test/lists/{number}", verdict=0.9, rows=[("New", f"Row {number} {n}") for n in "abcd"]
        )
    scores = crawl.read(
        "https://t.test/", ("https://s.test/works/99", "works"), ("https://s.test/lists/99", "lists")
    )
    assert scores["https://s.test/lists/99"] > scores["https://s.test/works/99"] + 0.1


def test_a_row_called_off_topic_counts_no_more():
    crawl = table_crawl()
    crawl.read("https://a.test/", ("https://a.test/1", "one"), rows=MORE[:1])
    assert "1 row of the table on its page" in crawl.explained()
    crawl.table.set_row_label(crawl.table.find(MORE[0]), "off-topic")
    crawl.read("https://a.test/", ("https://a.test/1", "one"))
    assert "no row of the table on its page" in crawl.explained()


def test_data_files_are_taken_at_once_and_given_up_where_they_do_not_come():
    crawl = Crawl(Clew(judge="data"))
    files = [(f"https://s.test/d/{n}.csv", f"table {n}") for n in range(30)]
    scores = crawl.read("https://s.test/", *files, ("https://s.test/about", "about us"), verdict=0.9)
    page = scores.pop("https://s.test/about")
    assert min(scores.values()) > page + 0.2
    assert crawl.explained()["a csv file"] > 3
    for url, _ in files[:12]:
        crawl.read(url)  # it is not there
    ask = ("https://s.test/d/99.csv", "table 99"), ("https://other.test/d/99.csv", "table 99")
    here, elsewhere = crawl.read("https://t.test/", *ask, verdict=0.9).values()
    assert here < elsewhere
    assert here < min(scores.values()) - 0.3
    assert crawl.explained()["csv files of s.test"] < 0


def test_pages_that_name_new_files_are_learned_from_and_pictures_are_left_alone():
    crawl = Crawl(Clew(judge="data"))
    home = [(f"https://s.test/{kind}/{n}", kind) for n in range(10) for kind in ("months", "news")]
    crawl.read("https://s.test/", *home, verdict=0.9)
    for number in range(10):
        crawl.read(f"https://s.test/months/{number}", (f"https://s.test/m{number}.xlsx",), verdict=0.9)
        crawl.read(f"https://s.test/news/{number}", ("https://s.test/m0.xlsx",), verdict=0.9)
    scores = crawl.read(
        "https://t.test/", ("https://s.test/months/99", "months"), ("https://s.test/news/99", "news"),
        ("https://s.test/months/a.png", "months"), verdict=0.9,
    )  # fmt: skip
    months, news, picture = scores.values()
    assert months > news + 0.05
    assert picture < months - 0.1


def test_files_of_a_kind_are_a_goal_as_well():
    ranker = Clew(judge="files:pdf+epub")
    source = Outcome(sample_page("https://a.test/"), Verdict(0.0))
    pdf, csv, page = ranker.score(
        source, links(("https://a.test/a.pdf",), ("https://a.test/a.csv",), ("https://a.test/a",))
    )
    assert pdf > page > csv


@pytest.mark.parametrize("judge", ["records", "data"])
def test_reasons_add_up_to_each_feature_group(judge):
    crawl = Crawl(Clew(judge=judge), book_table())
    crawl.read(
        "https://s.test/",
        *((f"https://s.test/{n}.csv", "Maier") for n in range(15)),
        verdict=0.8,
        rows=MORE[:3],
    )
    for number in range(15):
        crawl.read(f"https://s.test/{number}.csv", verdict=0.9 * (number % 2))
    crawl.read("https://t.test/", ("https://s.test/99.csv", "Maier, databases"), verdict=0.8)
    source, found, rows = crawl.last
    (story,) = crawl.ranker.explain_terms(source, found, rows)
    now = {family.name: family.weight for family in crawl.ranker.current_weights().groups}
    assert list(story) == list(now)
    sums = [now[name] * logistic(np.float32(sum(odds for _, odds in words))) for name, words in story.items()]
    assert sum(sums) == pytest.approx(float(crawl.ranker.score(source, found)[0]), abs=1e-3)
    assert all(word for words in story.values() for word, _ in words), "every number has a name"


@pytest.mark.parametrize("before", ["", "records", "data"])
@pytest.mark.parametrize("after", ["", "records", "data"])
def test_what_was_learned_is_read_by_a_crawl_with_another_goal(tmp_path, before, after):
    crawl = Crawl(Clew(judge=before), book_table())
    crawl.read("https://s.test/", *((f"https://s.test/{n}", "soup") for n in range(15)))
    for number in range(15):
        crawl.read(f"https://s.test/{number}")
    crawl.ranker.save(tmp_path)
    warm = Clew(judge=after)
    warm.load(tmp_path)
    check_ranker(warm)
    assert sum(family.weight for family in warm.current_weights().groups) == pytest.approx(1)
    source = Outcome(sample_page("https://n.test/"), Verdict(0.5))
    soup, harp = warm.score(source, links(("https://n.test/a", "soup"), ("https://n.test/b", "harp")))
    assert soup < harp
    if before == after:
        assert warm.current_weights().groups == crawl.ranker.current_weights().groups


def test_a_table_without_rows_and_a_book_without_a_table_say_nothing():
    empty, none = Clew(judge="records"), Clew(judge="records")
    empty.use_table(RecordTable(("author", "title")))
    for ranker in (empty, none):
        check_ranker(ranker)
    source, found = (
        Outcome(sample_page("https://a.test/"), Verdict(0.0)),
        links(("https://a.test/1", BOOKS[0][1])),
    )
    assert not none.features(source, found)[:, -4:].any()
