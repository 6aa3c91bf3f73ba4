"""Labels that contradict the threshold: another one is proposed, once, also over restarts."""

import re

import clew
from clew.domain.labelled_verdicts import LabelledVerdicts, key_of
from clew.store import read_sql
from tests.small_web import CONTACT, QUICK, linked, serving


def labelled(*pairs):
    known = LabelledVerdicts()
    for number, (verdict, good) in enumerate(pairs):
        known.add(f"https://a.example/{number}", verdict, good=good)
    return known


def test_nothing_is_proposed_of_few_or_one_sided_labels_or_small_gains():
    assert labelled(*[(0.4, True)] * 9).proposal(0.5) is None
    assert labelled(*[(0.4, True)] * 20).proposal(0.5) is None
    assert labelled(*[(0.4, True)] * 2, *[(0.8, True)] * 5, *[(0.1, False)] * 5).proposal(0.5) is None
    assert labelled(*[(0.4, True), (0.4, False)] * 10).proposal(0.5) is None


def test_a_threshold_is_proposed_on_either_side():
    low = labelled(*[(0.4, True)] * 5, *[(0.1, False)] * 5).proposal(0.5)
    high = labelled(*[(0.9, True)] * 5, *[(0.6, False)] * 5).proposal(0.5)
    assert low == (0.4, 10, 5)
    assert high == (0.61, 10, 5)


def test_a_changed_label_keeps_the_verdict_from_before_the_first_and_a_removed_one_goes():
    known = labelled((0.4, True))
    known.add("https://a.example/0", 1.0, good=False)
    assert known.pairs == {key_of("https://a.example/0"): (0.4, False)}
    assert LabelledVerdicts.of({"verdicts before labels": known.packed()}) == known
    known.add("https://a.example/0", 0.0, good=None)
    assert known.pairs == {}


def test_a_crawl_proposes_once_over_restarts(tmp_path):
    relevant = {f"/good{n}": linked(text=f"harbour lamp number {n} " * 8) for n in range(8)}
    others = {f"/bad{n}": linked(text=f"onion soup with bread {n} " * 8) for n in range(5)}
    web_pages = {"/": linked(*relevant, *others, text="start")} | relevant | others
    with serving(web_pages) as web:
        crawl = clew.Crawl(tmp_path / "c", "lighthouse", [web.origin], CONTACT, settings=QUICK)
        crawl.run()
        assert not [
            1 for (verdict,) in read_sql(tmp_path / "c", "SELECT verdict FROM pages") if (verdict or 0) >= 0.5
        ]
        change = {f"{web.origin}{path}": path in relevant for path in [*relevant, *others]}
        before = dict(
            read_sql(
                tmp_path / "c", "SELECT url, verdict FROM pages JOIN links USING (id) WHERE verdict NOT NULL"
            )
        )
        for url, good in change.items():
            crawl.label(url, good)
        crawl.run()
        ((stored,),) = read_sql(tmp_path / "c", "SELECT value FROM meta WHERE key = 'verdicts before labels'")
        known = LabelledVerdicts.of({"verdicts before labels": stored})
        assert known.pairs == {key_of(url): (before[url], good) for url, good in change.items()}
        crawl.run()
        assert read_sql(tmp_path / "c", "SELECT value FROM meta WHERE key = 'verdicts before labels'") == [
            (stored,)
        ]


def test_the_proposal_names_the_command():
    known = labelled(*[(0.4, True)] * 5, *[(0.1, False)] * 5)
    said = known.news(0.5, "wind")
    assert re.search(r"goal.keep = 0.4 agrees with 10 of your 10 labels, 0.5 with 5", said)
    assert said.endswith("clew run wind --set goal.keep=0.4")
    assert known.news(0.5, "wind") == ""
