"""From one word to a crawl: seeds from an engine, words learned from them, links left closed, searching again."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

import clew
from clew.config.tables import SeekTable
from clew.domain.topic_terms import TERMS_FILE, TopicTerms, read_topic_terms, write_topic_terms
from clew.errors import ClewError, ConfigError
from clew.lab.trial import TrialSettings, run_on
from clew.lab.world import open_world
from clew.rank.baselines.reseed import Reseed
from clew.search import Index, IndexEntry, LocalEngine
from clew.services.search.initial_queries import initial_queries
from clew.services.search.query_choice import AskedQuery, Queries, estimate_left
from clew.services.search.term_learning import MIN_IRRELEVANT, TermLearning
from clew.store import read_sql
from clew.store.searches import SearchAnswer, SearchResult, save_search
from clew.testing import check_ranker, sample_links, sample_outcome, sample_page
from tests.small_web import CONTACT, linked, serving

TOPIC = "lighthouse"
HOSTS = 12


class Pages(dict):
    """Sites behind a proxy, and an engine that speaks SearXNG's JSON at the same place."""

    def __init__(self, pages, answers):
        super().__init__(pages)
        self.answers = answers
        self.queries = []

    def get(self, path, default=None):
        parts = urlsplit(path)
        if parts.path != "/search":
            return super().get(path, default)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        first = query.get("pageno", "1") == "1"
        self.queries += [query["q"]] if first else []
        results = self.answers(query["q"]) if first else []
        return results if isinstance(results, tuple) else (200, JSON, said(results))


JSON = {"Content-Type": "application/json"}


def said(addresses):
    rows = [{"url": url, "title": f"About {url}", "content": "…"} for url in addresses]
    return json.dumps({"results": rows, "number_of_results": len(rows)}).encode()


def page(title, text, *links):
    anchors = "".join(f'<p><a href="{url}">{words}</a></p>' for url, words in links)
    return f"<html lang=en><title>{title}</title><body><main><h1>{title}</h1><p>{text}</p>{anchors}</main></body></html>"


def lit(n, *links):
    text = f"The lighthouse of harbour {n} has a lantern and a keeper. Its lantern was lit in the year of the storm. "
    return page(f"Lighthouse {n}", text * 3, *links)


def sites(count=HOSTS):
    """Hosts with a page on the topic, a page only a word of the array leads to, and one that none leads to."""
    made = {}
    for n in range(count):
        home = f"http://h{n}.test"
        made[f"{home}/"] = lit(n, (f"{home}/lamp", "the old lantern"))
        made[f"{home}/lamp"] = lit(f"lamp {n}", (f"{home}/soup", "onion soup"))
        made[f"{home}/soup"] = page("Soup", "onions and bread and salt in a pot " * 5)
    return made


def homes(first, last):
    return [f"http://h{n}.test/" for n in range(first, last)]


def settings(web, **more):
    quick = {
        "fetch.delay": 0, "fetch.proxy": web.origin, "store.min_free": 0, "seek.delay": 0,
        "seek.search": [f"searxng={web.origin}"],
    }  # fmt: skip
    return {**quick, **{name.replace("__", "."): value for name, value in more.items()}}


def crawl(folder, web, about=TOPIC, pages=0, seeds=(), **more):
    made = clew.Crawl(folder, about, list(seeds), CONTACT, settings=settings(web, **more))
    return made.run(pages=pages)


def states(folder):
    return {
        url.removeprefix("http://"): (state, reason)
        for url, state, reason in read_sql(folder, "SELECT url, state, reason FROM links WHERE kind = 0")
    }


# ---- learning ----------------------------------------------------------------------------------


def test_the_array_is_the_share_of_pages_that_say_a_word():
    learning = TermLearning()
    for text in (
        "A bishop, a bishop and the crosier.",
        "The bishop of Laon.",
        "A crosier from Trier.",
        "Bishop!",
    ):
        learning.add_relevant(sample_page(text=text))
    array = learning.topic_terms(2)
    assert dict(array.values) == {"bishop": 0.75, "crosier": 0.5}
    assert array.pages == 4
    assert "the" not in learning.topic_terms(100).values


def test_what_every_page_around_the_topic_says_is_no_word_of_the_topic():
    learning = TermLearning()
    for _ in range(5):
        learning.add_relevant(sample_page(text="bishop and warehouse"))
    vocabularies = [
        learning.add_irrelevant(sample_page(text="warehouse of a shop")) for _ in range(MIN_IRRELEVANT)
    ]
    assert vocabularies[-1]
    assert list(learning.topic_terms(10).values) == ["bishop"]
    assert "warehouse" in learning.topic_terms(10).common


