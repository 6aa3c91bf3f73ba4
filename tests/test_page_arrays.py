"""The arrays that parse workers make of a page: terms, tokens of links, and what judges and rankers do with them."""

from array import array
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.domain.text import compiled, link_words, terms, word_table
from clew.domain.text.link_words import LinkTokenizer, hashed
from clew.domain.text.page_terms import MAX_CHARACTERS, count_terms, term_id
from clew.domain.text.stemming import LATIN_LETTERS, latin_bytes
from clew.judge.auto import AutoJudge
from clew.judge.bayes import BayesJudge
from clew.judge.examples import ExamplesJudge
from clew.parse import ipc, read
from clew.parse.options import ParseOptions
from clew.rank.baselines.ariadne import Ariadne
from clew.rank.clew.policy import Clew
from clew.types import Label, Link, Links, Outcome, Response, Verdict
from clew.urls import Canon

TEXTS = [
    ("A lighthouse, and a keeper of lighthouses. It's the keepers' 1850.", "en"),
    ("Die Leuchttürme wurden 1850 gebaut; Wärter hüteten das Feuer.", "de"),
    ("洋上風力発電とコンピュータの許可。港湾の許可も必要です。", "ja"),
    ("Le phare d’Ouessant — “près” de la côte … 😀 et les phares", "fr"),
    ("Маяк и смотритель маяка", "ru"),
    ("", "en"),
]

HTML = """<html lang=en><title>Wind farms</title><body><p>Permits for offshore wind farms were granted.</p>
<ul><li><a href="/permits/wind-farm_2024.html">Windfarm permits</a><li><a href="/a/b/c/d/e/f?id=123456">The wind's rights</a>
<li><a href="https://other.test/%E9%A2%A8%E5%8A%9B/">風力の許可</a></ul></body></html>"""


