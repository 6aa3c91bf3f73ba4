"""The site classifier: training on labelled sites, saving and loading."""

import numpy as np
import pytest

from clew.domain.sites.site_classifier import (
    CLASSIFIER_FILE,
    SiteExample,
    count_text_terms,
    load_classifier,
    train_classifier,
)
from clew.domain.sites.site_training import MAX_PAGES_PER_SITE, MAX_SITES, SiteTraining
from clew.errors import ConfigError
from clew.testing import sample_page


def page_of(site, good, rng):
    """Return a page with words of one class and the name of its site."""
    words = ["table", "figure", "percent"] if good else ["recipe", "holiday", "gossip"]
    chosen = [words[int(rng.integers(3))] for _ in range(4)] + ["about", "contact", site]
    return SiteExample(site, good, {word: chosen.count(word) for word in chosen})


def sites_of(good, bad, pages=3):
    rng = np.random.default_rng(1)
    names = [(f"good{n}", True) for n in range(good)] + [(f"bad{n}", False) for n in range(bad)]
    return [page_of(name, side, rng) for name, side in names for _ in range(pages)]


def test_words_of_one_class_raise_its_chance():
    classifier = train_classifier(sites_of(6, 30))
    assert classifier.chance({"table": 2, "percent": 1}) > 0.75
    assert classifier.chance({"recipe": 2, "gossip": 1}) < 0.25
    assert classifier.chance({"zebra": 9}) == 0.5
    assert len(classifier.sites) == 36
    assert classifier.pages == 108


def test_a_name_of_a_single_site_is_not_learned():
    classifier = train_classifier(sites_of(4, 4))
    assert not any(term.startswith(("good", "bad")) for term in classifier.weights)
    assert "table" in classifier.weights


def test_few_sites_of_one_class_weigh_as_much_as_many_of_the_other():
    lopsided = train_classifier(sites_of(3, 60))
    assert lopsided.chance({"table": 1, "about": 1, "contact": 1}) > 0.8
    assert lopsided.chance({"recipe": 1, "about": 1, "contact": 1}) < 0.2


def test_a_support_vector_machine_tells_the_classes_apart_at_unequal_numbers():
    machine = train_classifier(sites_of(4, 60), "svm")
    regression = train_classifier(sites_of(4, 60))
    assert machine.chance({"table": 2, "percent": 1}) > 0.75
    assert machine.chance({"recipe": 2, "gossip": 1}) < 0.25
    assert machine.weights["table"] != pytest.approx(regression.weights["table"], rel=0.01)


def test_words_that_say_nothing_of_a_site_give_no_classifier():
    # Word and class are independent; with each site left out, its own word points the other way.
    pages = [
        SiteExample(f"{word}{good}{n}", good, {word: 1, "about": 1})
        for word in ("table", "recipe")
        for good in (True, False)
        for n in range(3)
    ]
    assert train_classifier(pages) is None
    assert train_classifier(pages, "svm") is None


def test_verdicts_on_sites_it_was_not_trained_on_are_measured_and_saved(tmp_path):
    pages = sites_of(6, 20)
    odd = SiteExample("odd", False, {"table": 3, "figure": 2, "about": 1})
    classifier = train_classifier([*pages, odd])
    assert classifier.held_out.recall == 1.0
    assert classifier.held_out.precision == pytest.approx(6 / 7)
    assert classifier.held_out.accuracy == pytest.approx(26 / 27)
    classifier.save(tmp_path)
    assert load_classifier(tmp_path).held_out.precision == pytest.approx(6 / 7, abs=1e-4)


def test_japanese_pages_are_counted_by_their_nouns():
    counts = count_text_terms("統計を公開しています。統計の更新は終わりました。", "ja")
    assert counts["統計"] == 2
    assert "を公" not in counts


def test_too_few_sites_give_no_classifier():
    assert train_classifier(sites_of(2, 30)) is None
    assert train_classifier([]) is None


