"""The truth about the made-up web: counted right, told to nobody, and hard to guess."""

import re
from collections import Counter

import pytest

from clew.errors import ConfigError
from clew.lab.synthetic import Web, WebTruth
from clew.lab.synthetic.layouts import CLASSES
from clew.lab.synthetic.topics import TOPICS
from clew.lab.synthetic.url_schemes import PageKind, path
from tests.synthetic.test_pages import page_of, spots

CLASS_NAMES = {name for names in CLASSES for name in names} | {"item", "hd", "row", "top", "page"}


@pytest.fixture(scope="module")
def web():
    return Web(3_000, seed=7)


@pytest.fixture(scope="module")
def truth(web):
    return WebTruth(web)


def everything(web):
    for number in range(len(web.graph.names)):
        site = web.graph.site(number)
        for spot in spots(site):
            yield site, spot, f"http://{site.name}{path(site, spot)}"


def test_counts_are_what_counting_every_page_gives(web, truth):
    asked = {topic.name: web.question(topic.name) for topic in TOPICS.asked}
    counted = Counter()
    for _, _, url in everything(web):
        told = truth.about(url)
        if told.topic in asked and truth.is_relevant(url, asked[told.topic]):
            counted[told.topic] += 1
    assert truth.counts("en") == {name: counted[name] for name in asked}


def test_relevant_pages_are_rare_on_a_web_of_any_size():
    for size, seed in ((20_000, 1), (20_000, 2), (1_000_000, 1)):
        web = Web(size, seed)
        shares = [count / web.pages for count in WebTruth(web).counts().values()]
        assert min(shares) > 0.002
        assert max(shares) < 0.03
        assert abs(web.pages / size - 1) < 0.06


def test_grades(web, truth):
    asked = web.question("railways")
    grades = Counter(truth.grade(url, asked) for _, _, url in everything(web))
    assert grades[2] == truth.count(asked) > 0
    assert grades[1] > 0
    assert truth.grade("http://nowhere.org/", asked) == truth.grade(web.homes()[0] + "robots.txt", asked) == 0


def test_a_sample_is_drawn_evenly(web, truth):
    urls = truth.sample(4_000)
    assert urls == truth.sample(4_000)
    assert urls != truth.sample(4_000, seed=1)
    kinds = Counter(truth.about(url).kind for url in urls)
    true = Counter(truth.about(url).kind for _, _, url in everything(web))
    for kind, count in true.items():
        assert abs(kinds[kind] / 4_000 - count / web.pages) < 0.03, kind


def test_records_and_addresses_stand_on_their_pages(web, truth):
    records = addresses = 0
    for site, spot, url in everything(web):
        if (
            site.is_closed
            or spot.kind not in {PageKind.CONTACT, PageKind.LIST, PageKind.CONTENT}
            or spot.place > 2
        ):
            continue
        text = re.sub(r"<[^>]+>", " ", web.answer(url).body.decode(page_of(web, url).encoding, "replace"))
        for row in truth.records(url):
            records += 1
            assert row.name in text, url
            assert row.reference in text, url
        where = truth.address(url)
        assert (where is not None) == (spot.kind == PageKind.CONTACT)
        if where:
            addresses += 1
            assert where.code in text, url
            assert where.street in text, url
    assert records > 200
    assert addresses > 30


def test_nothing_but_visible_words_tells_the_topic(web, truth):
    """Heads, attributes and headers are the same on all pages of a host, whatever a page is about."""
    topics, heads, pairs = {}, {}, {}
    for site, spot, url in everything(web):
        if spot.kind != PageKind.CONTENT or spot.place % 3 or site.is_closed:
            continue
        answer = web.answer(url)
        html = answer.body.decode("latin-1")
        assert "<!--" not in html, url
        assert {name for name, _ in answer.headers} == {"Content-Type"}
        tags = re.findall(r"<[a-zA-Z][^>]*>", html.partition("<body")[2] or html.partition("<BODY")[2])
        said = {(name, value) for tag in tags for name, value in re.findall(r'([a-z-]+)="([^"]*)"', tag)}
        said = {(name, value) for name, value in said if name != "href"}
        assert {name for name, _ in said} <= {"class", "id"}, url
        assert {value for name, value in said if name == "class"} <= CLASS_NAMES, url
        assert {value for name, value in said if name == "id"} <= {"wrap", "banner"}, url
        topics.setdefault(site.name, set()).add(truth.about(url).topic)
        if not html.startswith("<html><head><title>"):  # pages that somebody just put there have no head
            head = re.split("</head>", html, maxsplit=1, flags=re.IGNORECASE)[0]
            heads.setdefault(site.name, set()).add(
                re.sub(r"<title>.*</title>", "", head, flags=re.IGNORECASE)
            )
            pairs.setdefault(site.name, set()).add((answer.headers, frozenset(said)))
    assert sum(len(found) > 1 for found in topics.values()) > 30  # there was something to tell
    assert {name: found for name, found in heads.items() if len(found) > 1} == {}
    assert {name: found for name, found in pairs.items() if len(found) > 1} == {}


