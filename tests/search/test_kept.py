"""Questions and answers in the store: kept, not asked again within a day, counted, forgotten."""

import sqlite3
from contextlib import closing

from search_kit import crawl

from clew.contracts import SearchAnswer, SearchQuery, SearchResult
from clew.store.forget import open_eraser
from clew.store.searches import DAY, cached_answer, read_searches, save_search, update_search

FOUND = SearchAnswer(
    results=tuple(SearchResult(url=f"http://host{i}.test/", title=f"Title {i}", rank=i) for i in range(1, 6)),
    total=99,
)


def kept(folder, **more):
    given = {"engine": "brave", "query": "wind", "answer": FOUND, "asked": 5, "why": "seeds", "at": 1000.0}
    return save_search(folder, **(given | more))


def test_an_answer_is_not_asked_for_again_within_a_day(tmp_path):
    crawl(tmp_path, [("http://one.test/", "text")])
    id = kept(tmp_path, query=SearchQuery(text="wind", also=("sea",)))
    again = cached_answer(tmp_path, "brave", "wind AND sea", asked=3, now=1000.0 + DAY / 2)
    assert again is not None
    assert again[0] == id
    assert [(r.url, r.title, r.rank) for r in again[1].results] == [
        (r.url, r.title, r.rank) for r in FOUND.results[:3]
    ]
    assert cached_answer(tmp_path, "brave", "wind AND sea", asked=3, now=1001.0 + DAY) is None
    assert cached_answer(tmp_path, "kagi", "wind AND sea", asked=3, now=1001.0) is None
    assert cached_answer(tmp_path, "brave", "wind", asked=3, now=1001.0) is None
    assert cached_answer(tmp_path, "brave", "wind AND sea", "ja", asked=3, now=1001.0) is None


def test_more_results_are_a_new_question_unless_there_were_no_more(tmp_path):
    crawl(tmp_path, [("http://one.test/", "text")])
    kept(tmp_path, asked=5)
    assert cached_answer(tmp_path, "brave", "wind", asked=50, now=1001.0) is None
    kept(tmp_path, asked=20)
    assert cached_answer(tmp_path, "brave", "wind", asked=50, now=1001.0) is not None


def test_a_fault_is_logged_and_may_be_tried_again(tmp_path):
    crawl(tmp_path, [("http://one.test/", "text")])
    kept(tmp_path, answer=SearchAnswer(error="brave: broken; mend it"))
    assert cached_answer(tmp_path, "brave", "wind", now=1001.0) is None
    assert read_searches(tmp_path)[0].error == "brave: broken; mend it"


def test_what_a_question_brought_is_counted(tmp_path):
    crawl(tmp_path, [("http://one.test/", "text"), ("http://host2.test/", "more")])
    id = kept(tmp_path)
    (search,) = read_searches(tmp_path)
    assert (search.count, search.asked, search.new, search.relevant, search.why) == (
        5,
        5,
        None,
        None,
        "seeds",
    )
    update_search(tmp_path, id, new=4, links={"http://host2.test/": 2})
    (search,) = read_searches(tmp_path)
    assert (search.new, search.relevant) == (4, None)
    with closing(sqlite3.connect(tmp_path / "crawl.db")) as db:
        assert db.execute("SELECT rank, link FROM search_results WHERE link").fetchall() == [(2, 2)]
    update_search(tmp_path, id, relevant=3)
    assert (read_searches(tmp_path)[0].new, read_searches(tmp_path)[0].relevant) == (4, 3)


def test_a_forgotten_site_leaves_the_answers(tmp_path):
    crawl(tmp_path, [("http://host1.test/", "text"), ("http://host2.test/", "more")])
    kept(tmp_path)
    kept(tmp_path, query="site:host1.test")
    with open_eraser(tmp_path, "host1.test") as eraser:
        eraser.erase(eraser.measure())
    assert [search.query for search in read_searches(tmp_path)] == ["wind"]
    with closing(sqlite3.connect(tmp_path / "crawl.db")) as db:
        left = [url for (url,) in db.execute("SELECT url FROM search_results ORDER BY rank")]
    assert left == [f"http://host{i}.test/" for i in range(2, 6)]
    assert b"host1.test/" not in (tmp_path / "crawl.db").read_bytes()