def tokenizer_of(module, *, repeat=True):
    """Return a tokenizer made of the word table in a module, compiled or plain."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("LinkScanner", "WordTable"):
            patch.setattr(link_words, name, getattr(module, name))
        return LinkTokenizer(repeat=repeat)


COMPILED, PLAIN = tokenizer_of(compiled), tokenizer_of(word_table)
TABLES = [module.WordTable(LATIN_LETTERS, term_id, "cp1252") for module in (compiled, word_table)]


def page_of(html=HTML, **options):
    link = Link(id=7, url="https://a.test/en/", origin="https://a.test")
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
    response = Response(link=link, started=0, ended=0, status=200, head=head, body=html.encode())
    return read(response, canon=Canon(), max_bytes=100_000, options=ParseOptions(**options))


def counted(text, lang):
    found = {}
    for term in terms(text[:MAX_CHARACTERS], lang):
        found[term_id(term)] = found.get(term_id(term), 0) + 1
    return found


@pytest.mark.parametrize(("text", "lang"), TEXTS)
def test_a_bag_counts_the_terms_of_the_text(text, lang):
    bag = count_terms("", text, lang)
    assert dict(zip(bag.ids.tolist(), bag.text.tolist(), strict=True)) == counted(text, lang)
    assert (np.diff(bag.ids.astype(np.int64)) > 0).all()
    assert not bag.title.any()


def test_title_and_text_are_counted_apart():
    bag = count_terms("Keepers of lighthouses", "A keeper.", "en")
    by_id = {int(id): (int(n), int(m)) for id, n, m in zip(bag.ids, bag.text, bag.title, strict=True)}
    assert by_id == {term_id("keeper"): (1, 1), term_id("lighthous"): (0, 1)}


def test_a_word_repeated_beyond_the_range_of_counts_stays_at_its_end():
    bag = count_terms("lamp " * 70_000, "", "en")
    assert bag.title.tolist() == [65_535]


SIGNS = st.text(st.sampled_from("aZ09 .+#'_-/?é風ー\0\xad٣"), max_size=40)
URLS = st.builds("https://a.test/{}".format, st.text(st.sampled_from("aZ09./?_-%E9=:#&+é"), max_size=60))


@given(st.lists(st.text(max_size=30) | SIGNS, max_size=8), st.data())
def test_the_compiled_tokenizer_gives_the_tokens_of_the_plain_one(texts, data):
    urls = data.draw(st.lists(URLS, min_size=len(texts), max_size=len(texts)))
    contexts = data.draw(st.lists(SIGNS, min_size=len(texts), max_size=len(texts)))
    made, plain = (tokenizer.columns(texts, urls, contexts) for tokenizer in (COMPILED, PLAIN))
    for name in ("text", "url", "context"):
        np.testing.assert_array_equal(getattr(made, name), getattr(plain, name))
    named = [
        dict(zip(each.words.split(" "), each.word_ids.tolist(), strict=False)) if each.words else {}
        for each in (made, plain)
    ]
    assert named[0] == named[1]


@given(st.text() | SIGNS)
def test_the_compiled_word_table_gives_the_numbers_of_the_plain_one(text):
    plain = latin_bytes(text)
    if plain is not None:
        assert TABLES[0].numbers(plain) == TABLES[1].numbers(plain)


@given(st.text() | SIGNS, st.integers(0, 30))
def test_the_compiled_word_table_reads_the_same_texts_as_plain_ones(text, most):
    found = [table.plain_numbers(text, most) for table in TABLES]
    assert found[0] == found[1]
    if found[0] is not None:
        assert found[0] == TABLES[1].numbers(latin_bytes(text[:most]))


IDS = st.lists(st.integers(0, 40) | st.integers(0, 2**32 - 1), max_size=300)


@given(IDS, IDS, IDS)
def test_the_compiled_tally_counts_as_the_plain_one(text, title, margin):
    packed = [array("I", ids).tobytes() for ids in (text, title, margin)]
    assert compiled.tally(*packed) == word_table.tally(*packed)


def test_long_words_and_many_words_have_their_own_numbers():
    text = " ".join(f"w{number}" for number in range(20_000)) + " " + "x" * 9_000 + " " + "x" * 9_001
    found = [np.frombuffer(table.numbers(text.encode()), np.uint32) for table in TABLES]
    np.testing.assert_array_equal(*found)
    assert len(set(found[0].tolist())) == 20_002


def test_a_full_word_table_begins_again():
    for module in (compiled, word_table):
        table = module.WordTable(LATIN_LETTERS, len, "cp1252", 50)
        for number in range(1, 500):
            text = f"word{number} and word{number - 1}".encode()
            assert np.frombuffer(table.numbers(text), np.uint32).tolist() == [len(w) for w in text.split()]
        assert len(table) <= 53


def test_a_tokenizer_that_does_not_repeat_reports_a_word_once():
    for module in (compiled, word_table):
        tokenizer = tokenizer_of(module, repeat=False)
        first = tokenizer.columns(["Wind farms"], ["https://a.test/en/"], ["wind in Kent"])
        assert sorted(first.words.split()) == ["en", "farms", "in", "kent", "wind"]
        again = tokenizer.columns(["Wind mills"], ["https://a.test/en/"], ["wind in Kent"])
        assert again.words == "mills"
        assert len(again.word_ids) == 1


def test_terms_and_tokens_survive_the_way_from_the_worker():
    page = page_of()
    packed = b"".join(ipc.reply(page))[ipc.HEADER.size :]
    again = ipc.page_of(packed, page.response)
    for name in ("ids", "text", "title"):
        np.testing.assert_array_equal(getattr(again.terms, name), getattr(page.terms, name))
    for name in ("text", "url", "word_ids"):
        np.testing.assert_array_equal(getattr(again.links.tokens, name), getattr(page.links.tokens, name))
    assert again.links.tokens.words == page.links.tokens.words


def test_the_parser_computes_only_what_is_asked_for():
    page = page_of(terms=False, tokens=False)
    assert page.terms is None
    assert page.links.tokens is None


def test_long_numbers_are_tokens_but_not_among_the_words():
    tokens = LinkTokenizer().columns(["Report 2024 of 20240131"], ["https://a.test/x"])
    assert hashed("text", "20240131") in tokens.text[0].tolist()
    assert "20240131" not in tokens.words.split()
    assert "2024" in tokens.words.split()


def test_taking_rows_of_links_takes_their_tokens():
    links = page_of().links
    some = links.take([2, 0])
    np.testing.assert_array_equal(some.tokens.text, links.tokens.text[[2, 0]])
    assert len(Links.plain(["https://a.test/"], links.kinds[0]).urls) == 1


@pytest.mark.parametrize("ranker", [Ariadne, Clew])
def test_a_ranker_gives_the_same_features_with_tokens_of_the_worker_and_without(ranker):
    page = page_of()
    source = Outcome(page, Verdict(0.6))
    with_tokens = ranker(about="wind permits", seed=3).features(source, page.links)
    without = ranker(about="wind permits", seed=3).features(source, replace(page.links, tokens=None))
    np.testing.assert_array_equal(with_tokens, without)


def test_words_that_begin_with_a_word_of_the_goal_count_as_that_one_once():
    page = page_of()
    ranker = Ariadne(about="wind")
    explained = ranker.explain_terms(Outcome(page, Verdict(0.5)), page.links)
    assert [term for term, _ in explained[0]["link text"]] == ["base rate", "windfarm"]
    rows = ranker.features(Outcome(page, Verdict(0.5)), page.links)
    double = page_of("<title>x</title><a href='/q'>windmill windfarm wind tea</a>")
    row = ranker.features(Outcome(double, Verdict(0.5)), double.links)[0].tolist()
    token = int(rows[0][4])
    assert row.count(token) == 1


@pytest.mark.parametrize("judge", [ExamplesJudge, BayesJudge, AutoJudge])
def test_a_judge_gives_the_same_verdict_with_terms_of_the_worker_and_without(judge):
    judges = [judge(about="wind farm permits") for _ in range(2)]
    others = [page_of(f"<title>Soup {n}</title><p>Onions and soup number {n} for tea.") for n in range(12)]
    for each in judges:
        each.learn(Label("https://a.test/example", True, 1.0), page_of())
        for n, other in enumerate(others):
            each.learn(Label(f"https://a.test/{n}", False, 1.0), other)
    page = page_of("<title>Permits</title><p>A permit for the wind farm, and no soup.")
    assert page.terms is not None
    first, second = judges[0].judge(page), judges[1].judge(replace(page, terms=None))
    assert first == second
    assert first.value > 0.1