def test_chances_are_calibrated_on_sites_that_were_not_seen():
    rng = np.random.default_rng(5)
    noisy = []
    for number in range(80):
        good = number % 2 == 0
        for _ in range(3):
            shown = good if rng.random() < 0.7 else not good
            noisy.append(SiteExample(f"s{number}", good, page_of("x", shown, rng).counts))
    classifier = train_classifier(noisy)
    fresh = [(page_of("y", side, rng).counts, side) for side in (True, False) for _ in range(200)]
    chances = np.array([classifier.chance(counts) for counts, _ in fresh])
    assert 0.6 < chances[:200].mean() < 0.8  # the words are right seven times in ten


def test_it_is_saved_and_loaded_unchanged(tmp_path):
    classifier = train_classifier(sites_of(5, 5))
    classifier.save(tmp_path)
    again = load_classifier(tmp_path)
    for counts in ({"table": 1}, {"recipe": 3, "table": 1}, {}):
        assert again.chance(counts) == pytest.approx(classifier.chance(counts), abs=1e-3)
    assert "table" in (tmp_path / CLASSIFIER_FILE).read_text("utf-8")
    assert load_classifier(tmp_path / "nowhere") is None


def test_a_damaged_file_is_named_with_a_hint(tmp_path):
    train_classifier(sites_of(5, 5)).save(tmp_path)
    path = tmp_path / CLASSIFIER_FILE
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ConfigError, match="delete the file to learn again"):
        load_classifier(tmp_path)


def test_a_crawl_learns_from_sites_it_has_decided():
    training = SiteTraining()
    decided = {}
    for number in range(8):
        good = number % 2 == 0
        text = "tables figures percent " if good else "recipes holidays gossip "
        assert training.add_page(f"s{number}", sample_page(text=text * 5)) is None
        decided[f"s{number}"] = good
    assert training.retrain(decided)
    assert training.add_page("new", sample_page(text="percent of all figures")) > 0.6
    assert training.add_page("other", sample_page(text="gossip about holidays")) < 0.4
    assert not training.retrain(decided)  # nothing new was decided
    assert training.chances("s0")[0] > 0.6


def test_stored_training_pages_are_bounded():
    training = SiteTraining()
    for number in range(MAX_SITES + 20):
        for _ in range(MAX_PAGES_PER_SITE + 2):
            training.add_page(f"s{number}", sample_page(text="some words"))
    assert len(training.pages) == MAX_SITES
    assert max(map(len, training.pages.values())) == MAX_PAGES_PER_SITE


def test_a_better_classifier_from_elsewhere_is_kept_until_this_crawl_knows_more(tmp_path):
    train_classifier(sites_of(20, 20)).save(tmp_path)
    inherited = load_classifier(tmp_path)
    assert len(inherited.sites) == 40
    rng = np.random.default_rng(3)
    mixed = ["table", "figure", "percent", "recipe", "holiday", "gossip"]

    def own(count, strength):
        """Return pages of new sites; `strength` of their words tell the class."""
        names = [(f"own{n}", n % 2 == 0) for n in range(count)]
        pages = []
        for name, good in names:
            telling = mixed[:3] if good else mixed[3:]
            words = [(telling if rng.random() < strength else mixed)[int(rng.integers(3))] for _ in range(6)]
            pages.append(SiteExample(name, good, {word: words.count(word) for word in words}))
        return pages

    assert train_classifier(own(8, 0.9), current=inherited) is inherited  # eight sites teach less than forty
    other = [
        SiteExample(f"new{n}", n % 2 == 0, {"tabelle" if n % 2 == 0 else "rezept": 3}) for n in range(12)
    ]
    assert train_classifier(other, current=inherited) is not inherited  # its words say nothing here


def test_sites_a_classifier_was_trained_on_are_no_proof_for_it():
    first = train_classifier(sites_of(5, 5))
    again = train_classifier(sites_of(5, 5), current=first)
    assert again is not first  # all of these sites are its own


def test_a_classifier_of_more_sites_is_kept_where_all_sites_are_among_them():
    many = sites_of(20, 20)
    inherited = train_classifier(many)
    few = {example.site for example in many if example.good}, {e.site for e in many if not e.good}
    chosen = {*sorted(few[0])[:4], *sorted(few[1])[:4]}
    some = [example for example in many if example.site in chosen]
    assert train_classifier(some, current=inherited) is inherited
