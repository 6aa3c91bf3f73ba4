"""The default policy: five witnesses whose sums are right, what they learn, and breadth as a choice."""

from dataclasses import replace

import numpy as np
import pytest

from clew import urls
from clew.contracts import LinearRanker, Persistent
from clew.rank.clew.policy import CRAWL_PATH, TAG_PATH, Clew
from clew.rank.shared.inlinks import LEVELS, Inlinks
from clew.rank.shared.link_tokens import PAGE, VERDICT_LEVEL, token_id
from clew.rank.shared.token_stats import logistic
from clew.registry import capabilities
from clew.services.search import TopicVocabulary
from clew.testing import check_ranker, sample_page
from clew.types import Label, Links

from .graphs import links
from .test_all_policies import GOAL
from .test_ariadne import RECIPES, REPORTS, read, taught


def standing(*told):
    """Return links with their places: (address, text, tag path) each."""
    made = links(*((url, text) for url, text, _ in told))
    return replace(made, paths=[path for *_, path in told])


class Crawl:
    """Keep the features of links by id as the frontier does, and follow some of them."""

    def __init__(self, ranker):
        self.ranker, self.features, self.next = ranker, {}, 1
        ranker.use_features(self.features.get)

    def read(self, url, value, found: Links, *, id=0, parent=0, anchor=""):
        """Read a page: learn from it, keep what is known of its links; return their ids."""
        if not id:
            id, self.next = self.next, self.next + 1
        outcome = read(url, value, id=id, parent=parent, anchor=anchor)
        self.ranker.learn(outcome)
        rows = self.ranker.features(outcome, found)
        ids = range(self.next, self.next + len(found))
        self.next += len(found)
        self.features.update(zip(ids, rows, strict=True))
        return dict(zip(found.urls, ids, strict=True)), id


def test_it_keeps_its_promises():
    ranker = Clew(**GOAL)
    check_ranker(ranker)
    assert isinstance(ranker, LinearRanker)
    assert isinstance(ranker, Persistent)


def test_it_learns_where_on_a_page_good_links_stand():
    crawl = Crawl(Clew(about="permits"))
    menu = [(f"https://s.test/m{n}", "more", "body/nav.menu/a") for n in range(12)]
    list_ = [(f"https://s.test/l{n}", "more", "body/main/ul.register/li/a") for n in range(12)]
    ids, home = crawl.read("https://s.test/", 0.5, standing(*menu, *list_))
    for url, id in ids.items():
        crawl.read(url, 0.9 if "/l" in url else 0.0, Links(), id=id, parent=home, anchor="more")
    crawl.ranker.weights()
    good, bad = crawl.ranker.score(
        read("https://s.test/other", 0.5),
        standing(
            ("https://s.test/z", "more", "body/main/ul.register/li/a"),
            ("https://s.test/y", "more", "body/nav.menu/a"),
        ),
    )
    assert good > bad + 0.03
    elsewhere = crawl.ranker.score(
        read("https://other.test/", 0.5),
        standing(
            ("https://other.test/z", "more", "body/main/ul/li/a"),
            ("https://other.test/y", "more", "body/nav/a"),
        ),
    )
    assert elsewhere[0] > elsewhere[1], "tags without classes are known on other hosts too"


def test_it_learns_that_dry_pages_may_lead_somewhere():
    """Good pages always lie two pages behind the last one: then a dry way must not count as a bad sign."""
    crawl = Crawl(Clew(about="permits"))
    ids, home = crawl.read("https://s.test/", 0.9, links(*((f"https://s.test/a{n}", "") for n in range(15))))
    for number, (url, id) in enumerate(ids.items()):
        below, here = crawl.read(url, 0.0, links((f"https://s.test/b{number}", "")), id=id, parent=home)
        for deep, deep_id in below.items():
            crawl.read(deep, 0.9, Links(), id=deep_id, parent=here)
    weights = crawl.ranker.weights()
    names = crawl.ranker.stats.names
    odds = {token: float(weights.table[at]) for at, (family, token) in names.items() if family == "way"}
    assert odds["1 page since a good one"] > 0 > odds["on a good page"]


