"""`clew new --like` copies models and settings of another crawl; example pages are checked."""

import tempfile
from pathlib import Path

import pytest

import clew
from clew.config import load, template
from clew.domain.model_files import Model, write_model
from clew.judge.examples import ExamplesJudge
from clew.rank.sites.policy import Sites
from clew.testing import sample_page
from clew.types import Label
from tests.small_web import CONTACT, QUICK, linked, serving
from tests.test_usage_errors import run_here

SEED = ("--seed", "https://a.org", "--contact", CONTACT, "--no-check")


@pytest.fixture(scope="module")
def folder_of_crawls(tmp_path_factory):
    """A folder with crawls and example pages."""
    folder_of_crawls = tmp_path_factory.mktemp("like")
    with serving({"/": linked(text="lighthouse beacon " * 9), "/b": linked(text="soup")}) as web:
        clew.Crawl(folder_of_crawls / "found", "lighthouse", [web.origin], CONTACT, settings=QUICK).run()
        clew.Crawl(folder_of_crawls / "nothing", "zebra", [web.origin], CONTACT, settings=QUICK).run()
    template.write_new(folder_of_crawls / "unrun", contact=CONTACT, seeds=["https://a.org"])
    template.write_new(
        folder_of_crawls / "old", contact=CONTACT, seeds=["seeds.txt"], about="lighthouse keeper", good=["lamp.html"],
        settings={"goal.judge": "examples", "goal.keep": 0.3, "rank.policy": "best-first", "fetch.delay": 2.5, "scope.hosts": ["seeds"]},
    )  # fmt: skip
    (folder_of_crawls / "old" / "seeds.txt").write_text("https://old.org/begin\n")
    (folder_of_crawls / "old" / "lamp.html").write_text("<p>the keeper of the lighthouse</p>")
    judge = ExamplesJudge(about="lighthouse keeper")
    judge.learn(Label("https://old.org/lamp", True, 1.0), sample_page(text="The keeper trims the lamp. " * 5))
    judge.save(folder_of_crawls / "old" / "models")
    (folder_of_crawls / "old" / "models" / "notes.txt").write_text("mine")
    (folder_of_crawls / "empty.html").write_text(" \n")
    (folder_of_crawls / "list.txt").write_text("https://a.org/1\nhttps://a.org/2\n")
    (folder_of_crawls / "paper.pdf").write_bytes(b"%PDF-1.7 \x00\x01")
    (folder_of_crawls / "page.html").write_text("<p>a page about lamps</p>")
    (folder_of_crawls / "bare").mkdir()
    (folder_of_crawls / "saved").mkdir()
    (folder_of_crawls / "saved" / "one.html").write_text("<p>a page about lenses</p>")
    return folder_of_crawls


def newer():
    """Return a complete model file of a version that is too new."""
    with tempfile.TemporaryDirectory() as folder_of_crawls:
        path = Path(folder_of_crawls) / "judge.tsv"
        write_model(path, Model(name="examples", version=99))
        return path.read_bytes()


def new(folder_of_crawls, monkeypatch, capsys, *words):
    return run_here(["new", *words], folder_of_crawls, monkeypatch, capsys)


def test_models_and_settings_are_copied_unless_given(folder_of_crawls, monkeypatch, capsys):
    words = ("--like", "old", "--about", "fog signals", "--set", "fetch.delay=4", "--no-check")
    code, output, wrong = new(folder_of_crawls, monkeypatch, capsys, "warm", *words)
    assert code == 0, wrong
    made = load(folder_of_crawls / "warm" / "clew.toml")
    assert (made.goal.about, made.fetch.delay) == ("fog signals", 4.0)
    assert (made.goal.keep, made.rank.policy, made.crawl.contact) == (0.3, "best-first", CONTACT)
    assert made.goal.good == [str(folder_of_crawls / "old" / "lamp.html")]
    assert made.crawl.seeds == ["https://old.org/begin"], "no others were given"
    assert made.scope.hosts == ["any"], "the scope belongs to the old seeds"
    copied = (folder_of_crawls / "warm" / "models" / "judge.tsv").read_bytes()
    assert copied == (folder_of_crawls / "old" / "models" / "judge.tsv").read_bytes()
    assert "its models: judge.tsv" in output
    assert "copied from old: good, contact, seeds, goal." in output


def test_given_seeds_replace_the_copied_ones(folder_of_crawls, monkeypatch, capsys):
    assert new(folder_of_crawls, monkeypatch, capsys, "own", "--like", "old", *SEED)[0] == 0
    assert load(folder_of_crawls / "own" / "clew.toml").crawl.seeds == ["https://a.org"]


