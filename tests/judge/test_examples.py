"""The learning judges with few, many, bad, duplicate and contradictory examples."""

import re
import time
from dataclasses import replace

import numpy as np
import pytest

from clew.errors import ConfigError
from clew.judge.bayes import BayesJudge
from clew.judge.example_pages import MAX_EXAMPLES, read_examples
from clew.judge.examples import MAX_OTHERS, REFIT_AT, ExamplesJudge
from clew.judge.term_list import TERM_LIST_FILE, Term, propose_terms, read_terms, write_terms
from clew.lab.synthetic.truth import WebTruth
from clew.lab.synthetic.web import Web
from clew.parse import read
from clew.testing import check_judge, sample_page
from clew.types import Label, Link, Response
from clew.urls import Canon, origin

LAMP = "lighthouse keeper lamp lens fog signal beacon tower shipping coast harbour rock storm oil wick"
SOUP = "onion soup kitchen butter cook pan salt bread plate dinner recipe pepper stove garlic spoon"
TOWN = "council meeting road budget school library parking election mayor bus traffic office street"


def page(words, number, lang="en", size=60):
    rng = np.random.default_rng(number)
    chosen = rng.choice(words.split(), size)
    return replace(
        sample_page(f"https://{words[:4]}{len(words)}.test/{number}", text=" ".join(chosen)), lang=lang
    )


def label(example, good, at=0.0):
    return Label(example.url, good, at)


def trained(judge, many=3, others=40):
    for number in range(many):
        example = page(LAMP, number)
        judge.learn(label(example, good=True), example)
    for number in range(others):
        judge.judge(page((SOUP, TOWN)[number % 2], number))
    return judge


@pytest.mark.parametrize("make", [ExamplesJudge, BayesJudge])
def test_it_passes_the_judge_checks(make):
    check_judge(make())
    check_judge(make(about="lighthouse"))
    check_judge(make(about="灯台の許可"))
    check_judge(trained(make()))


@pytest.mark.parametrize("make", [ExamplesJudge, BayesJudge])
def test_three_examples_and_no_counter_examples(make):
    judge = trained(make())
    good = [judge.judge(page(LAMP, number)).value for number in range(100, 120)]
    bad = [judge.judge(page(SOUP, number)).value for number in range(100, 120)]
    assert min(good) > max(bad)
    assert np.mean(np.array(good) > 0.5) > 0.8
    assert max(bad) < 0.2


def test_the_reasons_name_words_of_the_page():
    verdict = trained(ExamplesJudge()).judge(
        replace(page(LAMP, 200), text=page(LAMP, 200).text + " Lighthouses")
    )
    assert verdict.why[0].startswith('like your examples: "')
    named = [part.split('"')[1] for part in verdict.why[0].split(", ")]
    assert all(word in (LAMP + " lighthouses").split() for word in named), named
    off = trained(ExamplesJudge()).judge(page(SOUP, 200))
    assert any(why.startswith("unlike your examples") for why in off.why)
    assert (
        trained(ExamplesJudge()).judge(page("zzz qqq xxx", 1)).why[0]
        == "none of the words that tell your examples"
    )


def test_labels_count_once_the_last_one_wins_and_all_can_be_taken_back():
    one, other, page_to_judge = page(LAMP, 1), page(SOUP, 1000), page(SOUP, 1001)
    judge, fresh = trained(ExamplesJudge()), trained(ExamplesJudge())
    for at in (1.0, 2.0, 3.0):
        judge.learn(label(other, good=True, at=at), other)
    twice = judge.judge(page_to_judge)
    fresh.learn(label(other, good=True, at=3.0), other)
    assert twice == fresh.judge(page_to_judge)
    assert twice.value > trained(ExamplesJudge()).judge(page_to_judge).value
    judge.learn(label(other, good=False, at=4.0), other)
    assert judge.judge(page_to_judge).value < 0.1
    judge.learn(label(other, good=True, at=2.0), other)  # an older label that arrives late
    assert judge.judge(page_to_judge).value < 0.1
    judge.forget_label(other.url)
    assert judge.judge(page_to_judge).value == pytest.approx(
        trained(ExamplesJudge()).judge(page_to_judge).value, abs=0.002
    )
    judge.forget_label("https://never.test/")
    assert judge.judge(one).value > 0.5


