"""Terms: content words as stems, in any script, whatever a page may hold."""

import random
import sys
import time
from collections import Counter

import pytest

from clew.domain.text import count_words, terms, words

NOISE = random.Random(5)


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("The lighthouses were lit by keepers.", "en", ["lighthous", "lit", "keeper"]),
        ("Don't miss the keeper's LAMP", "en", ["miss", "keeper", "lamp"]),
        ("Die Leuchttürme und ihre Wärter an der Küste", "de", ["leuchtturm", "wart", "kust"]),
        ("Les phares de l'île, d'après les gardiens", "fr", ["phar", "île", "gardien"]),
        ("los faros y las ventanas", "es", ["far", "ventan"]),
        ("маяки у берега моря", "ru", ["маяк", "берег", "мор"]),
        ("灯台の光とコンピュータ", "ja", ["灯台", "光", "コンピュータ"]),
        ("洋上風力", "ja", ["洋上", "上風", "風力"]),
        ("中国的风力发电", "zh", ["中国", "风力", "力发", "发电"]),
        ("등대에서는 등대지기를", "ko", ["등대", "등대지기"]),
        ("ประภาคาร", "th", ["ประ", "ระภ", "ะภา", "ภาค", "าคา", "คาร"]),
        ("हिन्दी में समाचार", "mr", ["हिन्दी", "में", "समाचार"]),
        ("snake_case and 1850 and mp3", "en", ["snake", "case", "mp3"]),
        ("km² area", "en", ["km2", "area"]),
        ("", "en", []),
        ("— … 42 !", "de", []),
    ],
)
def test_terms(text, lang, expected):
    assert terms(text, lang) == expected


def test_forms_of_one_word_are_one_term():
    assert len({term for word in ("permit", "permits", "PERMITTING") for term in terms(word, "en")}) == 1
    assert terms("ｺﾝﾋﾟｭｰﾀ", "ja") == terms("コンピュータ", "ja")
    assert terms("Bu\u0308cher ﬁnden", "de") == terms("Bücher finden", "de")
    assert terms("Schiff\u00adfahrt", "de") == terms("Schifffahrt", "de")
    assert terms("ＷＩＮＤ", "en") == terms("wind", "en")
    assert terms("STRASSE", "de") == terms("Straße", "de")
    assert terms("می\u200cخواهم", "fa") == terms("میخواهم", "fa")


@pytest.mark.parametrize("strange", ["→", "😀", "Ω", "東京", "\ud800", "\u0301", "ł"])
def test_one_strange_character_changes_no_other_word(strange):
    plain = "Lighthouses of Cornwall — “naïve” café, km²\nwere built by 12 keepers"
    found = terms(f"{plain}\n{strange} ", "en")
    assert found[: len(terms(plain, "en"))] == terms(plain, "en")


def test_the_language_is_guessed_when_nobody_says_it():
    assert (
        terms("Die Leuchttürme und ihre Wärter stehen an der Küste, und sie warten dort.")[0] == "leuchtturm"
    )


@pytest.mark.parametrize(
    "garbage",
    [
        "".join(NOISE.choices("abcdefghij      ", k=1_000_000)),
        "a" * 1_000_000,
        "".join(chr(NOISE.randrange(sys.maxunicode + 1)) for _ in range(300_000)),
        "漢" * 300_000,
        "a\u0301" * 200_000,
        "a\u200d" * 150_000,
    ],
    ids=["words", "one word", "anything", "han", "accents", "joiners"],
)
def test_garbage_takes_bounded_time(garbage):
    started = time.process_time()
    found = terms(garbage, "en")
    assert time.process_time() - started < 5
    assert all(len(term) <= 60 for term in found)


def test_what_is_remembered_is_bounded(monkeypatch):
    from clew.domain.text import stemming, terms

    monkeypatch.setattr(stemming, "CACHE_SIZE", 100)
    for number in range(1_000):
        assert terms(f"word{number} слово{number}", "sk") == [f"word{number}", f"слово{number}"]
    assert len(stemming.stems_of("sk")) <= 100
    assert len(stemming.runs_of("sk")) <= 100


@pytest.mark.parametrize(
    "text",
    [
        "It's the women's cup; don't 'quote' her, and the keepers' lamp stays lit.",
        "L’île d’après, c'est l'été: “aujourd’hui” n'est pas demain…",
        "Große Straßen – naïve ŠKODA, Œuvre; 1850_a.b/c",
        "洋上風力発電 and it's mixed ☃",
    ],
)
def test_a_tally_counts_the_words(text):
    assert count_words(text) == Counter(words(text))