def test_japanese_and_german_words_point_the_way():
    ranker = Reseed(about="野球")
    ranker.set_topic_terms(TopicTerms(values={"投手": 0.6, "leuchtturm": 0.4}))
    japanese = ranker.rescore_texts(["今日の投手", "お問い合わせ"], ["ja", "ja"])
    assert japanese.tolist() == [pytest.approx(0.6), 0.0]
    assert ranker.rescore_texts(["Zum Leuchtturm"], ["de"]).tolist() == [pytest.approx(0.4)]


def test_a_person_may_edit_the_words(tmp_path):
    path = tmp_path / TERMS_FILE
    write_topic_terms(
        path,
        TopicTerms(
            values={"bishop": 0.5, "ring": 0.25}, langs={"bishop": "en"}, pages=4, common=("imprint",)
        ),
    )
    known = read_topic_terms(path)
    assert (dict(known.values), known.pages, known.edited) == ({"bishop": 0.5, "ring": 0.25}, 4, False)
    assert known.common == ("imprint",)
    path.write_text(path.read_text().replace("ring\t0.2500", "#ring\t0.2500\nstaff\t0,75\ncrosiers"))
    changed = read_topic_terms(path)
    assert changed.edited
    assert dict(changed.values) == {"crosier": 1.0, "staff": 0.75, "bishop": 0.5}
    path.write_text("bishop\tmuch\n")
    with pytest.raises(ConfigError, match=r"line 1: write a word, a tab and a value from 0 to 1"):
        read_topic_terms(path)
    path.write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(ConfigError, match="UTF-8"):
        read_topic_terms(path)


# ---- the policy --------------------------------------------------------------------------------


def test_a_link_is_worth_its_best_word():
    ranker = Reseed(about="lighthouse")
    check_ranker(ranker)
    ranker.set_topic_terms(TopicTerms(values={"lantern": 0.4, "keeper": 0.7}))
    scores = ranker.rescore_texts(
        ["the keeper and his lanterns", "lantern", "onion soup", "", "lighthouse"], ["en"] * 5
    )
    assert scores.tolist() == pytest.approx([0.7, 0.4, 0.0, 0.0, 1.0])
    links = sample_links(1)
    links.anchors[0] = "keeper of the lantern"
    (why,) = ranker.explain_terms(sample_outcome(), links)
    assert list(why.values()) == [[("keeper", 0.7), ("lantern", 0.4)]]


def test_links_without_a_word_stay_closed_until_another_policy_comes(tmp_path):
    with serving(Pages(sites(), lambda _: homes(0, 4))) as web:
        crawl(tmp_path, web, rank__policy="reseed")
        first = states(tmp_path)
        assert first["h0.test/lamp"][0] == 1
        assert first["h0.test/soup"] == (3, "policy: no topic term in its link text")
        assert "soup" not in "".join(web.asked)
        why = clew.Crawl(tmp_path).why("http://h0.test/soup")
        assert why.state == "refused"
        assert "no topic term" in why.reason
        summary = crawl(tmp_path, web, rank__policy="best-first")
        assert states(tmp_path)["h0.test/soup"][0] == 1
        assert any("left closed are open now" in hint for hint in summary.hints)


def test_edits_open_and_close_links(tmp_path):
    with serving(Pages(sites(), lambda _: homes(0, 4))) as web:
        crawl(tmp_path, web, rank__policy="reseed", pages=6)  # four homes, two of four lamps
        assert fates(tmp_path, "lamp") == [0, 0, 1, 1]
        assert fates(tmp_path, "soup") == [3, 3]
        path = tmp_path / "models" / TERMS_FILE
        listed = [
            line for line in path.read_text().splitlines() if not line.startswith(("lantern", "lighthouse"))
        ]
        path.write_text("\n".join([*listed, "soups\t0.9"]))
        crawl(tmp_path, web, rank__policy="reseed")
        assert fates(tmp_path, "lamp") == [1, 1, 3, 3]
        assert fates(tmp_path, "soup") == [1, 1]
        assert "soups\t0.9" in path.read_text(), "what a person wrote is never written over"


def fates(folder, name):
    return sorted(state for url, (state, _) in states(folder).items() if url.endswith(name))


