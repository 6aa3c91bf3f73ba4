"""Signs in link texts, and the policy that follows nothing else: yokoji."""

import numpy as np
import pytest

from clew.domain.places.mention import names_place
from clew.errors import ConfigError
from clew.rank.layout.anchor_signals import AnchorSignals
from clew.rank.layout.yokoji import Yokoji
from clew.testing import check_ranker, sample_outcome
from tests.rank.graphs import Frontier, links


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("東京都の店舗", "jp"),
        ("札幌支店", "jp"),
        ("大阪", "jp"),
        ("小林市役所へのアクセス", "jp"),
        ("Filiale Köln", "de"),
        ("Standorte in Sachsen-Anhalt", "de"),
        ("Find us in Newcastle upon Tyne", "gb"),
        ("Northern Ireland", "gb"),
        ("New York office", "us"),
        ("Texas", "us"),
        ("Bureau de Marseille", "world"),
        ("名古屋", "world"),
    ],
)
def test_places_are_named(text, country):
    assert names_place(text, country)


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("会社概要", "jp"),
        ("Tokyo", "jp"),  # only as it is written there
        ("Über uns", "de"),
        ("Impressum", "de"),
        ("köln", "de"),  # names are written large
        ("Contact us", "gb"),
        ("home", "us"),
        ("", "jp"),
        ("", "world"),
        ("Of", "world"),
        ("x" * 100_000, "world"),
    ],
)
def test_other_words_name_no_place(text, country):
    assert not names_place(text, country)


def test_kyoto_is_not_found_inside_tokyo_to():
    assert names_place("京都", "jp")
    assert AnchorSignals(judge="place:jp").match(["東京都庁", "都庁"]).tolist() == [True, False]


def test_what_is_looked_for_follows_from_the_judge():
    texts = ["札幌", "Köln", "lighthouse", "soup"]
    held = lambda judge: AnchorSignals(about="lighthouses", judge=judge).match(texts).tolist()  # noqa: E731
    assert held("words") == held("") == held("my.module:Judge") == [False, False, True, False]
    assert held("place") == held("place:jp") == [True, False, False, False]
    assert held("any:place:jp,place:de") == [True, True, False, False]
    assert held("all:place:de,words") == [False, True, True, False]
    assert AnchorSignals(about="", judge="labels").match(texts).tolist() == [False] * 4


def test_an_unknown_country_is_named_with_a_hint():
    with pytest.raises(ConfigError, match="known: jp"):
        AnchorSignals(judge="place:xx").match(["a"])


def test_yokoji_has_three_scores():
    ranker = Yokoji(judge="place:jp")
    with_place = links(("https://a.test/1", "札幌支店"), ("https://a.test/2", "会社概要"))
    without = links(("https://a.test/3", "お問い合わせ"))
    assert ranker.score(sample_outcome(), with_place).tolist() == [1.0, 0.5]
    assert ranker.score(sample_outcome(), without).tolist() == [0.0]
    assert len(ranker.score(sample_outcome(), links(("https://a.test/", "")).take([]))) == 0
    check_ranker(ranker)
    check_ranker(Yokoji(about="page"))


def test_a_link_found_again_at_a_better_position_gets_the_higher_score():
    front = Frontier(Yokoji(judge="place:jp"))
    front.process("https://a.test/", 0.0, ("https://a.test/map", "地図"))
    assert front.score("https://a.test/map") == 0
    front.process("https://a.test/shops", 0.0, ("https://a.test/map", "地図"), ("https://a.test/1", "大阪店"))
    assert front.score("https://a.test/map") == 0.5


def test_parts_name_the_signal():
    parts = Yokoji(judge="place:jp").parts(sample_outcome(), links(("https://a.test/1", "札幌支店")))
    assert list(parts) == ["its link text names a place", "a link text of its page does"]
    assert np.allclose(sum(parts.values()), 1)


def test_stations_and_landmarks_are_places_if_they_are_asked_for():
    texts = [
        "三鷹駅南口店",
        "大通公園へのアクセス",
        "Standort am Hauptbahnhof",
        "London Bridge branch",
        "駅伝",
        "会社概要",
    ]
    for judge, strict in (("place:jp", False), ("place:de", True), ("place:gb", True)):
        with_them = AnchorSignals(judge=judge, strict=strict, landmarks=True).match(texts)
        assert with_them.tolist() == [True] * 4 + [False] * 2
    without = Yokoji(judge="place:jp", strict=True).score(sample_outcome(), links("a", "b"))
    assert without.tolist() == [0, 0]
    assert not AnchorSignals(judge="place:jp", strict=True).match(texts).any()
