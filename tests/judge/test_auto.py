"""The `auto` judge learns from pages without labels, and a restart changes nothing."""

import math
from dataclasses import replace

import numpy as np
import pytest

from clew.errors import ConfigError
from clew.judge.auto import ENOUGH_PAGES, REFIT_AT, AutoJudge
from clew.judge.page_sample import MAX_PAGES, SAMPLE_FILE, PageSample, SampledPage
from clew.judge.self_training import taught_share, train
from clew.judge.term_list import TERM_LIST_FILE, Term, write_terms
from clew.judge.term_vectors import bag_of
from clew.judge.words import WordsJudge
from clew.testing import check_judge, sample_page
from clew.types import Label

TOPIC = "lighthouse keeper lamp lens fog signal beacon tower shipping coast harbour rock storm oil wick"
SOUP = "onion soup kitchen butter cook pan salt bread plate dinner recipe pepper stove garlic spoon"
OTHER = "council meeting road budget school library parking election mayor bus traffic office street"


def page(words, number, *, margin="", drop=()):
    rng = np.random.default_rng(number)
    known = [word for word in words.split() if word not in drop]
    text = " ".join(rng.choice(known, 60))
    return replace(sample_page(f"https://{words[:4]}.test/{number}", text=text), lang="en", margin=margin)


def crawl(judge, pages):
    return [judge.judge(each).value for each in pages]


def web(count=100):
    return [page((TOPIC, OTHER, OTHER)[number % 3], number) for number in range(count)]


def test_it_passes_the_judge_checks():
    check_judge(AutoJudge())
    check_judge(AutoJudge(about="lighthouse"))
    check_judge(AutoJudge(about="灯台の許可"))


def test_a_page_without_the_goals_words_is_found_by_words_that_go_with_them():
    silent = page(TOPIC, 1000, drop=("lighthouse",))
    judge = AutoJudge(about="lighthouse")
    before = judge.judge(silent).value
    crawl(judge, web())
    verdict, other = judge.judge(silent), judge.judge(page(OTHER, 1001))
    assert before < 0.1
    assert verdict.value > other.value + 0.1
    assert "raised from" in verdict.why[-1]
    named = verdict.why[-1].split('"')[1::2]
    assert named
    assert set(named) <= set(TOPIC.split())


def test_learning_leaves_as_many_pages_above_the_line_as_the_words_of_the_goal():
    rare = [page(TOPIC if number % 12 == 0 else OTHER, number) for number in range(240)]
    rare = [replace(each, text=each.text.replace("lighthouse", "lamp", 3)) for each in rare]
    judge, words = AutoJudge(about="lighthouse beacon"), WordsJudge(about="lighthouse beacon")
    by_words = [words.judge(each).value >= 0.5 for each in rare]
    learned = [value >= 0.5 for value in crawl(judge, rare)]
    assert sum(by_words) >= 8
    assert sum(learned) >= sum(by_words)


def test_breadcrumbs_count_and_what_stands_on_every_page_does_not():
    judge = AutoJudge(about="lighthouse")
    everywhere = "home contact imprint"
    for number, each in enumerate(web(120)):
        crumb = "aids navigation" if number % 3 == 0 else "town hall"
        judge.judge(replace(each, margin=f"{everywhere} {crumb}"))
    bare = "notes and figures of the annual report in brief with a table and a list of names"
    values = [
        judge.judge(replace(sample_page(f"https://a.test/{at}", text=bare), lang="en", margin=margin)).value
        for at, margin in enumerate(("aids navigation", "town hall", everywhere))
    ]
    assert values[0] > values[2] > values[1] - 0.05
    assert values[0] > values[1] + 0.03


@pytest.mark.parametrize("stop", [7, 12, 33, 58, 90])
def test_a_restart_changes_no_verdict(tmp_path, stop):
    pages, example = web(140), page(TOPIC, 5000)
    whole, first, second = (AutoJudge(about="lighthouse beacon") for _ in range(3))
    for judge in (whole, first):
        judge.learn(Label(example.url, True, 1.0), example)
    expected = crawl(whole, pages)
    assert crawl(first, pages[:stop]) == expected[:stop]
    first.save(tmp_path)
    second.load(tmp_path)
    assert crawl(second, pages[stop:]) == pytest.approx(expected[stop:], abs=1e-9)