def test_the_same_example_three_times_is_one_example():
    example = page(LAMP, 1)
    once, thrice = ExamplesJudge(), ExamplesJudge()
    once.learn(label(example, good=True), example)
    for number in range(3):
        copy = replace(example, response=page(LAMP, number).response)
        thrice.learn(label(copy, good=True), copy)
    for judge in (once, thrice):
        for number in range(40):
            judge.judge(page(SOUP, number))
    page_to_judge = page(LAMP, 50)
    assert once.judge(page_to_judge).value == pytest.approx(thrice.judge(page_to_judge).value)


def test_after_the_first_pages_only_labels_change_the_model():
    judge = trained(ExamplesJudge(), others=MAX_OTHERS + 2)
    page_to_judge = page(LAMP, 77)
    before, learned = judge.judge(page_to_judge), judge.learned
    for number in range(MAX_OTHERS, 3 * MAX_OTHERS):
        judge.judge(page(LAMP, number))
    assert judge.judge(page_to_judge) == before
    assert judge.learned == learned


def test_counter_examples_take_what_they_share_with_the_examples():
    mixed = f"{LAMP} {TOWN}"
    judge = trained(ExamplesJudge(), others=MAX_OTHERS + 2)
    before = [judge.judge(page(mixed, number)).value for number in range(90, 99)]
    for number in range(30):
        example = page(mixed, number)
        judge.learn(label(example, good=False), example)
    after = [judge.judge(page(mixed, number)).value for number in range(90, 99)]
    assert np.mean(after) < np.mean(before) - 0.02
    assert judge.judge(page(LAMP, 77)).value > 0.5


def test_a_page_judged_twice_gets_the_same_verdict_at_every_moment():
    judge = trained(ExamplesJudge(), others=0)
    for number in range(MAX_OTHERS + 5):
        page_to_judge = page((SOUP, TOWN)[number % 2], number)
        assert judge.judge(page_to_judge) == judge.judge(page_to_judge), number
    assert REFIT_AT[-1] == MAX_OTHERS


def test_without_words_and_examples():
    assert ExamplesJudge().judge(page(SOUP, 1)).value == 1.0
    waiting = ExamplesJudge(good=("https://a.test/example",)).judge(page(SOUP, 1))
    assert waiting.value == 0.0
    assert waiting.why == ("no example has arrived yet",)


def test_another_language_is_named_in_the_reasons():
    judge = trained(ExamplesJudge())
    verdict = judge.judge(page("灯台 料理 学校 会議 道路 予算 図書館", 1, lang="ja"))
    assert "it is in ja, your examples are in en" in verdict.why


# ---- files, folders, crawls -------------------------------------------------------------------------


def test_files_folders_and_their_faults(tmp_path):
    html = "<html lang=en><head><title>A lamp</title></head><nav>menu</nav><p>{}</p>"
    for number in range(3):
        (tmp_path / f"{number}.html").write_text(html.format(page(LAMP, number).text))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(500))
    (tmp_path / "paper.pdf").write_bytes(b"%PDF-1.7 ...")
    (tmp_path / ".hidden").write_text("not me")
    found = list(read_examples([str(tmp_path)]))
    assert [example.page.title for example in found] == ["A lamp"] * 3
    assert all("menu" not in example.page.text and example.page.lang == "en" for example in found)
    judge = trained(ExamplesJudge(good=(str(tmp_path),)), many=0)
    assert judge.judge(page(LAMP, 100)).value > 0.5 > judge.judge(page(SOUP, 100)).value
    for name, words in (
        (tmp_path / "paper.pdf", "holds no text that can be read; save it as HTML"),
        (tmp_path / "nowhere", "does not exist; goal.good and goal.bad take"),
    ):
        with pytest.raises(ConfigError, match=words):
            ExamplesJudge(good=(str(name),)).prepare()
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="it is empty; put saved pages"):
        ExamplesJudge(good=(str(tmp_path / "empty"),)).prepare()
    (tmp_path / "empty" / "a.jpg").write_bytes(b"\xff\xd8\xff" + bytes(50))
    with pytest.raises(ConfigError, match="none of its 1 files holds text"):
        ExamplesJudge(good=(str(tmp_path / "empty"),)).prepare()


