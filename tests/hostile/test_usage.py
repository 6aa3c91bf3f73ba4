"""Exit codes that tell the truth, the environment, and the terminal."""

import json
import shutil
from pathlib import Path

import pytest

from tests.terminal import run_on_terminal

from . import program
from .content import page
from .server import Answer, Request, Web, Wire
from .small import SETTINGS, evidence, run_words, site_of, whole

pytestmark = pytest.mark.timeout(120)


def test_nothing_fetched_is_said_with_the_reasons(tmp_path: Path) -> None:
    web = Web(tmp_path)
    closed = web.site("closed")
    closed.robots("User-agent: *\nDisallow: /\n")
    broken = web.site("broken")
    broken.on("/robots.txt", Answer(status=500))
    with web:
        program.new(tmp_path / "crawl", closed.url("/"), broken.url("/"), "http://10.1.2.3/")
        done = program.clew(
            *run_words(tmp_path / "crawl", "--set", "fetch.tries=1", "--set", "fetch.max_rest=1")
        )
    said = (done.stdout + done.stderr).replace("\n", " ")
    assert done.returncode == 4, said
    assert "robots" in said
    assert "10.1.2.3" in said


@pytest.fixture(scope="module")
def unused(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl folder that never gets as far as a request."""
    folder = tmp_path_factory.mktemp("unused") / "crawl"
    program.new(folder, "http://127.1.0.1:9/")
    return folder


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--set", "fetch.dealy=1"], "fetch.delay"),
        (["--set", "fetch.delay=-1"], "fetch.delay"),
        (["--set", "fetch.allow=everything"], "fetch.allow"),
        (["--set", "nonsense"], "table.key"),
        (["--policy", "no-such-policy"], "no-such-policy"),
        (["--no-such-option"], "no-such-option"),
    ],
    ids=lambda part: part[-1] if isinstance(part, list) else "",
)
def test_usage_is_explained(unused: Path, words: list[str], hint: str) -> None:
    done = program.clew(*run_words(unused, *words))
    assert done.returncode == 2, done.stdout + done.stderr
    assert hint in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_a_contact_is_required_and_must_be_real(tmp_path: Path) -> None:
    base = ["new", str(tmp_path / "crawl"), "--about", "x", "--seed", "http://127.1.0.1/"]
    assert program.clew(*base).returncode == 2
    assert program.clew(*base, "--contact", "https://example.com/bot").returncode == 2
    assert not (tmp_path / "crawl" / "crawl.db").exists()


def test_a_folder_that_is_no_crawl(tmp_path: Path) -> None:
    done = program.clew("run", str(tmp_path / "nowhere"))
    assert done.returncode == 2
    assert "clew new" in (done.stdout + done.stderr).replace("\n", " ")


def test_proxies_of_the_environment_are_left_alone(tmp_path: Path) -> None:
    web = Web(tmp_path)
    seed = site_of(web, "a", 3)
    canary = web.site("canary", address="127.0.0.1")
    home = tmp_path / "home"
    home.mkdir()
    (home / ".netrc").write_text("machine 127.1.0.2 login root password letmein\n")
    (home / ".netrc").chmod(0o600)
    names = ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
    env = program.environment(**dict.fromkeys(names, canary.origin), HOME=str(home))
    with web:
        program.new(tmp_path / "crawl", seed)
        process = program.start(*run_words(tmp_path / "crawl"), env=env, output=tmp_path / "output.txt")
        try:
            assert process.wait(60) == 0, (tmp_path / "output.txt").read_text()
        finally:
            program.kill_group(process)
        seen = evidence(web, tmp_path / "crawl")
    whole(seen, 3)
    assert not [h for h in seen.held if h.site == "canary"]
    assert not [a for a in seen.asked if "authorization" in a.headers]


def test_a_live_screen_shows_no_escapes_of_the_web(tmp_path: Path) -> None:
    web = Web(tmp_path)
    site = web.site("a")
    evil = "\x1b]0;owned\x07\x1b[2Jwiped[bold]markup[/bold] \u202ebackwards"
    site.on("/", Answer(page("front", "/evil%1b%5d0;owned%07", "/b")))
    for path in ("/evil%1B%5D0;owned%07", "/evil%1b%5d0;owned%07", "/b"):
        site.on(
            path,
            Answer(f"<html><head><title>{evil}</title></head><body>{evil} rivers gardens bridges".encode()),
        )
    with web:
        program.new(tmp_path / "crawl", site.url("/"))
        words = ["run", str(tmp_path / "crawl"), *SETTINGS]
        shown, code = run_on_terminal(tmp_path, *words, TERM="xterm-256color", LINES="40", COLUMNS="200")
    assert code == 0, shown
    assert "\x1b]0;owned" not in shown
    assert "\x1b[2Jwiped" not in shown
    assert "\u202e" not in shown


def test_one_object_a_line_on_request(tmp_path: Path) -> None:
    web = Web(tmp_path)
    seed = site_of(web, "a", 4)
    with web:
        program.new(tmp_path / "crawl", seed)
        done = program.clew("run", str(tmp_path / "crawl"), "--json", *SETTINGS)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines


def test_a_crawl_folder_can_be_moved(tmp_path: Path) -> None:
    web = Web(tmp_path)
    seed = site_of(web, "a", 9)
    with web:
        program.new(tmp_path / "crawl", seed)
        assert program.clew(*run_words(tmp_path / "crawl", "--pages", "4")).returncode == 0
        shutil.move(tmp_path / "crawl", tmp_path / "elsewhere")
        assert program.clew(*run_words(tmp_path / "elsewhere")).returncode == 0
        whole(evidence(web, tmp_path / "elsewhere"), 9)


def test_a_proxy_is_used_for_everything(tmp_path: Path) -> None:
    web = Web(tmp_path)
    seed = site_of(web, "a", 4)
    proxy = web.site("proxy")

    async def forward(request: Request, wire: Wire) -> None:
        behind = next(site for site in web.sites.values() if request.target.startswith(site.origin + "/"))
        answer = behind.routes[request.target.removeprefix(behind.origin)]
        assert isinstance(answer, Answer)
        await wire.send(answer.encode())
        wire.keep = True

    proxy.otherwise = forward
    with web:
        program.new(tmp_path / "crawl", seed)
        done = program.clew(*run_words(tmp_path / "crawl", "--set", f"fetch.proxy={proxy.origin}"))
        assert done.returncode == 0, done.stdout + done.stderr
        seen = evidence(web, tmp_path / "crawl")
    targets = [a.target for a in seen.asked]
    assert targets[0] == f"{seed}robots.txt"
    assert sorted(targets[1:]) == sorted([seed, *(f"{seed}page/{n}" for n in (1, 2, 3))])
    assert {a.site for a in seen.asked} == {"proxy"}
    assert len([r for r in seen.rows if r["status"] == 200 and "robots.txt" not in str(r["url"])]) == 4
