"""The verdict from which pages count as relevant: it rises where a judge calls nearly all of them that."""

import numpy as np

from clew.rank.clew.policy import Clew
from clew.rank.clew.relevance_line import HIGHEST, WINDOW, RelevanceLine
from clew.types import Label, Links

from .graphs import links
from .test_ariadne import read
from .test_clew import Crawl


def drawn(verdicts, keep=0.5):
    line = RelevanceLine(keep)
    for verdict in verdicts:
        line.add(verdict)
    line.move()
    return line


def test_where_few_pages_are_relevant_the_line_is_the_users():
    assert drawn([0.1] * 8 + [0.9] * 2).verdict == 0.5
    assert drawn([0.1] * 8 + [0.9] * 2, keep=0.3).verdict == 0.3


def test_where_most_pages_are_just_relevant_the_best_of_them_are_above_the_line():
    line = drawn([0.6] * 8 + [0.9] * 4)
    assert 0.6 < line.verdict < 0.9
    assert line.target(0.6) < 0.2
    assert line.target(0.9) > 0.6


def test_a_page_of_verdict_one_always_counts():
    line = drawn([1.0] * 50)
    assert line.verdict == HIGHEST
    assert line.target(1.0) > 0.8


def test_two_verdicts_are_too_few_to_draw_a_line_through():
    assert drawn([0.9, 0.9]).verdict == 0.5


def test_the_line_falls_again_when_pages_get_worse():
    line = drawn([0.9] * WINDOW)
    for _ in range(WINDOW):
        line.add(0.1)
    assert line.move()
    assert line.verdict == 0.5


def test_many_verdicts_are_turned_as_one_is():
    line, verdicts = drawn([0.6] * 8 + [0.9] * 4), [0.0, 0.5, 0.7, 1.0]
    single = [line.target(verdict) for verdict in verdicts]
    assert np.allclose(line.targets(np.array(verdicts, np.float32)), single, atol=1e-5)


def followed():
    """Return a crawl that has read twenty near misses in one folder, and ten better pages in another."""
    crawl = Crawl(Clew(about="permits"))
    found = [f"https://s.test/near/{n}" for n in range(20)] + [f"https://s.test/best/{n}" for n in range(10)]
    ids, home = crawl.read("https://s.test/", 0.6, links(*((url, "more") for url in found)))
    for url, id in ids.items():
        crawl.read(url, 0.6 if "/near/" in url else 0.8, Links(), id=id, parent=home, anchor="more")
    crawl.ranker.weights()
    return crawl, ids, home


def scores(ranker):
    new = links(("https://s.test/best/x", "more"), ("https://s.test/near/x", "more"))
    return ranker.score(read("https://s.test/other", 0.6), new)


def test_a_folder_of_near_misses_does_not_look_like_one_of_relevant_pages():
    crawl, *_ = followed()
    best, near = scores(crawl.ranker)
    assert best > near + 0.05  # 0.02 with the line at 0.5


def test_what_was_learned_before_the_line_rose_is_learned_again():
    crawl, *_ = followed()
    targets = crawl.ranker.training.verdicts
    assert (targets[:20] < 0.1).all()
    assert (targets[20:] >= 0.5).all()


def test_a_label_is_not_moved_by_the_line():
    crawl, ids, home = followed()
    url = "https://s.test/near/0"
    page = read(url, 0.6, id=ids[url], parent=home, anchor="more").page
    crawl.ranker.learn_label(Label(url, True, 0.0), page)
    for n in range(30):
        crawl.ranker._line.add(0.75 + n / 1000)
    crawl.ranker.refit()
    crawl.ranker.weights()
    assert crawl.ranker.training.verdicts[0] == 1.0


def test_the_line_outlives_the_run(tmp_path):
    crawl, *_ = followed()
    crawl.ranker.save(tmp_path)
    restored = Clew(about="permits")
    restored.load(tmp_path)
    assert restored._line.verdict == crawl.ranker._line.verdict > 0.5
    assert np.allclose(scores(restored), scores(crawl.ranker), atol=0.02)
