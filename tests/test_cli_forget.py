"""`clew forget` on a real crawl: the confirmation, usage errors, and the crawl resumed afterwards."""

import shutil
import subprocess
import sys

import pytest

from tests.small_web import CONTACT, linked, serving
from tests.terminal import CTRL_C, CTRL_D, run_on_terminal

NEWS, KEPT = "http://news.example", "http://kept.example"


def web_of_two() -> dict[str, object]:
    """Two sites behind a proxy, and the www. twin of one of them; only news.example contains zanzi…"""
    return {
        f"{NEWS}/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /zanzirule"),
        f"{NEWS}/": linked(
            "/zanzia", f"{KEPT}/named", f"{KEPT}/hop", text="zanzitext " * 30, title="zanzititle"
        ),
        f"{NEWS}/zanzia": linked("/zanzib", text="zanzimore " * 30),
        f"{NEWS}/zanzib": linked(text="zanzilast " * 30),
        "http://www.news.example/": linked(text="a twin " * 30),
        f"{KEPT}/": linked(f"{NEWS}/", "http://www.news.example/", "/a", text="lighthouse " * 30),
        f"{KEPT}/a": linked("/b", text="beacon " * 30),
        f"{KEPT}/b": linked("/c", f"{NEWS}/zanzinew", text="keeper " * 30),
        f"{KEPT}/c": linked("/d0", text="lantern " * 30),
        **{f"{KEPT}/d{n}": linked(f"/d{n + 1}", text=f"chapter {n} " * 30) for n in range(12)},
        f"{KEPT}/named": linked(text="named " * 30),
        f"{KEPT}/hop": (302, {"Location": f"{KEPT}/landed"}, b""),
        f"{KEPT}/landed": linked(text="landed " * 30),
    }


def clew(*words, **more):
    command = [sys.executable, "-m", "clew", *map(str, words)]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=250, check=False, **more
    )


def run(folder, web, *words):
    settings = ("fetch.delay=0", f"fetch.proxy={web.origin}", "fetch.allow=127.0.0.0/8", "store.min_free=0")
    return clew("run", folder, "--plain", *(part for s in settings for part in ("--set", s)), *words)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """An unfinished crawl, fetched one page at a time, that has read all but the end of a chain of pages.

    The chain is longer than any wait for a robots.txt: the order in which hosts become ready changes nothing.
    """
    folder = tmp_path_factory.mktemp("made") / "job"
    folder.mkdir()
    (folder / "clew.toml").write_text(f'[crawl]\ncontact = "{CONTACT}"\nseeds = ["{NEWS}/", "{KEPT}/"]\n')
    with serving(web_of_two()) as web:
        ran = run(folder, web, "--pages", "16", "--policy", "breadth", "--set", "fetch.concurrency=1")
        assert ran.returncode == 0, ran.stderr
        yield folder, web


@pytest.fixture
def crawl(crawled, tmp_path):
    folder, web = crawled
    shutil.copytree(folder, tmp_path / "job")
    return tmp_path, web


def test_a_forgotten_host_is_deleted_and_not_fetched_again(crawl):
    place, web = crawl
    folder = place / "job"
    assert f"{NEWS}/zanzia" in web.asked
    refused = clew("forget", "job", "news.example", cwd=place)
    assert refused.returncode == 2
    assert "news.example has in job: " in refused.stdout
    assert "1 WARC file to rewrite" in refused.stdout
    assert "the crawl also has www.news.example (1 page): clew forget job www.news.example" in refused.stdout
    assert "clew forget job news.example --yes" in refused.stderr
    done = clew("forget", "job", f"{NEWS}:80/some/page", "--yes", cwd=place)
    assert done.returncode == 0, done.stderr
    assert "deleted: news.example from job" in done.stdout
    assert f"clew.toml still contains {NEWS}/" in done.stdout
    assert "exports" in done.stdout
    again = clew("forget", "job", "news.example", cwd=place)
    assert (again.returncode, again.stdout) == (0, "nothing is left of news.example in job\n")
    web.asked.clear()
    went_on = run(folder, web)
    assert went_on.returncode == 0, went_on.stderr
    assert f"{KEPT}/d11" in web.asked
    assert not [url for url in web.asked if "//news.example" in url]
    exported = clew("export", "job", "all.jsonl", cwd=place)
    assert exported.returncode == 0, exported.stderr
    pages = (place / "all.jsonl").read_text()
    assert "zanzitext" not in pages
    assert f'"url": "{NEWS}' not in pages
    assert "lantern" in pages


@pytest.mark.parametrize("answer", ["y\n", "\n", CTRL_D, CTRL_C])
def test_confirmation_on_a_terminal(crawl, answer):
    place, _ = crawl
    code, said = (0, "deleted: ") if answer == "y\n" else (3, "nothing was changed")
    before = (place / "job" / "crawl.db").read_bytes()
    answers = [("delete permanently? [y/N] ", answer)]
    shown, returned = run_on_terminal(place, "forget", "job", "news.example", answers=answers)
    assert returned == code, shown
    assert said in shown
    assert ((place / "job" / "crawl.db").read_bytes() == before) == (code == 3)


def test_usage_errors_of_forget(crawl):
    place, _ = crawl
    for words, said in (
        (("job", "nwes.example"), "did you mean news.example"),
        (("nowhere", "news.example"), "nowhere does not exist"),
    ):
        result = clew("forget", *words, "--yes", cwd=place)
        assert result.returncode == 2, result.stderr
        assert said in result.stderr
        assert "Traceback" not in result.stderr