def test_no_url_of_the_other_crawl_is_added_to_a_list_of_sites(folder_of_crawls, monkeypatch, capsys):
    template.write_new(
        folder_of_crawls / "elsewhere", contact=CONTACT, seeds=["https://old.org/begin"], about="lamps",
        good=["https://old.org/lamp", "../page.html"], bad=["https://old.org/soup"],
    )  # fmt: skip
    (folder_of_crawls / "sites.txt").write_text("one.org\ntwo.org\n")
    words = ("listed", "--like", "elsewhere", "--sites", "sites.txt", "--no-check")
    said = new(folder_of_crawls, monkeypatch, capsys, *words)
    config = load(folder_of_crawls / "listed" / "clew.toml")
    assert config.crawl.seeds == ["sites.txt"]
    assert config.goal.good == [str((folder_of_crawls / "page.html").resolve())]
    assert config.goal.bad == []
    assert "its 2 example pages are not copied" in str(said)


def test_what_was_read_of_sites_is_not_copied(folder_of_crawls, monkeypatch, capsys):
    template.write_new(
        folder_of_crawls / "explored", contact=CONTACT, seeds=["https://old.org"], about="lamps",
        settings={"rank.policy": "sites"},
    )  # fmt: skip
    models = folder_of_crawls / "explored" / "models"
    ranker = Sites(about="lamps")
    ranker.save(models)
    assert (models / "sites.tsv").exists()
    words = ("again", "--like", "explored", "--seed", "https://new.org", "--no-check")
    new(folder_of_crawls, monkeypatch, capsys, *words)
    assert not (folder_of_crawls / "again" / "models" / "sites.tsv").exists()


def test_a_crawl_without_models_is_reported(folder_of_crawls, monkeypatch, capsys):
    code, output, _ = new(
        folder_of_crawls, monkeypatch, capsys, "cold", "--like", "unrun/clew.toml", "--no-check"
    )
    assert code == 0
    assert "has no models yet" in output
    assert not (folder_of_crawls / "cold" / "models").exists()


@pytest.mark.parametrize(
    ("like", "spoiled", "wanted"),
    [
        ("nowhere", None, "does not exist"),
        ("bare", None, "contains no crawl"),
        ("page.html", None, "is a file"),
        ("old", b"# clew model examples 1\n[terms]\nterm\tweight\n", "is damaged"),
        ("old", b"# clew model examples 1\n\xff\xfe", "is damaged"),
        ("old", newer(), "newer clew"),
    ],
)
def test_crawls_that_cannot_be_copied_are_errors(
    folder_of_crawls, monkeypatch, capsys, like, *, spoiled, wanted
):
    path = folder_of_crawls / "old" / "models" / "judge.tsv"
    whole = path.read_bytes()
    try:
        path.write_bytes(spoiled or whole)
        code, out, err = new(folder_of_crawls, monkeypatch, capsys, "never", "--like", like, *SEED)
    finally:
        path.write_bytes(whole)
    assert (code, out) == (2, "")
    assert wanted in err
    assert len(err.splitlines()) <= 3
    assert not (folder_of_crawls / "never").exists()


@pytest.mark.parametrize("example", ["page.html", "saved", "found", "https://b.org/good"])
def test_files_folders_crawls_and_urls_are_examples(folder_of_crawls, monkeypatch, capsys, example):
    name = f"with-{example.partition('.')[0].replace('/', '').replace(':', '')}"
    code, _, err = new(
        folder_of_crawls, monkeypatch, capsys, name, "--good", example, "--bad", "page.html", *SEED
    )
    assert code == 0, err
    (stored,) = load(folder_of_crawls / name / "clew.toml").goal.good
    assert stored == (example if "://" in example else str(folder_of_crawls / example))


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
def test_an_unusable_example_is_rejected_at_once(folder_of_crawls, monkeypatch, capsys, example, wanted):
    for option in ("--good", "--bad"):
        code, out, err = new(folder_of_crawls, monkeypatch, capsys, "never", option, example, *SEED)
        assert (code, out) == (2, "")
        assert wanted in err
    assert not (folder_of_crawls / "never").exists()


def test_a_warm_start_works_from_the_first_page(tmp_path):
    """A crawl copied from a trained one runs with its models."""
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
        from clew.cli.inherit import read_inherited

        second = clew.Crawl(
            tmp_path / "second", "lighthouse", [web.origin], CONTACT, settings=QUICK, ranker="ariadne"
        )
        second.save()
        read_inherited(first.folder).copy_models(second.folder)
        assert sorted(path.name for path in (second.folder / "models").iterdir()) == models
        assert second.run().pages == 7