def test_reasons_add_up_to_each_feature_group():
    ranker = taught(Clew(about="turbine"), REPORTS + RECIPES)
    source, found = read("https://s.test/", 0.5), standing(
        ("https://s.test/reports/a.html", "turbine report", "body/ul.list/li/a")
    )  # fmt: skip
    rows = ranker.features(source, found)
    heights = {family.name: family.weight for family in ranker.current_weights().groups}
    (story,) = ranker.explain_terms(source, found, rows)
    assert list(story) == [family.name for family in ranker.groups]
    sums = [
        heights[name] * logistic(np.float32(sum(odds for _, odds in words))) for name, words in story.items()
    ]
    assert sum(sums) == pytest.approx(float(ranker.score(source, found)[0]), abs=1e-3)


def test_asking_why_changes_nothing():
    ranker = taught(Clew(about="turbine"), REPORTS + RECIPES)
    source, found = read("https://s.test/", 0.9), links(("https://s.test/x", "x"))
    before = ranker.features(source, found)
    for _ in range(5):
        ranker.explain_terms(source, found)
    again = ranker.features(source, found)
    assert (again == before).all()


def test_pointers_count_a_page_once_and_never_overflow():
    pointers = Inlinks(slots=1 << 10)
    names = np.array([5, 5, 5, 6], np.uint64)
    for _ in range(1_000):
        pointers.add_page(names, 1.0)
    assert pointers.levels(names).tolist() == [5 * LEVELS + 5] * 4
    assert pointers.levels(np.array([7], np.uint64)).tolist() == [0]


def test_diversity_lets_hosts_give_way():
    """Of two hosts with equal links the one that has given much comes later, the more so with more of it."""

    def scores(diversity):
        ranker = Clew(about="turbine", diversity=diversity)
        taught(ranker, REPORTS + RECIPES)
        return ranker.score(
            read("https://s.test/", 0.5),
            links(("https://s.test/news/1", "turbine report"), ("https://t.test/news/1", "turbine report")),
        ).tolist()

    gaps = [own - other for own, other in map(scores, (0.0, 0.5, 1.0))]
    assert gaps[0] >= 0, "without it, a host that gave good pages is trusted"
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0


def test_what_hosts_have_given_is_said_and_outlives_the_run(tmp_path):
    ranker = taught(Clew(about="turbine", diversity=1.0), REPORTS + RECIPES)
    source, found = read("https://s.test/", 0.5), links(("https://s.test/news/1", "turbine report"))
    rows = ranker.features(source, found)
    heights = {family.name: family.weight for family in ranker.current_weights().groups}
    (story,) = ranker.explain_terms(source, found, rows)
    said = [word for words in story.values() for word, _ in words]
    assert any("its host already yielded" in word for word in said), said
    sums = [
        heights[name] * logistic(np.float32(sum(odds for _, odds in words))) for name, words in story.items()
    ]
    assert sum(sums) == pytest.approx(float(ranker.score(source, found)[0]), abs=1e-3)
    ranker.save(tmp_path)
    again = Clew(about="turbine", diversity=1.0)
    again.load(tmp_path)
    assert (again.yielding_hosts, again.stats.relevant[again.yielding_hosts].tolist()) == (
        ranker.yielding_hosts, ranker.stats.relevant[ranker.yielding_hosts].tolist(),
    )  # fmt: skip
    other = read("https://s.test/other", 0.5)
    assert again.score(other, found) == pytest.approx(ranker.score(other, found), abs=1e-3)


