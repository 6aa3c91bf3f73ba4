"""Clew's own components pass the conformance tests, and components that break their contract fail them."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clew import registry, testing
from clew.domain.text import folded, printable, typical_words, words
from clew.errors import ConfigError
from clew.extract.nothing import NoExtractor
from clew.fetch import CurlFetcher
from clew.judge.term_list import Term
from clew.judge.words import WordsJudge, goal_terms
from clew.store import SqliteStore
from clew.types import Label, Verdict


@pytest.mark.parametrize("name", registry.names("ranker"))
def test_rankers(name):
    testing.check_ranker(registry.make("ranker", name))


def test_judges():
    for judge in (WordsJudge(), WordsJudge(about="lighthouse"), WordsJudge(about="洋上風力発電")):
        testing.check_judge(judge)


NEEDS = {
    "files": "files:pdf",
    "schema": "schema:Recipe",
    "all": "all:words,place:jp",
    "any": "any:words,bayes",
}
"""How judges are named that do nothing without a type or other judges."""


@pytest.mark.parametrize("name", registry.names("judge"))
def test_judges_by_name(name):
    testing.check_judge(registry.make("judge", NEEDS.get(name, name), about="lighthouse"))


@pytest.mark.parametrize("name", registry.names("extractor"))
def test_extractors(name):
    rows = {"columns": ("title", "author"), "rows": [("The Lighthouse", "Alan Bell"), ("Lamps", "Ada Bram")]}
    testing.check_extractor(registry.make("extractor", name, **rows))


@pytest.mark.parametrize("name", ["ariadne", "clew", "layout", "reseed", "sites"])
def test_a_loaded_model_is_saved_as_it_was(name, tmp_path):
    """A new ranker that loads a model writes the same files."""
    learner, reader = registry.make("ranker", name), registry.make("ranker", name)
    testing.check_ranker(learner)
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder, ranker in zip(folders, (learner, reader), strict=True):
        folder.mkdir()
        ranker.load(folders[0])
        ranker.save(folder)
    first, second = ({file.name: file.read_bytes() for file in folder.iterdir()} for folder in folders)
    assert first == second


def test_fetcher():
    testing.check_fetcher(CurlFetcher(agent="clew/0 (+https://uni-x.org)", timeout=5))


def test_store(tmp_path):
    testing.check_store(lambda: SqliteStore(tmp_path, min_free=0))


def test_a_forgetful_store_fails(tmp_path):
    folders = (tmp_path / str(n) for n in range(9))

    with pytest.raises((AssertionError, KeyError)):
        testing.check_store(lambda: SqliteStore(next(folders), min_free=0))


class Inverted:
    """A ranker that thinks lower is better, and says so with negative numbers."""

    def score(self, source, links):
        return -np.ones(len(links))

    def learn(self, outcome):
        pass


class Short:
    def score(self, source, links):
        return np.ones(1)

    def learn(self, outcome):
        pass


class Fickle:
    n = 0

    def judge(self, page):
        self.n += 1
        return Verdict(self.n / 100)

    def learn(self, label, page):
        pass


@pytest.mark.parametrize("bad", [Inverted(), Short(), object()])
def test_the_examination_can_be_failed(bad):
    with pytest.raises(AssertionError, match=type(bad).__name__):
        testing.check_ranker(bad)


def test_a_fickle_judge_fails():
    with pytest.raises(AssertionError, match="differently"):
        testing.check_judge(Fickle())


class Plain:
    """A ranker without faults, for abilities that have some."""

    learned = 0

    def score(self, source, links):
        return np.full(len(links), 0.5, np.float32)

    def learn(self, outcome):
        self.learned += 1


class Silent(Plain):
    deferral_reason = ""


class TermsOfOneLink(Plain):
    def explain_terms(self, source, links, features=None):
        return [{"text": [("lamp", 0.5)]}]


class TermsWithoutWeight(Plain):
    def explain_terms(self, source, links, features=None):
        return [{"text": [("lamp", float("nan"))]}] * len(links)


class OneTextScore(Plain):
    def rescore_texts(self, anchors, langs):
        return np.ones(1, np.float32)


class TooHigh(Plain):
    def rerank(self):
        return np.array([1], np.uint64), np.array([2.0], np.float32)


class OneSentence(Plain):
    def describe_links(self, source, links, siblings=()):
        return ["it is near the top"]


class Forgetful(Plain):
    """A ranker whose `load` does nothing."""

    def save(self, folder):
        (folder / "count.txt").write_text(str(self.learned))

    def load(self, folder):
        pass


class Wild(Plain):
    """A host policy with a priority above 1."""

    inner = Plain()

    def add_hosts(self, origins):
        pass

    learn_page = apply_rule = add_hosts

    def on_exhausted(self):
        return False

    def host_priorities(self):
        return {"https://a.test": 7.0}


def test_a_ranker_without_optional_abilities_passes():
    testing.check_ranker(Plain())


@pytest.mark.parametrize(
    ("ranker", "message"),
    [
        (Silent(), "deferral_reason"),
        (TermsOfOneLink(), "1 mappings for 3 links"),
        (TermsWithoutWeight(), "finite weight"),
        (OneTextScore(), "rescore_texts gave"),
        (TooHigh(), "rerank gave scores outside"),
        (OneSentence(), "one sentence for each link"),
        (Forgetful(), "does not restore"),
        (Wild(), "host_priorities gave 7.0"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_optional_abilities_are_checked(ranker, message):
    with pytest.raises(AssertionError, match=message):
        testing.check_ranker(ranker)


class TakesNoSource:
    def score(self, links):
        return links.positions

    def learn(self, outcome): ...


class ColumnsWithoutNames(TakesNoSource):
    def score(self, source, links):
        return links.positions

    def parts(self, source, links):
        return links.positions


@pytest.mark.parametrize(
    ("ranker", "message"),
    [
        (TakesNoSource(), r"score must take \(source, links\) and takes \(links\)"),
        (TakesNoSource, r"takes an object, not its class: check_ranker\(TakesNoSource\(\)\)"),
        (ColumnsWithoutNames(), "parts must return a dict"),
        (object(), r"needs a method score\(source, links\)"),
    ],
)
def test_a_wrong_ranker_is_told_what_the_contract_wants(ranker, message):
    with pytest.raises(AssertionError, match=message):
        testing.check_ranker(ranker)


class Wordless(WordsJudge):
    def propose_terms(self):
        return [Term("", 1.0)]


class Stubborn(WordsJudge):
    def forget_label(self, url):
        msg = f"{url} was never learned"
        raise AssertionError(msg)


@pytest.mark.parametrize(("judge", "message"), [(Wordless(), "an empty term"), (Stubborn(), "never learned")])
def test_optional_abilities_of_judges_are_checked(judge, message):
    with pytest.raises(AssertionError, match=message):
        testing.check_judge(judge)


class Tableless(NoExtractor):
    record_table = ()


def test_an_extractor_must_provide_a_table_of_records():
    with pytest.raises(AssertionError, match="RecordTable"):
        testing.check_extractor(Tableless())


def test_parts_by_name_by_path_and_as_object():
    assert type(registry.make("ranker", "breadth")).__name__ == "Breadth"
    assert type(registry.make("ranker", "clew.rank.baselines.breadth:Breadth")).__name__ == "Breadth"
    mine = Short()
    assert registry.make("ranker", mine) is mine
    with pytest.raises(ConfigError, match='did you mean "breadth"'):
        registry.make("ranker", "bredth")
    with pytest.raises(ConfigError, match="Python path"):
        registry.make("ranker", "no.such:Thing")


def test_the_words_judge_orders_pages_sensibly():
    judge = WordsJudge(about="planning permits for offshore wind farms")
    full = testing.sample_page(
        title="Offshore wind permits", text="The planning permit for the offshore wind farm. " * 5
    )
    part = testing.sample_page(title="Wind", text="Strong wind is expected. " * 30)
    none = testing.sample_page(title="Soup", text="Onion soup with bread. " * 30)
    values = [judge.judge(page).value for page in (full, part, none)]
    assert values == sorted(values, reverse=True)
    assert values[0] > 0.7
    assert 0.5 > values[1] > values[2] == 0
    assert any("offshor" in word for word in judge.judge(full).why)


@given(
    st.lists(st.text("abé風", min_size=1, max_size=3), min_size=1, max_size=4, unique=True),
    st.text("abé風 _-", max_size=40),
)
def test_mentions_are_words_that_begin_with_a_term(topic, text):
    about = " ".join(topic)
    terms = goal_terms(about)
    assume(1 <= len(terms) <= 5)  # a verdict names five
    ordered = sorted(terms, key=len, reverse=True)
    ascii_terms, others = [t for t in ordered if t.isascii()], [t for t in ordered if not t.isascii()]
    wanted = Counter(re.findall("|".join(others), folded(text))) if others else Counter()
    for word in re.findall(r"\w+", folded(text)):
        wanted.update(next(([t] for t in ascii_terms if word.startswith(t)), []))
    reasons = " ".join(WordsJudge(about=about).judge(testing.sample_page(title="", text=text)).why)
    assert sorted(re.findall(r'"([^"]+)" (\d+)×', reasons)) == sorted(
        (terms[term], str(count)) for term, count in wanted.items()
    )


def test_the_words_judge_reads_japanese():
    judge = WordsJudge(about="灯台 霧笛")
    assert (
        judge.judge(
            testing.sample_page(title="灯台の歴史", text="この灯台には霧笛がある。灯台守が住んでいた。")
        ).value
        > 0.5
    )
    assert judge.judge(testing.sample_page(text="今日は天気がよい。")).value == 0


def test_labels_do_not_drown_the_words():
    judge = WordsJudge(about="almond")
    before = judge.judge(testing.sample_page(text="almond cake")).value
    judge.learn(Label("x", relevant=True, at=0), testing.sample_page(text="nougat pistachio " * 3))
    assert judge.judge(testing.sample_page(text="almond cake")).value == before


def test_text_helpers():
    assert words("Ｗｉｎｄ Farms") == ["wind", "farms"]
    assert printable("a\x1b]0;x\x07b\u202ec\nd") == "a ]0;x b c d"
    assert printable("abcdef", 4) == "abc…"
    assert typical_words(["the almond cake", "almond tart"], ["cake of bread"], most=2) == ["almond", "tart"]
