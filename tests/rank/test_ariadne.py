"""The learning link classifier: what it says at first, what it learns, when, and that its sums are right."""

import math
import time
from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest

from clew import urls
from clew.contracts import LinearRanker, Persistent
from clew.errors import ConfigError
from clew.rank.baselines.ariadne import GROUPS, Ariadne
from clew.rank.shared.link_tokens import BINS, EXPLORATION, EXPLORED, FIRST_HASHED, LinkTokens, token_id
from clew.rank.shared.token_stats import TokenStats
from clew.rank.shared.training_set import LABEL_WEIGHT, TrainingSet
from clew.testing import check_ranker, sample_outcome, sample_page
from clew.types import Label, Outcome, Verdict

from .graphs import links
from .test_all_policies import GOAL, web


def read(url, value, *, id=1, parent=0, anchor="", title="", text=""):
    """Return a page as the mind hands it over: with the link that led to it."""
    page = sample_page(url, title=title, text=text)
    link = replace(page.link, id=id, parent=parent, anchor=anchor, depth=int(bool(parent)))
    return Outcome(replace(page, response=replace(page.response, link=link)), Verdict(value))


def taught(ranker, cases, *, source=0.5):
    """Let a ranker read a page and follow links from it: (address, text, verdict) each."""
    ranker.learn(read("https://s.test/", source, id=1))
    for number_, (url, anchor, value) in enumerate(cases, 2):
        ranker.learn(read(url, value, id=number_, parent=1, anchor=anchor))
    ranker.weights()
    return ranker


def chances(ranker, url, anchor="", source=0.5, page="https://s.test/"):
    """Return the score of one link."""
    return float(ranker.score(read(page, source), links((url, anchor)))[0])


REPORTS = [(f"https://s.test/reports/{n}.html", f"turbine report {n}", 0.9) for n in range(20)]
RECIPES = [(f"https://s.test/kitchen/{n}.html", f"soup recipe {n}", 0.0) for n in range(20)]


def test_it_keeps_its_promises():
    ranker = Ariadne(**GOAL)
    check_ranker(ranker)
    assert isinstance(ranker, LinearRanker)
    assert isinstance(ranker, Persistent)


def test_at_first_scores_come_from_goal_words_and_source_page():
    ranker = Ariadne(about="wind permits")
    plain = chances(ranker, "https://a.test/x")
    assert chances(ranker, "https://a.test/x", "Windfarm") > plain
    assert chances(ranker, "https://a.test/permits/x") > plain
    assert (
        chances(ranker, "https://a.test/x", source=0.9)
        > plain
        > chances(ranker, "https://a.test/x", source=0.0)
        > 0
    )
    both = chances(ranker, "https://a.test/x", "Wind permits")
    assert both > chances(ranker, "https://a.test/x", "Windfarm")


def test_pieces_of_an_unspaced_word_share_its_odds():
    ranker = Ariadne(about="風力発電")
    ((explained,),) = [ranker.explain_terms(sample_outcome(0.5), links(("https://a.test/", "風力発電")))]
    odds = [value for word, value in explained["link text"] if word != "base rate"]
    assert len(odds) == 3
    assert sum(odds) == pytest.approx(2.0, abs=0.01)


def test_it_learns_words_and_folders_from_what_links_led_to():
    ranker = taught(Ariadne(about="permits"), [*REPORTS, *RECIPES])
    good = chances(ranker, "https://s.test/reports/99.html", "turbine report 99")
    bad = chances(ranker, "https://s.test/kitchen/99.html", "soup recipe 99")
    assert good > 0.6
    assert 0 < bad < 0.25
    # Text alone, address alone: each was learned.
    assert chances(ranker, "https://t.test/1", "turbine") > chances(ranker, "https://t.test/1", "soup")
    assert chances(ranker, "https://s.test/reports/9/x") > chances(ranker, "https://s.test/kitchen/9/x")


def test_verdicts_count_softly():
    warm = taught(Ariadne(), [(url, text, 0.4) for url, text, _ in REPORTS] + RECIPES)
    cold = taught(Ariadne(), [(url, text, 0.1) for url, text, _ in REPORTS] + RECIPES)
    link = "https://s.test/reports/99.html", "turbine report"
    assert chances(warm, *link) > chances(cold, *link) + 0.1  # though both lie below one half