def test_text_in_other_encodings(tmp_path):
    for name, text, encoding in (
        ("a.html", '<meta charset="shift_jis"><p>灯台の光', "shift_jis"),
        ("b.txt", "Leuchttürme an der Küste", "utf-16"),
        ("c.txt", "Leuchttürme an der Küste", "cp1252"),
        ("d.txt", "\ufeffLeuchttürme an der Küste", "utf-8"),
    ):
        (tmp_path / name).write_bytes(text.encode(encoding))
    texts = [example.page.text for example in read_examples([str(tmp_path)])]
    assert texts[0] == "灯台の光"
    assert all(text.lstrip("\ufeff") == "Leuchttürme an der Küste" for text in texts[1:])


def test_ten_thousand_files_are_sampled(tmp_path):
    for number in range(10_000):
        (tmp_path / f"{number:05}.txt").write_text(f"lighthouse {number}")
    began = time.process_time()
    found = list(read_examples([str(tmp_path)]))
    assert len(found) == MAX_EXAMPLES
    assert {int(example.name[-9:-4]) // 1_000 for example in found} == set(range(10))
    assert time.process_time() - began < 5


# ---- the list of terms ------------------------------------------------------------------------------


def test_a_term_list_is_proposed_edited_and_reloaded_at_once(tmp_path):
    good, others = ([page(words, n) for n in range(20)] for words in (LAMP, SOUP))
    found = propose_terms(good, others=others, about="lighthouse", most=20)
    assert len(found) == 20
    assert found[0].weight in {10, -10}
    assert {term.term for term in found if term.weight > 0} & {"lamp", "keeper", "lighthous", "beacon"}
    path = tmp_path / TERM_LIST_FILE
    write_terms(path, found)
    assert read_terms(path) == found
    judge = trained(ExamplesJudge())
    judge.load(tmp_path)
    page_to_judge = page("lamp quarry", 9)
    before = judge.judge(page_to_judge)
    write_terms(path, [Term("lamps", 0, use="strike"), Term("quarry", 10, use="keep")])
    struck = judge.judge(page_to_judge)
    assert "lamp" in str(before.why)
    assert "lamp" not in str(struck.why)
    path.write_text("keep\tquarry\tvery much\n")
    assert "is not a weight; write a number from -10 to 10" in judge.judge(page_to_judge).why[-1]
    with pytest.raises(ConfigError, match="line 1"):
        ExamplesJudge().load(tmp_path)
    path.unlink()
    assert judge.judge(page_to_judge) == before


@pytest.mark.parametrize(
    "line", ["perhaps\tlamp\t1", "keep", "keep\t\t3", "keep\tlamp\tnan", "keep\tlamp\t11"]
)
def test_errors_in_the_term_list_name_the_line(tmp_path, line):
    (tmp_path / TERM_LIST_FILE).write_text(f"# mine\n{line}\n")
    with pytest.raises(ConfigError, match="line 2"):
        read_terms(tmp_path / TERM_LIST_FILE)


# ---- saved models ----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [ExamplesJudge, BayesJudge])
def test_a_saved_model_gives_the_same_verdicts(tmp_path, make):
    judge = trained(make(about="lighthouse"))
    example = page(SOUP, 5000)
    judge.learn(label(example, good=False, at=5.0), example)
    judge.save(tmp_path)
    again = make(about="lighthouse")
    again.load(tmp_path)
    for number in range(300, 310):
        for words in (LAMP, SOUP, TOWN):
            page_to_judge = page(words, number)
            assert again.judge(page_to_judge).value == pytest.approx(
                judge.judge(page_to_judge).value, abs=1e-6
            )
    again.learn(label(example, good=True, at=1.0), example)  # an older label is ignored
    assert again.judge(example).value == pytest.approx(judge.judge(example).value, abs=1e-6)


def test_another_judges_model_is_ignored_and_a_damaged_one_is_an_error(tmp_path):
    trained(BayesJudge()).save(tmp_path)
    judge = ExamplesJudge()
    judge.load(tmp_path)
    assert judge.learned == 0
    path = tmp_path / "judge.tsv"
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ConfigError, match="delete the file to learn again"):
        BayesJudge().load(tmp_path)