def test_a_host_gives_a_page_once_however_often_the_crawl_is_begun_again(tmp_path):
    def begun():
        ranker = Clew(about="turbine", diversity=1.0)
        ranker.load(tmp_path)
        return Crawl(ranker)

    crawl, given = begun(), {}
    for run in range(3):
        listed = [(f"https://s.test/{run}/{n}", "turbine") for n in range(12)]
        ids, home = crawl.read(f"https://s.test/list{run}", 0.0, links(*listed))
        for url, id in ids.items():
            crawl.read(url, 0.9, Links(), id=id, parent=home, anchor="turbine")
        crawl.ranker.training_counts()
        given[run] = crawl.ranker.stats.relevant[crawl.ranker.yielding_hosts].tolist()
        crawl.ranker.save(tmp_path)
        crawl = begun()
    assert given == {0: [12.0], 1: [24.0], 2: [36.0]}
    source, found = read("https://s.test/", 0.5), links(("https://t.test/news/1", "turbine"))
    rows = crawl.ranker.features(source, found)
    (story,) = crawl.ranker.explain_terms(source, found, rows)
    odds = [sum(each for _, each in words) for words in story.values()]
    heights = [family.weight for family in crawl.ranker.current_weights().groups]
    told = sum(height * logistic(np.float32(each)) for height, each in zip(heights, odds, strict=True))
    assert told == pytest.approx(float(crawl.ranker.score(source, found)[0]), abs=1e-3), (
        "a host that gave nothing"
    )


def test_of_a_page_of_an_earlier_run_the_verdict_is_known():
    ranker = Clew(about="turbine")
    for verdict, said in ((0.9, "on a good page"), (0.1, "1 page since a good one")):
        (row,) = ranker.features(
            read("https://s.test/", verdict, id=7, parent=3), links(("https://s.test/x", "x"))
        )
        assert said in [ranker.stats.names[at][1] for at in row[24 + TAG_PATH :].tolist() if at]


def test_a_person_may_strike_a_word_that_was_searched_for(tmp_path):
    ranker = Clew(about="permits")
    ranker.set_priors({"turbine": 1.0, "harbour": 1.0, "permits": 1.0}, source="search")
    ranker.set_priors({"grid": 1.0}, source="judge")
    ranker.set_priors({"turbine": 1.0}, source="search")
    home = read("https://s.test/", 0.5)
    found = links(
        *(
            (f"https://s.test/{n}", word)
            for n, word in enumerate(("turbine", "grid", "permits", "harbour", "tea"))
        )
    )
    turbine, grid, permits, harbour, tea = ranker.score(home, found).tolist()
    assert permits > turbine == grid > tea, "the user's own word is also looked for around links"
    assert harbour == tea


def test_its_columns_are_those_of_its_families():
    source, found = read("https://s.test/", 0.5), links(("https://s.test/x", "x"))
    assert Clew().features(source, found).shape == (1, 24 + TAG_PATH + CRAWL_PATH)
    assert Clew(about="tea").features(source, found).shape == (1, 24 + TAG_PATH + CRAWL_PATH + 1)


def around(*contexts):
    found = links(*((f"https://s.test/{n}", "more") for n in range(len(contexts))))
    return replace(found, contexts=list(contexts))


def test_the_words_around_a_link_count_before_anything_was_learned():
    near, far = Clew(about="turbine noise").score(
        read("https://s.test/", 0.0), around("noise of a turbine", "soup with onions")
    )
    assert near > far + 0.05


def test_a_word_of_the_goal_that_is_around_every_link_tells_nothing():
    ranker = Clew(about="turbine noise")
    for n in range(40):
        ranker.features(read(f"https://s.test/{n}", 0.0), around(*["turbine news"] * 5))
    common, rare, none = ranker.score(
        read("https://s.test/last", 0.0), around("turbine news", "noise news", "soup news")
    ).tolist()
    assert rare > common + 0.05
    assert common == pytest.approx(none, abs=0.02)