def test_a_closed_link_opens_when_it_is_met_again_under_a_better_text(tmp_path):
    pages = sites(2)
    soup = "http://h1.test/soup"
    pages["http://h0.test/lamp"] = lit("lamp", (soup, "onion soup"), ("http://h0.test/oil", "keeper"))
    pages["http://h0.test/oil"] = lit("oil")
    with serving(Pages(pages, lambda _: homes(0, 1))) as web:
        crawl(tmp_path, web, rank__policy="reseed", pages=2)
        assert states(tmp_path)["h1.test/soup"][0] == 3
        web.pages["http://h0.test/oil"] = lit("oil", (soup, "the keeper's lantern"))
        crawl(tmp_path, web, rank__policy="reseed")
        assert states(tmp_path)["h1.test/soup"][0] == 1


def test_the_policy_says_what_it_needs(tmp_path):
    with serving({}) as web:
        with pytest.raises(ConfigError, match=r"seek\.search names none") as said_:
            crawl(tmp_path, web, seeds=[web.origin], rank__policy="reseed", seek__search=[])
        assert len(str(said_.value).splitlines()) <= 3
        with pytest.raises(ConfigError, match=r"seek\.search names no engine"):
            crawl(tmp_path / "b", web, seeds=[web.origin], seek__reseed=True, seek__search=[])
        with pytest.raises(ConfigError, match="nothing to search for"):
            crawl(tmp_path / "c", web, about=" ")


# ---- searching ---------------------------------------------------------------------------------


def test_one_word_makes_a_crawl_and_dry_crawls_search_again(tmp_path):
    def answers(query):
        if query == TOPIC:
            return homes(0, 4)
        return homes(4, 8) if "lantern" in query or "keeper" in query else homes(0, 2)

    with serving(Pages(sites(), answers)) as web:
        summary = crawl(tmp_path, web, rank__policy="reseed", seek__reseed=True, seek__next="array")
        queries = web.pages.queries
        assert queries[0] == TOPIC
        assert queries.count(TOPIC) == 1
        assert any("lantern" in query for query in queries[1:])
        now = states(tmp_path)
        assert all(now[f"h{n}.test/lamp"][0] == 1 for n in range(8)), (
            "what searching again brought was followed"
        )
        hints = "\n".join(summary.hints)
        assert f"searched «{TOPIC}»" in hints
        assert "(nothing is open): 4 results, 4 new" in hints
        assert "no longer pays: every word was searched for" in hints
        why = str(clew.Crawl(tmp_path).why("http://h5.test/"))
        assert f" for «{TOPIC} AND " in why
        assert "nothing is open" in why
        rows = read_sql(tmp_path, "SELECT query, new, relevant FROM searches ORDER BY id")
        assert rows[0] == (TOPIC, 4, 4)
        assert (4, 4) in [row[1:] for row in rows[1:]]


def test_a_low_share_makes_any_policy_search_again(tmp_path):
    pages = sites()
    soups = [f"http://s{n}.test/" for n in range(40)]
    pages |= {
        url: page("Soup", "onions and bread " * 9, (soups[(n + 1) % 40], "soup"))
        for n, url in enumerate(soups)
    }
    pages["http://h0.test/"] = lit(0, *((url, "soup") for url in soups))

    def answers(query):
        return homes(0, 3) if query == TOPIC else homes(3, 9)

    with serving(Pages(pages, answers)) as web:
        summary = crawl(
            tmp_path, web, rank__policy="best-first", seek__reseed=True, seek__window=8, seek__threshold=0.5,
            fetch__concurrency=1,
        )  # fmt: skip
        hints = "\n".join(summary.hints)
        assert "of the last 8): 6 results, 6 new" in hints
        assert states(tmp_path)["h7.test/lamp"][0] == 1
        assert "no longer pays" in hints


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            (429, {"Retry-After": "3600"}, b"slow down"),
            "429",
        ),  # else the crawl ends before the engine gives up
        ((200, {}, b"<html>who are you?</html>"), "JSON"),
        ((200, JSON, b"{}"), ""),
        ((500, {}, b""), "500"),
    ],
)
def test_a_crawl_outlives_its_engine(tmp_path, answer, words):
    with serving(Pages(sites(), lambda _: answer)) as web:
        summary = crawl(tmp_path, web, seeds=homes(0, 2), seek__reseed=True, seek__timeout=2, pages=6)
        assert summary.pages == 6
        failed = [hint for hint in summary.hints if "failed" in hint]
        assert len(failed) <= 1, "said once"
        assert not words or words in "".join(failed)