def test_earlier_pages_get_the_verdicts_of_the_latest_model():
    judge, pages, example = AutoJudge(about="lighthouse"), web(), page(TOPIC, 5000)
    judge.learn(Label(example.url, True, 1.0), example)
    judge.judge(example)
    assert not judge.take_revisions(), "nothing was learned without labels yet"
    first, revised = {}, {}
    for each in pages:
        first[each.url] = judge.judge(each).value
        if now := judge.take_revisions():
            revised = now
            assert list(now) == [url for url in first if url in now], "in the order in which they were read"
    assert example.url not in revised, "a label is no guess"
    fitted = REFIT_AT[7]
    again = {each.url: judge.judge(each).value for each in pages[:fitted]}
    assert not judge.take_revisions(), "they are returned once"
    early = [each.url for each in pages[:20]]
    assert [revised[url] for url in early] == pytest.approx([again[url] for url in early], abs=0.02)
    assert max(abs(revised[url] - first[url]) for url in early) > 0.1


def test_a_page_judged_again_gets_the_same_verdict_and_counts_once():
    judge = AutoJudge(about="lighthouse")
    for each in web(REFIT_AT[5] + 2):
        assert judge.judge(each) == judge.judge(each)
    with_example, example = AutoJudge(about="lighthouse"), page(TOPIC, 5000)
    with_example.learn(Label(example.url, True, 1.0), example)
    for each in web(ENOUGH_PAGES + 2):
        assert with_example.judge(each) == with_example.judge(each)
    again = AutoJudge(about="lighthouse")
    assert crawl(again, web(REFIT_AT[5] + 2)) == crawl(AutoJudge(about="lighthouse"), web(REFIT_AT[5] + 2))