def test_most_addresses_say_nothing_about_the_topic():
    web = Web(20_000)
    truth = WebTruth(web)
    telling = total = 0
    for url in truth.sample(3_000):
        told = truth.about(url)
        if told.topic and told.lang == "en" and told.kind == "articles":
            words = TOPICS.by_name[told.topic].ask.split()
            total += 1
            telling += any(word in url.partition("//")[2].partition("/")[2] for word in words)
    assert 0 < telling < 0.2 * total


def test_titles_and_texts_are_no_certain_sign(web, truth):
    """Some pages on a topic do not use its obvious words, some others do."""
    dim = mentions = plain = 0
    for site, spot, url in everything(web):
        told = truth.about(url)
        if told.lang != "en" or told.kind != "articles" or site.is_closed:
            continue
        words = TOPICS.by_name[told.topic].ask.split()
        if words and (told.dim or plain < 200) and spot.place < 4:
            text = page_of(web, url).text.lower()
            said = sum(text.count(word) for word in words)
            dim += told.dim and said <= 1
            plain += not told.dim and said > 1
        mentions += bool(told.mentions)
    assert dim > 20
    assert plain > 60
    assert mentions > 50


def test_secluded_sections_are_linked_from_their_own_host_only():
    web = Web(20_000)
    truth = WebTruth(web)
    inside = 0
    for url in truth.sample(1_200):
        for to in page_of(web, url).links.urls:
            told = truth.about(to)
            if told and told.secluded:
                assert to.split("/")[2] == url.split("/")[2], (url, to)
                inside += 1
    assert inside > 50


def test_seeds_are_off_the_topic_and_lead_to_it(web):
    web = Web(20_000)
    truth = WebTruth(web)
    for topic in ("lighthouses", "bread", "census"):
        asked, seeds = web.question(topic), web.seeds(topic, 5)
        assert len(seeds) == 5
        assert not any(truth.is_relevant(url, asked) for url in seeds)
        ring, seen, steps = list(seeds), set(seeds), 0
        while not any(truth.is_relevant(url, asked) for url in ring):
            ring = list({to for url in ring for to in page_of(web, url).links.urls} - seen)
            seen.update(ring)
            steps += 1
        assert 1 <= steps <= 3, topic
        assert all(web.answer(url).status == 200 for url in seeds)


def test_examples_are_good_and_bad(web, truth):
    good, bad = web.examples("railways", 4)
    asked = web.question("railways")
    assert len(good) == len(bad) == 4
    assert all(truth.is_relevant(url, asked) for url in good)
    assert not any(truth.is_relevant(url, asked) for url in bad)


def test_questions_are_asked_in_words_of_the_language(web):
    assert web.question("lighthouses").words == "lighthouse keeper lantern beacon"
    assert "灯台" in web.question("lighthouses", "ja").words
    assert "Leuchtturm" in web.question("lighthouses", "de").words
    with pytest.raises(ConfigError, match="its topics are lighthouses, "):
        web.question("unicorns")
    with pytest.raises(ConfigError, match="its languages are en, de, ja, fr"):
        web.question("bread", "xx")


def test_the_vocabulary_is_rich_and_shared_between_strangers():
    from clew.lab.synthetic import words_de, words_en, words_fr, words_ja

    assert len(TOPICS.asked) >= 40
    names = [topic.name for topic in TOPICS.all]
    assert (
        list(words_en.WORDS) == list(words_de.WORDS) == list(words_ja.WORDS) == list(words_fr.WORDS) == names
    )
    where = Counter()
    for topic in TOPICS.asked:
        words = {word for row in words_en.WORDS[topic.name] for word in row.split()}
        assert len(words) >= 40, topic.name
        where.update(words)
        for other in topic.near:
            assert other in TOPICS.by_name
    assert all(where[word] >= 2 for word in ("lens", "signal", "castle", "keeper", "plate", "press", "crane"))
    for rows in words_ja.WORDS.values():
        "".join(rows).encode("shift_jis") + "".join(rows).encode("euc-jp")
