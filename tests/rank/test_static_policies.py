"""Policies that do not learn: their scores are known by hand."""

import math

import numpy as np
import pytest

from clew.rank.baselines.keyword import Keyword
from clew.rank.baselines.random_order import RandomOrder
from clew.rank.baselines.shark import Shark
from clew.rank.shared.goal_terms import GoalTerms
from clew.rank.shared.link_index import LinkIndex
from clew.testing import sample_links, sample_outcome

from .graphs import links, outcome, visit
from .tables import book_table


def test_random_scores_are_uniform_repeatable_and_fixed_by_the_link():
    many = sample_links(10_000)
    scores = RandomOrder(seed=3).score(sample_outcome(), many)
    assert scores.dtype == np.float32
    assert scores.min() >= 0
    assert scores.max() < 1
    counts = np.histogram(scores, bins=10, range=(0, 1))[0]
    assert counts.min() > 850  # 1000 expected, standard deviation 30
    assert np.array_equal(scores, RandomOrder(seed=3).score(sample_outcome(0.1), many))
    assert not np.array_equal(scores, RandomOrder(seed=4).score(sample_outcome(), many))
    assert abs(np.corrcoef(scores, RandomOrder(seed=4).score(sample_outcome(), many))[0, 1]) < 0.05


@pytest.mark.parametrize("policy", [Keyword, Shark])
def test_a_goal_of_rows_without_words_has_the_words_of_the_rows(policy):
    page = outcome("https://a.test/", 0.5, text="nothing here")
    found = links(("https://a.test/x", "Theory of Relational Databases"), ("https://a.test/y", "Contact"))
    ranker = policy()
    assert len(set(ranker.score(page, found).tolist())) == 1
    ranker.use_table(book_table())
    named, other = ranker.score(page, found).tolist()
    assert named > other
    own = policy(about="contact")
    own.use_table(book_table())
    named, other = own.score(page, found).tolist()
    assert named < other, "words of the goal come first"


def test_keyword_adds_page_text_and_url():
    page = outcome("https://a.test/", 0.0, text="Wind permits. Wind!")
    scores = Keyword(about="wind permits").parts(
        page,
        links(
            ("https://a.test/x", "Permits for wind farms"),
            ("https://a.test/wind/2", "read more"),
            ("https://b.test/y", ""),
        ),
    )
    # The page says wind twice and permits once: 3 / (sqrt(5) · sqrt(2)).
    assert scores["source page"] == pytest.approx([0.4 * 3 / math.sqrt(10)] * 3)
    assert scores["link text"] == pytest.approx([0.4, 0, 0])
    assert scores["URL"] == pytest.approx([0, 0.1, 0])


def test_keyword_reads_scripts_without_blanks_and_escaped_addresses():
    ranker = Keyword(about="洋上風力の許可")
    score = ranker.score(
        outcome("https://a.test/", 0.0, text="洋上風力の許可について"),
        links(
            ("https://a.test/1", "風力"),
            ("https://a.test/2", "お問い合わせ"),
            ("https://a.test/%E8%A8%B1%E5%8F%AF", ""),
        ),
    )
    assert score[0] > score[2] > score[1] > 0


def test_keyword_without_words_is_best_first():
    assert Keyword().score(sample_outcome(0.25), sample_links(3)).tolist() == [0.25, 0.25, 0.25]


def test_words_of_the_goal_are_found_by_their_beginning_but_short_ones_whole():
    goal = GoalTerms("AI permits")
    assert goal.shares(["permitted", "aid", "AI", "impermissible ai-permit", "Größe AI"]).tolist() == [
        0.5, 0, 0.5, 1, 0.5,
    ]  # fmt: skip


def test_a_word_counts_the_same_in_ascii_and_other_text():
    goal = GoalTerms("fog signal horn")
    for text in ("fog horns", "no such word", "Signal_box foghorn", "x"):
        assert goal.shares([text, text + " é"])[0] == goal.shares([text + " é"])[0]
        assert (goal.cosine(text) == 0) == (goal.cosine(text + " é") == 0)


def test_shark_equals_the_sum_done_by_hand():
    ranker = Shark(about="fog signal")
    page = outcome("https://a.test/", 0.6)
    scores = ranker.score(
        page,
        links(
            ("https://a.test/1", "fog signal", "x"),  # text 1, so its context counts as 1
            ("https://a.test/2", "more", "the fog came"),  # context: 1 of 2 words each way
            ("https://a.test/3", "more", "nothing"),
        ),
    )
    inherited = 0.8 * 0.5 * 0.6
    assert scores == pytest.approx([inherited + 0.2, inherited + 0.2 * 0.2 * 0.5, inherited])


def test_inherited_scores_decay_over_irrelevant_pages():
    ranker = Shark(about="fog")
    first, _ = visit(ranker, "https://a.test/", 0.8, "https://a.test/1")
    second, _ = visit(ranker, "https://a.test/1", 0.0, "https://a.test/2")
    third, _ = visit(ranker, "https://a.test/2", 0.0, "https://a.test/3")
    assert [*first, *second, *third] == pytest.approx([0.8 * 0.4, 0.8 * 0.2, 0.8 * 0.1])
    unknown, _ = visit(ranker, "https://elsewhere.test/", 0.0, "https://elsewhere.test/1")
    assert unknown.tolist() == [0]


def test_a_link_index_finds_every_hash_again():
    rng = np.random.default_rng(1)
    names = rng.integers(0, 1 << 62, 60_000).astype(np.uint64)
    names[30_000:40_000] = names[:10_000]  # met again
    index, rows = LinkIndex(), []
    for start in range(0, len(names), 50):
        rows.extend(index.add(names[start : start + 50]).tolist())
    wanted = {}
    for name in names.tolist():
        wanted.setdefault(name, len(wanted))
    assert rows == [wanted[name] for name in names.tolist()]
    assert index.hashes.tolist() == list(wanted)
    assert index.rows(names).tolist() == rows
    assert index.row(1) == -1
    twice = index.add(np.array([5, 5, 6], np.uint64))
    assert twice.tolist() == [len(wanted), len(wanted), len(wanted) + 1]
    index.mark_fetched(6)
    assert len(index.unfetched_rows()) == len(index) - 1