def test_a_page_that_led_to_good_ones_is_a_good_source():
    ranker = Ariadne()
    for id, host in ((1, "hub"), (2, "desert")):
        ranker.learn(read(f"https://{host}.test/", 0.0, id=id))
    for n in range(40):
        good = n % 2 == 0
        ranker.learn(read(f"https://x{n}.test/", float(good), id=10 + n, parent=1 if good else 2))
    ranker.weights()
    hub = chances(ranker, "https://new.test/", page="https://hub.test/", source=0.0)
    desert = chances(ranker, "https://new.test/", page="https://desert.test/", source=0.0)
    unknown = chances(ranker, "https://new.test/", page="https://other.test/", source=0.0)
    assert hub > unknown + 0.1 > unknown > desert


def test_nested_folders_are_smoothed_towards_their_parent():
    evidence = TokenStats()
    tokens = LinkTokens()
    rows = [
        [
            evidence.register("address", token)
            for token, _ in tokens.url_tokens(url).values()
            if token[0] == "/"
        ]
        for url in ("https://a.test/x/y/1", "https://a.test/x/z/1")
    ]
    evidence.count(
        np.array(rows * 50, np.uint32), np.array([1, 0] * 50, np.float32), np.ones(100, np.float32)
    )
    table = evidence.table(0.2)
    odds = {url: table[row].sum() for url, row in zip("yz", rows, strict=True)}
    assert odds["y"] > 2 > -1 > odds["z"]
    unseen = [evidence.register("address", "//a.test/x/w/")]
    assert table[unseen].sum() == 0  # then what is known of /x/ holds


def test_examples_weigh_tokens_that_are_rare_among_links():
    good = tuple(f"https://a.test/en/wind/{n}" for n in range(5))
    ranker = Ariadne(good=good)
    everywhere = [(f"https://a.test/en/{w}/{n}", "") for w in ("jobs", "press", "shop") for n in range(100)]
    ranker.score(read("https://a.test/", 0.2), links(*everywhere))
    ranker.learn(read("https://a.test/", 0.2))
    assert ranker.weights() is not None
    assert chances(ranker, "https://a.test/en/wind/9") > chances(ranker, "https://a.test/en/jobs/9") + 0.05
    (explained,) = ranker.explain_terms(read("https://a.test/", 0.2), links(("https://a.test/en/wind/9", "")))
    address = dict(explained["URL"])
    assert address["//a.test/en/wind/"] > 1
    assert abs(address.get("//a.test", 0)) < 0.5  # every link says that


def test_titles_of_examples_count_as_link_texts():
    ranker = Ariadne(good=("https://a.test/1",))
    ranker.learn_label(
        Label("https://a.test/1", relevant=True, at=0), sample_page("https://a.test/1", title="Kittiwakes")
    )
    assert ranker.weights() is not None
    assert chances(ranker, "https://b.test/", "Kittiwakes") > chances(ranker, "https://b.test/", "Gulls")


def test_scores_equal_the_sum_done_by_hand():
    ranker = taught(Ariadne(about="turbine"), [*REPORTS, *RECIPES])
    weights = ranker.weights() or ranker.current_weights()
    source, some = read("https://s.test/", 0.4), links(("https://s.test/reports/7.html", "turbine soup"))
    row = ranker.features(source, some)[0]
    at, total = 0, 0.0
    for family in weights.groups:
        odds = family.offset + sum(float(weights.table[token]) for token in row[at : at + family.columns])
        total += family.weight / (1 + math.exp(-odds))
        at += family.columns
    assert at == len(row) == 24
    assert float(ranker.score(source, some)[0]) == pytest.approx(total, abs=1e-5)
    assert sum(family.weight for family in weights.groups) == pytest.approx(1)
    assert weights.table[0] == 0


def test_reasons_add_up_to_each_feature_group():
    ranker = taught(Ariadne(about="turbine"), [*REPORTS, *RECIPES])
    ranker.weights()
    source = read("https://s.test/", 0.4)
    some = links(("https://s.test/reports/7.html", "turbine soup"), ("https://n.test/", "turbine " * 60))
    explained = ranker.explain_terms(source, some)
    witnesses = ranker.group_chances(ranker.features(source, some))
    for story, chance in zip(explained, witnesses, strict=True):
        assert list(story) == [family.name for family in GROUPS]
        for words, value in zip(story.values(), chance, strict=True):
            assert 1 / (1 + math.exp(-sum(odds for _, odds in words))) == pytest.approx(
                float(value), abs=1e-4
            )
    text = dict(explained[0]["link text"])
    assert text["turbine"] > 0 > text["soup"]
    assert "//s.test/reports/" in dict(explained[0]["URL"])


def test_features_are_the_same_at_any_time():
    fresh, old = (
        Ariadne(about="turbine", seed=3),
        taught(Ariadne(about="turbine", seed=3), [*REPORTS, *RECIPES]),
    )
    source, some = (
        read("https://s.test/", 0.4),
        links(*[(f"https://s.test/a/{n}", f"turbine {n}") for n in range(50)]),
    )
    assert np.array_equal(fresh.features(source, some), old.features(source, some))


