"""From a page to its site: what is learned from sites that are known, kept in a file, and read again."""

import numpy as np
import pytest

from clew.domain.sites.site_classifier import FILE, SiteExample, load_classifier, train_classifier
from clew.domain.sites.site_training import EACH, SITES, SiteTraining
from clew.errors import ConfigError
from clew.testing import sample_page


def page_of(site, good, dice):
    """Return a page whose words lean to one side, with the name of its site on it."""
    words = ["table", "figure", "percent"] if good else ["recipe", "holiday", "gossip"]
    said = [words[int(dice.integers(3))] for _ in range(4)] + ["about", "contact", site]
    return SiteExample(site, good, {word: said.count(word) for word in said})


def sites_of(good, bad, pages=3):
    dice = np.random.default_rng(1)
    names = [(f"good{n}", True) for n in range(good)] + [(f"bad{n}", False) for n in range(bad)]
    return [page_of(name, side, dice) for name, side in names for _ in range(pages)]


def test_words_of_one_side_speak_for_it():
    reader = train_classifier(sites_of(6, 30))
    assert reader.chance({"table": 2, "percent": 1}) > 0.75
    assert reader.chance({"recipe": 2, "gossip": 1}) < 0.25
    assert reader.chance({"zebra": 9}) == 0.5
    assert reader.sites == 36
    assert reader.pages == 108


def test_a_name_of_a_single_site_is_not_learned():
    reader = train_classifier(sites_of(4, 4))
    assert not any(term.startswith(("good", "bad")) for term in reader.weights)
    assert "table" in reader.weights


def test_few_sites_on_one_side_weigh_as_much_as_many_on_the_other():
    lopsided = train_classifier(sites_of(3, 60))
    assert lopsided.chance({"table": 1, "about": 1, "contact": 1}) > 0.8
    assert lopsided.chance({"recipe": 1, "about": 1, "contact": 1}) < 0.2


def test_nothing_is_learned_from_too_few():
    assert train_classifier(sites_of(2, 30)) is None
    assert train_classifier([]) is None


def test_chances_are_calibrated_on_sites_that_were_not_seen():
    dice = np.random.default_rng(5)
    noisy = []
    for number in range(80):
        good = number % 2 == 0
        for _ in range(3):
            shown = good if dice.random() < 0.7 else not good
            noisy.append(SiteExample(f"s{number}", good, page_of("x", shown, dice).counts))
    reader = train_classifier(noisy)
    fresh = [(page_of("y", side, dice).counts, side) for side in (True, False) for _ in range(200)]
    said = np.array([reader.chance(counts) for counts, _ in fresh])
    assert 0.6 < said[:200].mean() < 0.8  # the words are right seven times in ten, and no surer than that


def test_it_is_kept_in_a_file_that_reads_back_the_same(tmp_path):
    reader = train_classifier(sites_of(5, 5))
    reader.save(tmp_path)
    again = load_classifier(tmp_path)
    for counts in ({"table": 1}, {"recipe": 3, "table": 1}, {}):
        assert again.chance(counts) == pytest.approx(reader.chance(counts), abs=1e-3)
    assert "table" in (tmp_path / FILE).read_text("utf-8")
    assert load_classifier(tmp_path / "nowhere") is None


def test_a_damaged_file_is_named_with_its_cure(tmp_path):
    train_classifier(sites_of(5, 5)).save(tmp_path)
    path = tmp_path / FILE
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ConfigError, match="delete the file to learn anew"):
        load_classifier(tmp_path)


def test_a_crawl_learns_from_sites_it_has_decided():
    lessons = SiteTraining()
    decided = {}
    for number in range(8):
        good = number % 2 == 0
        text = "tables figures percent " if good else "recipes holidays gossip "
        assert lessons.add_page(f"s{number}", sample_page(text=text * 5)) is None
        decided[f"s{number}"] = good
    assert lessons.retrain(decided)
    assert lessons.add_page("new", sample_page(text="percent of all figures")) > 0.6
    assert lessons.add_page("other", sample_page(text="gossip about holidays")) < 0.4
    assert not lessons.retrain(decided)  # nothing new was decided
    assert lessons.chances("s0")[0] > 0.6


def test_pages_kept_to_learn_from_are_bounded():
    lessons = SiteTraining()
    for number in range(SITES + 20):
        for _ in range(EACH + 2):
            lessons.add_page(f"s{number}", sample_page(text="some words"))
    assert len(lessons.pages) == SITES
    assert max(map(len, lessons.pages.values())) == EACH