def test_a_thousand_results_and_the_same_again_change_nothing(tmp_path):
    spam = [f"http://spam{n}.test/" for n in range(1000)]
    with serving(Pages(sites() | dict.fromkeys(spam, page("Spam", "buy " * 40)), lambda _: spam)) as web:
        crawl(tmp_path, web, seeds=homes(0, 1), seek__reseed=True, pages=60)
        found = read_sql(tmp_path, "SELECT count(*) FROM links WHERE url LIKE 'http://spam%'")
        queries = len(web.pages.queries)
        assert found[0][0] <= 10 * queries, "ten results of a query at most"
    folder = tmp_path / "same"
    with serving(Pages(sites(), lambda _: homes(0, 4))) as web:
        summary = crawl(folder, web, seek__reseed=True)
        assert summary.ended == "nothing is left to fetch"
        assert len(set(web.pages.queries)) <= 7, "five queries without news are enough"
        assert any("the last 5 queries found no new URL" in hint for hint in summary.hints)


@pytest.mark.parametrize(
    "about", ['light "house', "light🗼house", "lighthouse " * 100, "a" * 1000, 'x" OR 1=1 --']
)
def test_odd_words_are_only_words(tmp_path, about):
    with serving(Pages(sites(), lambda _: homes(0, 2))) as web:
        summary = crawl(tmp_path, web, about=about, rank__policy="reseed", pages=2)
        assert summary.pages == 2
        assert len(web.pages.queries) >= 1


def test_what_was_asked_is_neither_asked_again_nor_forgotten(tmp_path):
    with serving(Pages(sites(), lambda _: homes(0, 4))) as web:
        crawl(tmp_path, web, rank__policy="reseed", pages=2)
        results = tuple(SearchResult(url=url, rank=n) for n, url in enumerate(homes(6, 8), 1))
        name = f"searxng={web.origin}"
        save_search(  # as a kill leaves it: answered and on disk, but not planted
            tmp_path,
            engine=name,
            query=f"{TOPIC} AND lantern",
            answer=SearchAnswer(results=results),
            asked=10,
            why="dry",
        )
        crawl(tmp_path, web, rank__policy="reseed", seek__reseed=True, seek__next="array")
        queries = web.pages.queries
        assert queries.count(TOPIC) == 1
        assert not any(query.endswith("lantern") for query in queries)
        assert states(tmp_path)["h6.test/"][0] == 1


def test_a_kill_costs_no_question(tmp_path):
    folder = tmp_path / "killed"
    with serving(Pages(sites(), lambda _: homes(0, 4))) as web:
        clew.Crawl(folder, TOPIC, [], CONTACT, settings=settings(web)).save()
        options = [
            f"--set={name}={json.dumps(value)}" for name, value in settings(web, fetch__delay=3).items()
        ]
        command = [
            sys.executable,
            "-m",
            "clew",
            "run",
            str(folder),
            "--policy",
            "reseed",
            "--plain",
            *options,
        ]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, "NO_COLOR": "1"})
        try:
            until = time.monotonic() + 200
            while time.monotonic() < until and not settled(folder):
                time.sleep(0.02)
        finally:
            process.kill()
            process.wait()
        assert settled(folder)
        crawl(folder, web, rank__policy="reseed")
        assert web.pages.queries.count(TOPIC) == 1
        assert states(folder)["h3.test/lamp"][0] == 1


def settled(folder):
    try:
        return bool(read_sql(Path(folder), "SELECT 1 FROM searches WHERE new NOT NULL"))
    except ClewError:
        return False


def test_a_judge_is_trained_by_what_is_found_for_other_subjects(tmp_path):
    pages = sites()
    soups = [f"http://s{n}.test/" for n in range(20)]
    pages |= {url: page("Soup", f"onions and bread and pot {n} " * 9) for n, url in enumerate(soups)}
    pages["http://h0.test/lamp"] = page(
        "Lamp", "The lantern and its keeper in the storm of the harbour. " * 5
    )
    subjects = []

    def answers(query):
        if query == TOPIC:
            return homes(0, 8)
        subjects.append(query)
        return [soups[2 * (len(subjects) - 1) % 20], soups[(2 * len(subjects) - 1) % 20]]

    with serving(Pages(pages, answers)) as web:
        summary = crawl(tmp_path, web, goal__judge="clew.judge.bayes:BayesJudge", rank__policy="breadth")
        assert len(subjects) == 10
        hints = [hint for hint in summary.hints if hint.startswith("the judge learned")]
        assert len(hints) == 1
        assert re.fullmatch(
            r"the judge learned from [5-8] pages found for the topic and (1[5-9]|20) for other subjects",
            hints[0],
        )
        verdicts = dict(
            read_sql(tmp_path, "SELECT url, verdict FROM pages JOIN links USING (id) WHERE kind = 0")
        )
        assert verdicts["http://h0.test/"] > 0.5 > verdicts["http://s0.test/"]
        count = len(web.pages.queries)
        crawl(tmp_path, web, goal__judge="clew.judge.bayes:BayesJudge", rank__policy="breadth")
        assert len(web.pages.queries) == count, "what was learned is not asked for again"


