"""What the search service knows across restarts, and how it trains a judge."""

import pytest

from clew.config.tables import SeekTable
from clew.judge.bayes import BayesJudge
from clew.services.search.control_topics import SUBJECTS, unrelated_topics
from clew.services.search.initial_queries import initial_queries
from clew.services.search.judge_training import OTHERS, JudgeTraining
from clew.services.search.progress import RecentPages
from clew.testing import sample_page


def test_the_window_of_recent_pages_survives_a_restart():
    before, after = RecentPages(5), RecentPages(5)
    for relevant in (True, True, False, True, False, False):
        before.add(relevant)
    after.restore(before.pack())
    assert (after.window, after.since, after.share) == (before.window, before.since, before.share)
    fresh = RecentPages(5)
    fresh.restore("")
    assert not fresh.full


class CountingJudge(BayesJudge):
    def train(self, relevant, irrelevant):
        self.counts = len(list(relevant)), len(list(irrelevant))


def test_a_judge_is_trained_on_ten_times_as_many_irrelevant_pages():
    judge = CountingJudge()
    training = JudgeTraining(judge=judge)
    for number in range(90):
        page = sample_page(text=f"words of page {number}", url=f"https://a.test/{number}")
        training.expect({number + 1}, number < 30)
        training.see(number + 1, 0, page, relevant=True)
    assert "6 pages found for the topic and 60 for other subjects" in training.teach()
    assert judge.counts == (6, 60)


def test_nothing_is_searched_for_training_when_examples_are_given():
    assert JudgeTraining(judge=BayesJudge()).wanted
    assert not JudgeTraining(judge=BayesJudge(), has_examples=True).wanted


def test_the_results_asked_for_keep_the_proportion_and_name_the_users_subjects():
    seek = SeekTable(others=["cooking", "tax law"])
    queries = initial_queries("music", seek, 880, learns=True, trains=True)
    topic = sum(each.count for each in queries if each.why != OTHERS)
    others = [each for each in queries if each.why == OTHERS]
    assert [each.text for each in others] == ["cooking", "tax law"]
    assert 8 <= sum(each.count for each in others) / topic <= 11


@pytest.mark.parametrize(
    ("topic", "lang", "near"),
    [
        ("music", "en", "violin"), ("Chamber music of Vienna", "en", "violin"), ("baseball", "en", "football"),
        ("Musik der Renaissance", "de", "Geige"), ("音楽", "ja", "バイオリン"), ("音乐", "zh", "小提琴"),
        ("música", "es", "violín"), ("Volcanoes", "en", "volcano"), ("lighthouses", "en", None),
        ("yankees", "en", None),
    ],
)  # fmt: skip
def test_no_subject_of_the_other_side_is_near_the_topic(topic, lang, near):
    assert [each for each in SUBJECTS[lang] if each not in unrelated_topics(topic, lang)] == [near] * bool(
        near
    )
