"""A crawl that begins with what another has learned; example pages that are checked when they are named."""

import tempfile
from pathlib import Path

import pytest

import clew
from clew.config import load, template
from clew.domain.model_files import Model, write_model
from clew.judge.examples import ExamplesJudge
from clew.testing import sample_page
from clew.types import Label
from tests.small_web import CONTACT, QUICK, linked, serving
from tests.test_usage_errors import said as spoken

SEED = ("--seed", "https://a.org", "--contact", CONTACT, "--no-check")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with crawls and examples as people have them."""
    place = tmp_path_factory.mktemp("like")
    with serving({"/": linked(text="lighthouse beacon " * 9), "/b": linked(text="soup")}) as web:
        clew.Crawl(place / "found", "lighthouse", [web.origin], CONTACT, settings=QUICK).run()
        clew.Crawl(place / "nothing", "zebra", [web.origin], CONTACT, settings=QUICK).run()
    template.write_new(place / "unrun", contact=CONTACT, seeds=["https://a.org"])
    template.write_new(
        place / "old", contact=CONTACT, seeds=["seeds.txt"], about="lighthouse keeper", good=["lamp.html"],
        settings={"goal.judge": "examples", "goal.keep": 0.3, "rank.policy": "best-first", "fetch.delay": 2.5, "scope.hosts": ["seeds"]},
    )  # fmt: skip
    (place / "old" / "seeds.txt").write_text("https://old.org/begin\n")
    (place / "old" / "lamp.html").write_text("<p>the keeper of the lighthouse</p>")
    judge = ExamplesJudge(about="lighthouse keeper")
    judge.learn(Label("https://old.org/lamp", True, 1.0), sample_page(text="The keeper trims the lamp. " * 5))
    judge.save(place / "old" / "models")
    (place / "old" / "models" / "notes.txt").write_text("mine")
    (place / "empty.html").write_text(" \n")
    (place / "list.txt").write_text("https://a.org/1\nhttps://a.org/2\n")
    (place / "paper.pdf").write_bytes(b"%PDF-1.7 \x00\x01")
    (place / "page.html").write_text("<p>a page about lamps</p>")
    (place / "bare").mkdir()
    (place / "saved").mkdir()
    (place / "saved" / "one.html").write_text("<p>a page about lenses</p>")
    return place


def newer():
    """Return a whole model file of a version that nobody knows yet."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "judge.tsv"
        write_model(path, Model(name="examples", version=99))
        return path.read_bytes()


def new(place, monkeypatch, capsys, *words):
    return spoken(["new", *words], place, monkeypatch, capsys)


def test_everything_learned_and_set_is_taken_over_but_what_was_said_otherwise(place, monkeypatch, capsys):
    words = ("--like", "old", "--about", "fog signals", "--set", "fetch.delay=4", "--no-check")
    code, said, wrong = new(place, monkeypatch, capsys, "warm", *words)
    assert code == 0, wrong
    made = load(place / "warm" / "clew.toml")
    assert (made.goal.about, made.fetch.delay) == ("fog signals", 4.0)
    assert (made.goal.keep, made.rank.policy, made.crawl.contact) == (0.3, "best-first", CONTACT)
    assert made.goal.good == [str(place / "old" / "lamp.html")]
    assert made.crawl.seeds == ["https://old.org/begin"], "no others were given"
    assert made.scope.hosts == ["any"], "the scope belongs to the old seeds"
    copied = (place / "warm" / "models" / "judge.tsv").read_bytes()
    assert copied == (place / "old" / "models" / "judge.tsv").read_bytes()
    assert "its models: judge.tsv" in said
    assert "copied from old: good, contact, seeds, goal." in said


def test_seeds_of_its_own_are_all_it_has(place, monkeypatch, capsys):
    assert new(place, monkeypatch, capsys, "own", "--like", "old", *SEED)[0] == 0
    assert load(place / "own" / "clew.toml").crawl.seeds == ["https://a.org"]


def test_a_crawl_that_has_learned_nothing_says_so(place, monkeypatch, capsys):
    code, said, _ = new(place, monkeypatch, capsys, "cold", "--like", "unrun/clew.toml", "--no-check")
    assert code == 0
    assert "has no models yet" in said
    assert not (place / "cold" / "models").exists()


@pytest.mark.parametrize(
    ("like", "spoiled", "wanted"),
    [
        ("nowhere", None, "does not exist"),
        ("bare", None, "holds no crawl"),
        ("page.html", None, "is a file"),
        ("old", b"# clew model examples 1\n[terms]\nterm\tweight\n", "is damaged"),
        ("old", b"# clew model examples 1\n\xff\xfe", "is damaged"),
        ("old", newer(), "newer clew"),
    ],
)
def test_what_cannot_be_taken_over_is_answered(place, monkeypatch, capsys, like, *, spoiled, wanted):
    path = place / "old" / "models" / "judge.tsv"
    whole = path.read_bytes()
    try:
        path.write_bytes(spoiled or whole)
        code, out, err = new(place, monkeypatch, capsys, "never", "--like", like, *SEED)
    finally:
        path.write_bytes(whole)
    assert (code, out) == (2, "")
    assert wanted in err
    assert len(err.splitlines()) <= 3
    assert not (place / "never").exists()


@pytest.mark.parametrize("example", ["page.html", "saved", "found", "https://b.org/good"])
def test_files_folders_crawls_and_addresses_are_examples(place, monkeypatch, capsys, example):
    name = f"with-{example.partition('.')[0].replace('/', '').replace(':', '')}"
    code, _, err = new(place, monkeypatch, capsys, name, "--good", example, "--bad", "page.html", *SEED)
    assert code == 0, err
    (kept,) = load(place / name / "clew.toml").goal.good
    assert kept == (example if "://" in example else str(place / example))


@pytest.mark.parametrize(
    ("example", "wanted"),
    [
        ("empty.html", "is empty"),
        ("list.txt", "list of URLs"),
        ("paper.pdf", "is not text"),
        ("bare", "no page with text"),
        ("nothing", "no relevant pages"),
        ("unrun", "no pages yet"),
        ("pgae.html", "did you mean page.html?"),
        ("htps://a.org", "did you mean https://a.org"),
    ],
)
def test_an_example_that_teaches_nothing_is_refused_at_once(place, monkeypatch, capsys, example, wanted):
    for option in ("--good", "--bad"):
        code, out, err = new(place, monkeypatch, capsys, "never", option, example, *SEED)
        assert (code, out) == (2, "")
        assert wanted in err
    assert not (place / "never").exists()


def test_a_warm_start_works_from_the_first_page(tmp_path):
    """Crawl with a policy that learns, begin another like it, and see that it runs and knows."""
    pages = {f"/p{n}": linked(text=f"lighthouse beacon {n} " * 6) for n in range(6)}
    with serving({"/": linked(*pages, text="begin " * 20)} | pages) as web:
        first = clew.Crawl(
            tmp_path / "first", "lighthouse beacon", [web.origin], CONTACT, settings=QUICK, ranker="ariadne"
        )
        first.run()
        first.label(f"{web.origin}/p1", good=True)
        assert any("/p1: yes" in hint for hint in first.run().hints)
        models = sorted(path.name for path in (first.folder / "models").glob("*.tsv"))
        assert "links.tsv" in models
        from clew.cli.inherit import legacy

        second = clew.Crawl(
            tmp_path / "second", "lighthouse", [web.origin], CONTACT, settings=QUICK, ranker="ariadne"
        )
        second.save()
        legacy(first.folder).hand_over(second.folder)
        assert sorted(path.name for path in (second.folder / "models").iterdir()) == models
        assert second.run().pages == 7