def test_few_pages_read_make_no_page_relevant_that_only_resembles_the_examples(monkeypatch):
    """Until there are other pages to compare with, all pages of the examples' site look like them."""
    example, near_miss = page(TOPIC, 5000), page(f"{TOPIC} {OTHER}", 6000, drop=("lighthouse", "keeper"))
    pages, goal = [page(OTHER, number) for number in range(ENOUGH_PAGES)], "lighthouse keeper lamp lens fog"
    judges = [AutoJudge(about=goal) for _ in range(4)]
    for judge, read in zip(judges, (0, ENOUGH_PAGES // 4, ENOUGH_PAGES // 2, ENOUGH_PAGES), strict=True):
        judge.learn(Label(example.url, True, 1.0), example)
        crawl(judge, pages[:read])
    monkeypatch.setattr(AutoJudge, "_combined", lambda _judge, first, *_: first)  # words and examples alone
    by_words = WordsJudge(about=goal).judge(near_miss).value
    powers = []
    for judge in judges:
        mean = (by_words + judge._examples.judge(near_miss).value) / 2
        powers.append(math.log(judge.judge(near_miss).value) / math.log(mean))
    assert powers == pytest.approx([1.0, 0.875, 0.75, 0.5])


def test_labels_count_most_and_can_be_taken_back():
    judge, labelled = AutoJudge(about="lighthouse"), [page(SOUP, 2000 + number) for number in range(3)]
    crawl(judge, web())
    before = judge.judge(page(SOUP, 2100)).value
    for at, (relevant, least, most) in enumerate(((True, 0.5, 1.0), (False, 0.0, before + 0.02))):
        for each in labelled:
            judge.learn(Label(each.url, relevant, float(at)), each)
        assert least <= judge.judge(page(SOUP, 2100)).value <= most
    for each in labelled:
        judge.forget_label(each.url)
    assert judge.judge(page(SOUP, 2100)).value == pytest.approx(before, abs=0.05)


def test_a_struck_term_never_counts(tmp_path):
    marked = [replace(each, text=each.text + " zebra" * (at % 3 == 0)) for at, each in enumerate(web())]
    free, struck = AutoJudge(about="lighthouse"), AutoJudge(about="lighthouse")
    write_terms(tmp_path / TERM_LIST_FILE, [Term("zebra", 0, use="strike")])
    struck.load(tmp_path)
    for judge in (free, struck):
        crawl(judge, marked)
    plain = page(OTHER, 3000)
    with_it = replace(plain, response=page(OTHER, 3001).response, text=plain.text + " zebra")
    assert free.judge(with_it).value > free.judge(plain).value
    assert struck.judge(with_it).value == pytest.approx(struck.judge(plain).value)


def test_the_sample_stays_small_and_even():
    sample = PageSample()
    empty = SampledPage(bag_of(sample_page(text="")), None)
    for number in range(5 * MAX_PAGES):
        url = f"https://a.test/{number}"
        if sample.takes(url):
            sample.add(url, empty)
    numbers = [int(url.rpartition("/")[2]) for url in sample.pages]
    assert MAX_PAGES / 3 < len(sample) < MAX_PAGES
    assert abs(np.mean(numbers) / (5 * MAX_PAGES) - 0.5) < 0.1


def test_a_damaged_sample_is_refused_with_its_remedy(tmp_path):
    judge = AutoJudge(about="lighthouse")
    crawl(judge, web(20))
    judge.save(tmp_path)
    path = tmp_path / SAMPLE_FILE
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ConfigError, match="damaged"):
        AutoJudge(about="lighthouse").load(tmp_path)


SHOP = "lamp beacon shade sofa carpet price order delivery basket discount chair table store sale curtain"


def learned(good, bad):
    """Return the log-odds of a relevant page and of a near miss that guesses call relevant, after answers."""
    known = [page(TOPIC, 500 + n) for n in range(good)] + [page(SHOP, 600 + n) for n in range(bad)]
    guessed = [page((TOPIC, SHOP, OTHER)[n % 3], n) for n in range(150)]
    labels = np.array([1.0] * good + [0.0] * bad + [np.nan] * len(guessed))
    guesses = np.array([0.0] * len(known) + [(2.0, 2.0, -2.0)[n % 3] for n in range(len(guessed))])
    model = train([bag_of(each) for each in known + guessed], guesses, labels)
    return [model.score(bag_of(page(words, 900)))[0] for words in (TOPIC, SHOP)]


def test_a_few_answers_of_both_kinds_outweigh_many_wrong_guesses(monkeypatch):
    relevant, missed = learned(6, 6)
    assert relevant > 0 > missed
    monkeypatch.setattr("clew.judge.self_training.taught_share", lambda _good, _bad: 0.0)
    assert learned(6, 6)[1] > 0, "the guesses on fifty pages would drown six answers"


def test_answers_of_one_kind_alone_change_no_weight():
    assert taught_share(8, 0) == taught_share(0, 8) == 0
    assert taught_share(3, 3) < taught_share(6, 6) < taught_share(60, 60) < 1


def order_of(scores, truth):
    """Return the share of pairs of a relevant and an irrelevant page in the right order."""
    good, bad = scores[truth], scores[~truth]
    return float((np.sign(good[:, None] - bad) + 1).mean() / 2)


def test_labels_that_do_not_predict_each_other_leave_the_verdicts_on_other_pages_in_charge():
    pages = [page((TOPIC, OTHER)[number % 2], number) for number in range(80)]
    bags, truth = [bag_of(each) for each in pages], np.arange(80) % 2 == 0
    guesses = np.where(truth, 1.0, -1.0)
    by_chance = np.full(80, np.nan)
    by_chance[:24] = np.random.default_rng(5).permutation([1.0] * 12 + [0.0] * 12)
    sensible = np.full(80, np.nan)
    sensible[:24] = truth[:24]
    trusted, distrusted = train(bags, guesses, sensible), train(bags, guesses, by_chance)
    assert trusted.taught == taught_share(12, 12)
    assert distrusted.taught < trusted.taught / 2
    scores = np.array([distrusted.score(bag)[0] for bag in bags])
    assert order_of(scores[24:], truth[24:]) > 0.95


def test_labels_against_all_verdicts_on_other_pages_count_if_they_agree_with_each_other():
    pages = [page((TOPIC, OTHER)[number % 2], number) for number in range(80)]
    bags, truth = [bag_of(each) for each in pages], np.arange(80) % 2 == 0
    labels = np.full(80, np.nan)
    labels[:24] = truth[:24]
    model = train(bags, np.where(truth, -1.0, 1.0), labels)
    scores = np.array([model.score(bag)[0] for bag in bags])
    assert order_of(scores[24:], truth[24:]) > 0.95


def test_the_crawls_words_count_more_after_answers_of_both_kinds():
    judge = AutoJudge(about="lighthouse")
    crawl(judge, web())
    silent = page(TOPIC, 1000, drop=("lighthouse",))
    before = judge._averaged(-2.0, 2.0)
    for number in range(6):
        for words in (TOPIC, OTHER):
            each = page(words, 500 + number)
            judge.learn(Label(each.url, words is TOPIC, float(number)), each)
    judge.judge(silent)
    assert judge._averaged(-2.0, 2.0) > before + 0.5