def test_bad_links_are_followed_until_the_first_refit():
    ranker = Ariadne(bad_links=0.2, seed=4)
    some = links(*[(f"https://s.test/{n}", "") for n in range(10)])
    explored = [
        (ranker.features(read(f"https://s.test/p{n}", 0.1), some) == EXPLORED).any(axis=1) for n in range(300)
    ]
    assert max(each.sum() for each in explored) == 1
    assert 30 < sum(each.sum() for each in explored) < 90
    page = next(n for n, each in enumerate(explored) if each.any())
    lucky = int(np.argmax(explored[page]))
    scores = ranker.score(read(f"https://s.test/p{page}", 0.1), some)
    assert np.argmax(scores) == lucky
    assert scores[lucky] > 0.9
    taught(ranker, [*REPORTS, *RECIPES])
    ranker.weights()
    scores = ranker.score(read(f"https://s.test/p{page}", 0.1), some)
    assert scores[lucky] < 0.5
    other = Ariadne(bad_links=0.2, seed=5)
    again = [
        (other.features(read(f"https://s.test/p{n}", 0.1), some) == EXPLORED).any(axis=1) for n in range(300)
    ]
    assert not np.array_equal(explored, again)


def test_the_bad_link_is_the_one_that_looks_worst():
    ranker = Ariadne(about="turbine permits", bad_links=1.0)
    words = ["turbine permits", "permits", "turbine", "contact us", "turbine permits again"]
    some = links(*[(f"https://s.test/{n}", word) for n, word in enumerate(words)])
    for page in range(5):
        explored = (ranker.features(read(f"https://s.test/p{page}", 0.1), some) == EXPLORED).any(axis=1)
        assert np.flatnonzero(explored).tolist() == [3]


@pytest.mark.parametrize(("adapt", "least", "most"), [("never", 0, 0), ("once", 1, 1), ("often", 2, 12)])
def test_how_often_it_adapts(adapt, least, most):
    ranker = Ariadne(adapt=adapt)
    assert ranker.weights() is not None
    changes = 0
    for n, (url, anchor, value) in enumerate([*REPORTS, *RECIPES] * 5, 2):
        ranker.learn(read(f"{url}?{n}", value, id=n, parent=1, anchor=anchor))
        changes += ranker.weights() is not None
    assert least <= changes <= most
    assert ranker.refits == changes


def test_it_refits_by_prediction_error_and_not_by_page_count():
    def changes(values):
        ranker = taught(Ariadne(), [*REPORTS, *RECIPES])
        ranker.weights()
        count = 0
        for n, (url, anchor, value) in enumerate(values, 100):
            ranker.learn(read(f"{url}?{n}", value, id=n, parent=1, anchor=anchor))
            count += ranker.weights() is not None
        return count

    as_before = changes([*REPORTS, *RECIPES] * 3)
    turned = changes([(url, text, 0.9 - value) for url, text, value in [*REPORTS, *RECIPES] * 3])
    assert turned > 2 * max(1, as_before)


def test_an_unknown_adapt_setting_is_named_with_a_hint():
    with pytest.raises(ConfigError, match="choose one of never, once, often"):
        Ariadne(adapt="always").weights()


def test_a_label_counts_more_and_at_once():
    ranker = taught(Ariadne(), [*REPORTS, *RECIPES])
    ranker.weights()
    before = chances(ranker, "https://s.test/kitchen/99.html", "soup recipe")
    for n in range(3):
        page = read(
            f"https://s.test/kitchen/{n}.html", 0.0, id=22 + n, parent=1, anchor=f"soup recipe {n}"
        ).page
        ranker.learn_label(Label(page.url, relevant=True, at=0), page)
        assert ranker.weights() is not None
    after = chances(ranker, "https://s.test/kitchen/99.html", "soup recipe")
    assert after > before + 0.1
    # What the judge says of that page later does not take the word back.
    ranker.learn(read("https://s.test/kitchen/0.html", 0.0, id=22, parent=1, anchor="soup recipe 0"))
    assert ranker.training.verdict(urls.fingerprint("https://s.test/kitchen/0.html")) == 1