def test_how_common_the_words_of_the_goal_are_outlives_the_run(tmp_path):
    ranker, page = Clew(about="turbine noise"), read("https://s.test/a", 0.0)
    ranker.features(page, around(*["turbine news"] * 50))
    ranker.save(tmp_path)
    again = Clew(about="turbine noise")
    again.load(tmp_path)
    other, found = read("https://s.test/b", 0.0), around("turbine news", "noise of a mill")
    levels = [each.features(other, found)[:, -1].tolist() for each in (ranker, again)]
    assert levels[0] == levels[1] != Clew(about="turbine noise").features(other, found)[:, -1].tolist()


def test_words_that_a_search_has_taught_count_while_the_crawl_goes_on(tmp_path):
    ranker = Clew(about="permits")
    home, found = (
        read("https://s.test/", 0.5),
        links(("https://s.test/a", "turbine"), ("https://s.test/b", "tea")),
    )
    ranker.learn(home)
    before, _ = ranker.score(home, found), ranker.weights()
    assert ranker.weights() is None, "nothing has changed yet"
    words = TopicVocabulary(abilities=capabilities.of_ranker(ranker), folder=tmp_path)
    for number in range(12):
        words.learn(
            sample_page(f"https://s.test/{number}", text="A turbine turns. The turbine stands. Turbine!")
        )
    assert words.publish()
    assert ranker.weights() is not None, "open links are ranked anew"
    after = ranker.score(home, found)
    assert after[0] > before[0] + 0.05
    assert after[1] == pytest.approx(before[1])


def test_knowledge_outlives_the_run(tmp_path):
    ranker = taught(Clew(about="turbine"), REPORTS + RECIPES)
    ranker.save(tmp_path)
    assert "clew.tsv" in {path.name for path in tmp_path.iterdir()}
    other = Clew(about="turbine")
    other.load(tmp_path)
    source, found = read("https://s.test/", 0.5), links(("https://s.test/reports/9", "turbine"))
    assert other.score(source, found) == pytest.approx(ranker.score(source, found), abs=1e-4)


def test_the_goals_words_stand_in_for_a_judge_who_has_seen_nothing():
    """Pages that speak of the goal come from one folder; no page counts until the last one does."""

    def crawled(last):
        crawl = Crawl(Clew(about="turbine permits"))
        listed = [(f"https://s.test/{('north', 'south', 'west')[n % 3]}/{n}", "more") for n in range(30)]
        ids, home = crawl.read("https://s.test/", 0.0, links(*listed))
        for url, id in ids.items():
            text = "turbine permits are turbine permits" if "/north/" in url else "soup and bread"
            told = replace(
                read(url, 0.0, id=id, parent=home, anchor="more"), page=sample_page(url, text=text)
            )
            told = replace(
                told, page=replace(told.page, response=read(url, 0.0, id=id, parent=home).page.response)
            )
            crawl.ranker.learn(told)
        crawl.ranker.learn(read("https://s.test/x", last, id=900, parent=home, anchor="more"))
        crawl.ranker.refit()
        crawl.ranker.weights()
        return crawl.ranker.score(
            read("https://s.test/", 0.0),
            links(("https://s.test/north/x", "more"), ("https://s.test/south/x", "more")),
        )

    near, far = crawled(0.0).tolist()
    assert near > far + 0.01, "the folder whose pages speak of it"
    near, far = crawled(0.9).tolist()
    assert near == pytest.approx(far, abs=1e-3), "what stood in is taken back"


def test_a_link_that_fails_is_not_held_against_its_words():
    def dead(number):
        outcome = read(f"https://s.test/old/{number}", 0.0, id=number, parent=1, anchor="permit register")
        page = outcome.page
        return replace(outcome, page=replace(page, response=replace(page.response, status=404)))

    found = standing(
        ("https://s.test/new/a", "permit register", "body/a"),
        ("https://s.test/new/b", "contact", "body/a"),
        ("https://s.test/old/c", "permit register", "body/a"),
    )
    ranker, fresh = Clew(about="permit"), Clew(about="permit")
    for each in (ranker, fresh):
        each.learn(read("https://s.test/", 0.5, id=1))
    for number in range(2, 32):
        ranker.learn(dead(number))
    ranker.weights()
    token = token_id("text", "permit")
    assert ranker.current_weights().table[token] == pytest.approx(
        fresh.current_weights().table[token], abs=0.2
    )
    scores = ranker.score(read("https://s.test/", 0.5), found)
    assert scores[0] > scores[1], "the words still count"
    assert scores[0] > scores[2], "the folder of the dead links does not"