def test_learning_stays_within_a_quarter_of_the_budget():
    seek = SeekTable()
    (topic,) = initial_queries(TOPIC, seek, 200, learns=True, trains=False)
    assert topic.count == 50
    topic, *others = initial_queries(TOPIC, seek, 1000, learns=True, trains=True)
    assert topic.count + sum(each.count for each in others) <= 250
    topic, *others = initial_queries(TOPIC, SeekTable(learn=50), 0, learns=True, trains=True)
    assert (topic.count, sum(each.count for each in others)) == (50, 500)
    assert (
        initial_queries(TOPIC, SeekTable(languages=["ja", "de"]), 0, learns=False, trains=False)[1].lang
        == "de"
    )


# ---- which query next --------------------------------------------------------------------------


def test_queries_follow_what_pays():
    values = {f"common{n}": 0.9 for n in range(20)} | {f"rare{n}": 0.1 for n in range(20)}
    array = TopicTerms(values=values)
    queries = Queries(topic=TOPIC, seed=1)
    for _ in range(14):
        word = queries.next(array).word
        queries.asked.append(
            AskedQuery(word, results=10, new=8, relevant=8 if word.startswith("rare") else 0)
        )
    later = [each.word for each in queries.asked[7:]]
    assert sum(word.startswith("rare") for word in later) >= 5
    plain = Queries(topic=TOPIC, by_yield=False, asked=[AskedQuery("common0")])
    assert plain.next(array).word == "common1"
    assert Queries(topic="Common0 words", by_yield=False).next(array).word == "common1"


def test_queries_keep_to_the_languages_of_the_person():
    array = TopicTerms(values={"phare": 0.9, "keeper": 0.5}, langs={"phare": "fr", "keeper": "en"})
    assert Queries(topic=TOPIC, by_yield=False, languages=("en",)).next(array).word == "keeper"


def test_what_is_left_is_estimated_from_what_came_again():
    assert estimate_left(found=100, named=10, known=10) == 0
    assert estimate_left(found=100, named=40, known=9) > estimate_left(found=100, named=40, known=30) > 0
    rng = np.random.default_rng(3)  # 500 pages, half of them met, 200 named by queries
    known = set(rng.choice(500, 250, replace=False).tolist())
    named = set(rng.choice(500, 200, replace=False).tolist())
    assert estimate_left(len(known), len(named), len(known & named)) == pytest.approx(250, rel=0.35)


def test_linked_pages_need_no_engine(tmp_path):
    with serving({"/": linked("/a", text="lighthouse " * 9), "/a": linked(text="lighthouse " * 9)}) as web:
        folder = tmp_path / "c"
        (folder / "models").mkdir(parents=True)
        (folder / "models" / TERMS_FILE).write_text("a\t0.5\n")
        own_settings = {
            "fetch.delay": 0,
            "fetch.allow": ["127.0.0.0/8"],
            "store.min_free": 0,
            "rank.policy": "reseed",
        }
        summary = clew.Crawl(folder, TOPIC, [web.origin], CONTACT, settings=own_settings).run()
        assert summary.pages >= 1


def test_the_lab_repeats_a_run_that_searches():
    world = open_world("madeup:500:1")
    task = world.task("lighthouses")
    index = Index()
    index.add(
        IndexEntry(f"http://nowhere{n}.test/", "Lighthouse", f"lighthouse keeper lantern beacon {n}", "en")
        for n in range(30)
    )

    def run():
        terms = TrialSettings(
            pages=60, examples="none", settings={"seek.reseed": True, "seek.window": 10, "seek.learn": 10}
        )
        return run_on(world, task, "reseed", terms, engines=[LocalEngine("local", index)], topic="lighthouse")

    first, second = run(), run()
    assert first.hashes.tolist() == second.hashes.tolist()
    assert first.facts["said"] == second.facts["said"]
    assert first.facts["said"][0].startswith(
        "searched «lighthouse» on local (to learn the words of the topic): 10"
    )
