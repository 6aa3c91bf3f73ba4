"""Stop words: the shipped lists, and the rule that makes them."""

from importlib.resources import files

import pytest

from clew.domain.text import STOP_WORDS, derive_stop_words, folded, stop_words

SHIPPED = ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "ja", "zh", "ko", "ru", "web"]


@pytest.mark.parametrize("lang", SHIPPED)
def test_a_list_is_shipped(lang):
    words = stop_words(lang)
    assert len(words) > 60
    assert all(word == folded(word) and word.strip() == word for word in words)


@pytest.mark.parametrize(
    "path", sorted((files("clew.domain.text") / "stopwords").iterdir(), key=str), ids=lambda p: p.name
)
def test_lists_say_what_they_hold(path):
    assert path.read_text("utf-8").startswith("# ")


def test_known_words_are_in_them():
    for lang, word in (
        ("en", "the"),
        ("de", "über"),
        ("fr", "où"),
        ("ja", "こと"),
        ("ru", "это"),
        ("ko", "것"),
    ):
        assert word in stop_words(lang)
    for word in ("home", "cookie", "impressum", "ホーム", "お問い合わせ", "главная"):
        assert word in stop_words("web")
    assert "lighthouse" not in stop_words("en") | stop_words("web") | STOP_WORDS


@pytest.mark.parametrize("lang", ["", "tlh", "../web", "a/b", "日本", "en\x00"])
def test_languages_without_a_list_have_no_stop_words(lang):
    assert stop_words(lang) == frozenset()


def test_the_rule_takes_what_is_common_under_two_topics():
    arrays = [
        {"page": 0.9, "whale": 0.9, "sea": 0.3},
        {"page": 0.3, "onion": 1.0, "sea": 0.29},
        {"page": 0.1},
    ]
    assert derive_stop_words(arrays) == {"page"}
    assert derive_stop_words(arrays, under=1) == {"page", "whale", "sea", "onion"}
    assert derive_stop_words(arrays, share=0.95) == frozenset()
    assert derive_stop_words([]) == frozenset()
    assert derive_stop_words(iter(arrays), share=0.29) == {"page", "sea"}