def test_pages_that_are_judged_again_are_learned_again():
    """Reports looked irrelevant and recipes relevant, until the judge learned better."""
    ranker = taught(
        Clew(about="wind"), [(*each[:2], 0.1) for each in REPORTS] + [(*each[:2], 0.9) for each in RECIPES]
    )
    ranker.learn_label(Label(REPORTS[0][0], False, 0.0), read(*REPORTS[0][::2], id=2, parent=1).page)
    report, recipe = (
        ("https://s.test/reports/x.html", "turbine report"),
        ("https://s.test/soup/x.html", "soup"),
    )
    before = ranker.score(read("https://s.test/", 0.5), links(report, recipe))
    for id, (url, anchor, _) in enumerate(REPORTS, 2):
        rows = ranker.features(read(url, 0.1, id=id), links(("https://s.test/y", "more")))
        revised = ranker.revise_outcome(read(url, 0.9, id=id, parent=1, anchor=anchor), rows)
        assert revised[0, 0] == VERDICT_LEVEL + 14, "links of the page have the new verdict"
        assert rows[0, 0] == VERDICT_LEVEL + 1
        assert revised[0, PAGE:-1].tolist()[:20] == rows[0, PAGE:-1].tolist()[:20]
    assert ranker.weights() is not None, "all links are ranked again"
    after = ranker.score(read("https://s.test/", 0.5), links(report, recipe))
    assert before[0] < before[1] - 0.1
    assert after[0] > before[0] + 0.2
    assert ranker.training.verdict(urls.fingerprint(REPORTS[0][0])) == 0.0, "a label stays"
    assert ranker.training.verdict(urls.fingerprint(REPORTS[1][0])) > 0.9


def test_revised_verdicts_teach_the_links_to_pages_and_change_the_features_of_links_on_them():
    ranker = taught(
        Clew(about="wind"), [(*each[:2], 0.1) for each in REPORTS] + [(*each[:2], 0.9) for each in RECIPES]
    )
    ranker.learn_label(Label(REPORTS[0][0], False, 0.0), read(*REPORTS[0][::2], id=2, parent=1).page)
    there = ranker.features(read(REPORTS[1][0], 0.1, id=3), links(("https://s.test/y", "more")))
    elsewhere = ranker.features(read("https://s.test/z", 0.1, id=900), links(("https://s.test/y", "more")))
    report = links(("https://s.test/reports/x.html", "turbine report"))
    before, rows = ranker.score(read("https://s.test/", 0.5), report), np.concatenate((there, elsewhere))
    ranker.learn_revisions({url: 0.9 for url, *_ in REPORTS} | {"https://s.test/never": 0.9})(rows)
    assert rows[0, 0] == VERDICT_LEVEL + 14
    assert (rows[0, 1:] == there[0, 1:]).all()
    assert (rows[1] == elsewhere[0]).all(), "links of other pages stay as they are"
    assert ranker.weights() is not None, "all links are ranked again"
    assert ranker.score(read("https://s.test/", 0.5), report)[0] > before[0] + 0.2
    assert ranker.training.verdict(urls.fingerprint(REPORTS[0][0])) == 0.0, "a label stays"


def test_a_page_that_was_never_learned_from_changes_nothing():
    ranker = taught(Clew(about="wind"), REPORTS)
    rows = ranker.features(read("https://s.test/z", 0.1, id=900), links(("https://s.test/y", "more")))
    assert (ranker.revise_outcome(read("https://s.test/z", 0.9, id=900, parent=1), rows) == rows).all()
    assert len(ranker.training) == len(REPORTS)
