"""Stations and institutions of Japan, which are places with `place:jp+landmarks` only."""

import pytest

from clew.domain.places import LANDMARKS, checked_country, find
from clew.extract.places import PlaceExtractor
from clew.judge.place import PlaceJudge
from clew.rank.layout.anchor_signals import AnchorSignals
from clew.rank.layout.yokoji import Yokoji
from clew.testing import sample_links, sample_outcome, sample_page


@pytest.mark.parametrize(
    ("text", "name", "region", "city"),
    [
        ("三鷹駅から徒歩5分", "三鷹駅", "東京都", "三鷹市"),
        ("地下鉄南北線札幌駅下車", "札幌駅", "北海道", "札幌市"),
        ("JR新横浜駅より徒歩", "新横浜駅", "神奈川県", "横浜市"),
        ("渋谷駅東口", "渋谷駅", "東京都", "渋谷区"),
        ("会場は札幌市役所の一階です", "札幌市役所", "北海道", "札幌市中央区"),
        ("彫刻の森美術館を見る", "彫刻の森美術館", "神奈川県", "足柄下郡箱根町"),
    ],
)
def test_a_name_says_where_it_is(text, name, region, city):
    (place,) = find(text, LANDMARKS)
    assert (place.text, place.region, place.city) == (name, region, city)
    assert place.confidence >= 0.5
    assert find(text, "jp") == []


def test_an_institution_has_its_address():
    (place,) = find("札幌市役所", LANDMARKS)
    assert (place.town, place.postal) == ("北一条西", "060-8611")
    assert place.latitude == pytest.approx(43.06, abs=0.05)


@pytest.mark.parametrize(
    "text",
    [
        "箱根駅伝で優勝",
        "府中駅から徒歩",
        "中央病院",
        "医学図書館",
        "駅から徒歩5分",
        "株式会社日本経済新聞社札幌支社",
        "Euston Station",
    ],
)
def test_names_of_several_places_or_of_none(text):
    assert [place for place in find(text, LANDMARKS) if place.confidence >= 0.5] == []


def test_a_station_that_is_only_mentioned_is_no_place_of_the_page():
    (place,) = find("秩父駅の思い出", LANDMARKS)
    assert place.confidence < 0.5


def test_an_address_counts_before_the_names_in_it():
    found = find("東京都三鷹市下連雀3丁目1 三鷹駅前ビル", LANDMARKS)
    assert (found[0].normal, found[0].confidence) == ("東京都三鷹市下連雀3-1", 0.98)
    assert [place.text for place in found if place.text.endswith("駅")] == ["三鷹駅"]


def test_judge_rows_and_policy_take_them_with_the_goal():
    page = sample_page(text="アクセス：三鷹駅から徒歩5分")
    assert PlaceJudge(of=LANDMARKS).judge(page).value == 0.7
    assert PlaceJudge(of="jp").judge(page).value == 0.0
    (row,) = PlaceExtractor(of=LANDMARKS).extract(page)
    assert dict(zip(row.columns, row.values, strict=True))["city"] == "三鷹市"
    strict = Yokoji(judge=f"place:{LANDMARKS}", strict=True)
    assert strict.score(sample_outcome(), sample_links(1)).tolist() == [0.0]
    texts = ["三鷹駅", "早稲田駅", "Imprint"]
    assert AnchorSignals(judge=f"place:{LANDMARKS}").match(texts).tolist() == [True, True, False]
    assert AnchorSignals(judge=f"place:{LANDMARKS}", strict=True).match(texts).tolist() == [
        True,
        False,
        False,
    ]
    assert not AnchorSignals(judge="place:jp").match(texts).any()


def test_the_name_of_the_goal_is_checked():
    assert checked_country("JP+landmarks") == LANDMARKS