# ---- how good the probabilities are -----------------------------------------------------------------


@pytest.fixture(scope="module")
def made_up():
    """Pages of a synthetic web, each with whether it is on the topic, and example pages."""
    web = Web(20_000)
    truth, page_to_judge, canon = WebTruth(web), web.task("lighthouses"), Canon()

    def got(url):
        link = Link(id=1, url=url, origin=origin(url))
        reply = web.respond(url)
        head = "".join(f"{name}: {value}\r\n" for name, value in reply.headers)
        response = Response(
            link=link, started=0, ended=0, status=reply.status, body=reply.body,
            head=f"HTTP/1.1 {reply.status} OK\r\n{head}\r\n".encode(),
        )  # fmt: skip
        return read(response, canon=canon, max_bytes=1_000_000)

    good = [got(url) for url in web.examples("lighthouses", 10)[0]]
    pages = [(got(url), truth.is_relevant(url, page_to_judge)) for url in truth.sample(700, seed=3)]
    more, at = [], 0
    while len(more) < 40 and at < 40:
        at += 1
        more += [
            (got(url), True)
            for url in truth.sample(2_000, seed=at + 10)
            if truth.is_relevant(url, page_to_judge)
        ]
    return good, page_to_judge.words, pages, more[:40]


def test_probabilities_are_reliable(made_up):
    good, words, pages, more = made_up
    judge = ExamplesJudge(about=words)
    for example in good:
        judge.learn(label(example, good=True), example)
    for page_to_judge, _ in pages[:300]:
        judge.judge(page_to_judge)
    judged = [(judge.judge(page_to_judge).value, right) for page_to_judge, right in pages[300:] + more]
    value, right = (np.array(column) for column in zip(*judged, strict=True))
    predicted = value >= 0.5
    precision, recall = right[predicted].mean(), predicted[right].mean()
    bins = np.minimum((value * 10).astype(int), 9)
    error = sum(
        abs(value[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean() for b in set(bins)
    )
    brier = ((value - right) ** 2).mean()
    print(
        f"precision {precision:.2f} recall {recall:.2f} ECE {error:.3f} Brier {brier:.3f} right {right.sum()}"
    )
    assert precision > 0.6
    assert recall > 0.6
    assert error < 0.08
    assert brier < 0.05
    sparse = ExamplesJudge()
    sparse.learn(label(good[0], good=True), good[0])
    for page_to_judge, _ in pages[:60]:
        sparse.judge(page_to_judge)
    assert np.mean([sparse.judge(page_to_judge).value > 0.99 for page_to_judge, _ in more]) < 0.2


# ---- what it costs ----------------------------------------------------------------------------------


def test_a_long_page_costs_little():
    rng = np.random.default_rng(3)
    many = [f"{a}{b}" for a in LAMP.split() + SOUP.split() for b in TOWN.split() + LAMP.split()]
    long = replace(sample_page(text=" ".join(rng.choice(many, 2_600))[:20_000]), lang="en")
    judge = trained(ExamplesJudge(), others=MAX_OTHERS + 2)
    for number in range(3):
        judge.learn(
            label(page(" ".join(many), number, size=900), good=True), page(" ".join(many), number, size=900)
        )
    judge.judge(long)

    def cost(call):
        costs = []
        for _ in range(15):
            began = time.process_time()
            call()
            costs.append(time.process_time() - began)
        return min(costs)

    loop = cost(lambda: [None for _ in range(100_000)])  # 1.6 ms on a quiet core of 2020
    assert cost(lambda: judge.judge(long)) < 0.5 * loop


def test_reasons_name_the_words_of_each_term_and_none_twice():
    judge = trained(ExamplesJudge())
    for number in range(3):
        example = page("lampist lampists lamps lamp chemistry chemistries маяки маяков", 60 + number)
        judge.learn(label(example, good=True), example)
    text = "The lampists say that a lampist trims lamps by chemistry. " * 3
    why = " ".join(judge.judge(sample_page(text=text)).why)
    named = re.findall(r'"([^"]+)"', why)
    assert {"lampists", "lamps", "chemistry"} <= set(named)
    assert len(named) == len(set(named))