def test_easy_and_hard_cases_are_both_chosen():
    experience = TrainingSet(columns=24, groups=3, between=0.0)
    rng = np.random.default_rng(1)
    scores, verdicts = rng.random(200), rng.random(200)
    for n in range(200):
        experience.add(n, np.zeros(24, np.uint32), np.zeros(3, np.float32), scores[n], verdicts[n])
    experience.add_label(7, np.zeros(24, np.uint32), relevant=True)
    chosen = experience.sample_weights()
    off = np.abs(scores.astype(np.float32) - experience.verdicts)
    assert chosen[7] == LABEL_WEIGHT
    assert (chosen[np.argsort(off)[:75]] > 0).all()
    assert (chosen[np.argsort(off)[-75:]] > 0).all()
    assert 30 <= (chosen == 0).sum() <= 42


def test_the_feature_group_that_was_right_gets_more_weight():
    experience = TrainingSet(columns=24, groups=3)
    rng = np.random.default_rng(2)
    for n in range(400):
        verdict = float(rng.random() < 0.3)
        chances = np.array([rng.random(), 0.1 + 0.8 * verdict, rng.random()], np.float32)
        experience.add(n, np.zeros(24, np.uint32), chances, float(chances.mean()), verdict)
    weights = experience.fit_weights((0.4, 0.4, 0.2))
    assert weights[1] > 0.7
    assert min(weights) >= 0.04
    assert sum(weights) == pytest.approx(1)


def test_old_training_rows_are_merged_into_counts(monkeypatch):
    monkeypatch.setattr("clew.rank.shared.training_set.CAPACITY", 40)
    ranker, plain = Ariadne(bad_links=0), Ariadne(bad_links=0)
    cases = [(f"{url}?{n}", text, value) for n in range(3) for url, text, value in [*REPORTS, *RECIPES]]
    taught(ranker, cases)
    ranker.weights()
    assert len(ranker.training) < 100
    monkeypatch.setattr("clew.rank.shared.training_set.CAPACITY", 10_000)
    taught(plain, cases)
    plain.weights()
    (good, seen), (g, s) = ranker.training_counts(), plain.training_counts()
    assert np.allclose(ranker.stats.seen + seen, s, atol=1e-3)
    assert np.allclose(ranker.stats.relevant + good, g, atol=1e-3)


def test_prior_terms_raise_and_lower_scores():
    ranker = Ariadne()
    ranker.set_priors({"kittiwake": 4.0, "recipe": -2.0})
    assert ranker.weights() is not None
    a = "https://a.test/x"
    assert chances(ranker, a, "Kittiwakes") > chances(ranker, a, "Gulls") > chances(ranker, a, "Recipes")
    Ariadne().set_priors({})


def test_unusual_links_cause_no_error():
    ranker = Ariadne(about="wind")
    odd = links(
        ("https://a.test", ""), ("https://a.test/" + "x/" * 500, "w " * 5_000), ("https://a.test/?" + "a=" * 900, "\x00"),
        ("https://[::1]/%FF%FE/..%00", "\ud800"), ("https://a.test/.hidden", "..."), ("https://a.test/a.b.c.", "🌊" * 99),
    )  # fmt: skip
    ranker.learn(read("https://a.test", 0.5))
    scores = ranker.score(read("https://a.test", 0.5), odd)
    assert ((scores > 0) & (scores < 1)).all()
    ranker.explain_terms(read("https://a.test", 0.5), odd)
    for n, (url, anchor) in enumerate(zip(odd.urls, odd.anchors, strict=True), 2):
        ranker.learn(read(url, 0.5, id=n, parent=1, anchor=anchor))


def test_numbers_are_the_same_on_every_computer():
    assert token_id("text", "wind") == FIRST_HASHED + crc32(b"text wind") % (BINS - FIRST_HASHED)
    assert token_id("page", "judged 0.50") == 10
    assert token_id("text", "wind") != token_id("address", "wind")


def test_features_cost_little():
    pages = list(web(300, 50))
    ranker = Ariadne(**GOAL)
    for outcome, some in pages[:20]:
        ranker.features(outcome, some)
    began = time.process_time()
    for outcome, some in pages[20:]:
        ranker.features(outcome, some)
    each = (time.process_time() - began) / (280 * 50)
    assert each < 60e-6, f"{each * 1e6:.0f} µs a link"  # 12 on a quiet machine


def test_a_link_followed_to_learn_says_so():
    ranker = Ariadne(bad_links=1.0, **GOAL)
    for outcome, some in web(60, 5):
        ranker.learn(outcome)
        ranker.score(outcome, some)
    outcome, some = next(iter(web(1, 5)))
    columns = sum(group.columns for group in ranker.current_weights().groups)
    features = np.zeros((len(some), columns), np.uint32)
    features[1, ranker.current_weights().groups[0].columns - 1] = EXPLORED
    explained = ranker.explain_terms(outcome, some, features)
    told = [any(EXPLORATION in term for terms in each.values() for term, _ in terms) for each in explained]
    assert told == [False, True, False, False, False]
