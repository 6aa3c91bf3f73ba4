"""Usage errors: each message has the cause and what to do, in three lines at most."""

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

import clew
from clew import cli
from clew.config import template
from tests.small_web import CONTACT, QUICK, linked, serving

FINE = ("--contact", CONTACT, "--no-check")
SEED = ("--seed", "https://a.org")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with crawls, one of them run, files of seeds, and other files."""
    folder = tmp_path_factory.mktemp("words")
    for name in ("wind", "solar", "lost"):
        template.write_new(folder / name, contact=CONTACT, seeds=["https://a.org"])
    (folder / "lost" / "clew.toml").rename(folder / "lost" / "crawl.db")
    with serving({"/": linked(text="hello")}) as web:
        clew.Crawl(folder / "done", seeds=[web.origin], contact=CONTACT, settings=QUICK).run()
    template.write_new(folder / "set" / "inner", contact=CONTACT, seeds=["https://a.org"])
    (folder / "nothing").mkdir()
    (folder / "noise.bin").write_bytes(random.Random(1).randbytes(3000))
    (folder / "letter.txt").write_text("hello")
    (folder / "seeds.txt").write_text("# mine\nhttps://a.org\n")
    (folder / "empty.txt").write_text("# nothing yet\n\n")
    (folder / "third.txt").write_text("https://a.org\nhttps://b.org\nhtps://c.org\n")
    (folder / "book.xlsx").write_bytes(b"PK\x03\x04\x00\xff\xfe\x00")
    return folder


def run_here(words, folder, monkeypatch, capsys):
    """Run the command line in this process; return its exit code, output and errors."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["clew", *words])
    with pytest.raises(SystemExit) as left:
        cli.main()
    out, err = capsys.readouterr()
    return left.value.code or 0, out, err


def check(code, out, err, *wanted):
    assert code == 2, err
    assert out == ""
    assert len(err.splitlines()) <= 3, err
    assert all(line.startswith("clew: ") for line in err.splitlines()), err
    assert not re.search("Traceback|Error:|[╭│╰]|\x1b|pydantic|Input should", err), err
    for words in wanted:
        assert words in err


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("new", "x", "--seed", "https://a.org:99999/", *FINE), ("is its port 99999 right?",)),
        (("export", "done", "o.warc.gz", "--metadata"), ("--metadata adds fields of pages to a table",)),
        (("export", "done", "o.csv", "--records", "--metadata"), ("and not to --records",)),
        (
            ("run", "done", "--policy", "qlearn", "--set", "rank.options.epsilon=3"),
            ("option epsilon = 3: must be less than or equal to 1",),
        ),
        # cures that were wrong once
        (("lab", "race", "--runs", "0"), ("must be 1 or more", "clew lab race --help")),
        (("run", "CRAWL", "--pages", "0"), ("must be 1 or more", "--set crawl.pages=0")),
        (("refresh", "CRAWL", "--requests", "0"), ("must be 1 or more", "--set refresh.requests=0")),
        (
            ("run", "done", "--teacher", "localhost:11434", "--model", "x"),
            ("--teacher localhost:11434: write the URL",),
        ),
        (("export", "done", "o.csv", "--fields", ""), ("--fields url,title,verdict",)),
        (("export", "done", "."), (". is a folder", "pages.jsonl")),
        (("sites", "done", "--yes"), ("--yes news.example",)),
        (("search", "local=done", ""), ("the query is empty", "clew search local=done lighthouse")),
        (
            ("label", "done", "http://127.0.0.1/x", "maybe"),
            ("maybe is no label", "clew label done http://127.0.0.1/x yes"),
        ),
        (("export", "done", "out.parquet.gz"), ("write out.parquet",)),
        (("new", "p", "--goal", "pdf", *SEED, *FINE), ("--goal files=pdf",)),
        (("run", "done", "--policy", "layout:a1a2"), ('policy "layout" takes no argument', "write: layout")),
        (
            ("new", "p", "--about", "wind", "--seed", "https://me:secret@a.org/x", *FINE),
            ("CLEW_AUTH=a.org=user:password",),
        ),
        (
            ("export", "pages.jsonl", "done"),
            ("the folder of the crawl comes first", "clew export done pages"),
        ),
        (("export", "done", "x.docx"), (".geojson\n",)),
        (("export", "done", "o.jsonl", "--corpus"), ("writes a folder, not a file", "suffix: o/")),
        (
            ("why", "http://a.org/x", "done"),
            ("http://a.org/x is a URL; the folder of the crawl comes first",),
        ),
        (("run", "sets/inner"), ("did you mean set/inner?",)),
        (("text", "noise.bin"), ("neither a page nor a document that Clew reads",)),
        (
            ("text", "https://me:secret@a.org/x", "--contact", "me@uni-x.org"),
            ("CLEW_AUTH=a.org=user:password",),
        ),
        (("new", "x", "--seed", "noise.bin", *FINE), ("noise.bin is not a text file",)),
        (("new", "x", "--seed", "nothing", *FINE), ("nothing is an empty folder",)),
        (("new", "x", "--seed", "http://[::1", *FINE), ("between brackets",)),
        (("new", "x", "--seed", "http://a b.org/", *FINE), ("has a blank in it",)),
        # commands
        (["rnu", "wind"], ["no command rnu", "did you mean: clew run?"]),
        (["crawl", "wind"], ["did you mean: clew run?"]),
        (["init"], ["did you mean: clew new?"]),
        (["help"], ["did you mean: clew --help?"]),
        (["zebra"], ["known: try, new,"]),
        (["wind"], ["wind is a crawl", "clew run wind"]),
        (["https://a.org/x"], ["clew new DIR --seed https://a.org/x"]),
        (["lab"], ["clew lab is a group of commands", "clew lab race, show"]),
        (["lab", "rce"], ["no command lab rce", "did you mean: clew lab race?"]),
        (["lab", "zebra"], ["known: race, show,"]),
        # options
        (["lab", "race", "--zebra"], ["clew lab race has no option --zebra", "more: clew lab race --help"]),
        (["lab", "race", "--pages", "x"], ["a whole number", "more: clew lab race --help"]),
        (["lab", "race", "--pages"], ["--pages needs a value", "more: clew lab race --help"]),
        (["run", "wind", "--page", "3"], ["clew run has no option --page", "did you mean --pages?"]),
        (["run", "wind", "--polciy", "x"], ["did you mean --policy?"]),
        (
            ["lab", "race", "--policy", "x"],
            ["clew lab race has no option --policy", "did you mean --policies?"],
        ),
        (["lab", "race", "--budget", "9"], ["did you mean --pages?"]),
        (["import", "old.warc.gz"], ["DIR is missing; write: clew import FILE… --into DIR"]),
        (["race", "web"], ["did you mean: clew lab race?"]),
        (["new", "wind", "--topic", "wind"], ["did you mean --about?"]),
        (["export", "wind", "--relevant"], ["did you mean --only?"]),
        (["run", "wind", "-pages", "3"], ["did you mean --pages (two dashes)?"]),
        (["run", "wind", "--only", "relevant"], ["it belongs to: clew export"]),
        (["run", "wind", "--delay", "3"], ["it is a key of clew.toml: --set fetch.delay=…"]),
        (["export", "wind", "x.csv", "--depth", "3"], ["clew run DIR --set scope.depth=…"]),
        (["run", "wind", "--zebra"], ["options: --pages,"]),
        (["--zebra"], ["clew has no option --zebra"]),
        (["--pages", "3"], ["it comes after a command: clew run DIR --pages"]),
        (["rerender", "wind"], ["there is no command rerender", "clew run DIR --rerender"]),
        (["new", "x", "--goal", "recipes", *SEED], ["--goal schema=Recipe"]),
        (["new", "x", "--goal", "jobs", *SEED], ["--goal schema=JobPosting"]),
        # arguments
        (["run"], ["DIR is missing", "clew run DIR", "crawls here: done, solar, wind"]),
        (["export", "wind"], ["FILE is missing", "clew export DIR FILE"]),
        (["why", "wind"], ["name a URL: clew why"]),
        (["run", "wind", "more"], ["more is too much; write: clew run DIR"]),
        (["new", "x", "--about", "two", "words", *SEED], ['--about "two words"']),
        (["run", "wind", "--set", "fetch.delay", "2"], ["--set fetch.delay=2"]),
        (["run", "wind", "--set", "fetch.delay", "=", "2"], ["--set fetch.delay=2"]),
        # values
        (["run", "wind", "--pages", "many"], ["--pages many: must be a whole number, e.g. --pages 500"]),
        (["run", "wind", "--pages=1.5"], ["--pages 1.5: must be a whole number"]),
        (["run", "wind", "--pages", "-3"], ["--pages -3: must be 1 or more"]),
        (["run", "wind", "--pages"], ["--pages needs a value, e.g. --pages 500"]),
        (["run", "wind", "--plain=yes"], ["--plain takes no value"]),
        (["run", "wind", "--plain", "--json"], ["choose one"]),
        (["run", "wind", "--policy", "breadth-first"], ['did you mean "breadth"?']),
        (["run", "wind", "--set", "scope.hosts=seed"], ['did you mean "seeds"?']),
        (["run", "wind", "--policy", "best-frist"], ['no policy "best-frist"', 'did you mean "best-first"?']),
        (["run", "wind", "--policy", "zebra"], ["known: ", "breadth"]),
        (["run", "wind", "--policy", "no_such_module:Mine"], ["is the module on the Python path"]),
        (["run", "wind", "--policy", "clew.rank.baselines.breadth:Bred"], ["check the name"]),
        (["run", "wind", "--set", "goal.judge=wrods"], ['did you mean "words"?']),
        (["export", "done", "x.csv", "--only", "good"], ["relevant"]),
        (
            ["run", "wind", "--policy", "pathlib:Path"],
            ["is no ranker: it needs a method score(source, links)"],
        ),
        (["run", "wind", "--policy", "email.charset:Charset"], ["is no ranker"]),
        # settings
        (["run", "wind", "--set", "fetch.dely=1"], ["did you mean fetch.delay?"]),
        (["run", "wind", "--set", "goal.delay=1"], ["delay belongs to [fetch] or [seek]: fetch.delay"]),
        (["run", "wind", "--set", "goal.per_host=1"], ["[scope] or [fetch]"]),
        (["run", "wind", "--set", "fecth.delay=1"], ["did you mean fetch?"]),
        (["run", "wind", "--set", "delay=1"], ["table.key=value", "--set fetch.delay=1"]),
        (["run", "wind", "--set", "fetch"], ["table.key=value"]),
        (
            ["run", "wind", "--set", "fetch.delay=fast"],
            ["--set fetch.delay=fast: must be a number, e.g. 1.0", "Minimum seconds between"],
        ),
        (["run", "wind", "--set", "goal.keep=2"], ["must be at most 1, e.g. 0.5"]),
        (["run", "wind", "--set", "fetch.allow=10.0.0.0/99"], ["fetch.allow", "127.0.0.0/8"]),
        # folders
        (["run", "wnid"], ["wnid does not exist; did you mean wind?"]),
        (["run", "zebra"], ["crawls near it: done, solar, wind", "clew new zebra"]),
        (["run", "letter.txt"], ["letter.txt is a file, not the folder of a crawl"]),
        (["run", "wind/pages"], ["did you mean wind?"]),
        (["run", "."], ["contains no crawl", "crawls near it"]),
        (["run", "lost"], ["has no clew.toml (but a crawl.db)", "put the file back"]),
        (["plan", "wnid"], ["did you mean wind?"]),
        (["export", "wnid", "x.csv"], ["did you mean wind?"]),
        (["export", "wind", "x.csv"], ["has no pages yet", "clew run wind"]),
        (["new", "wind", *FINE, *SEED], ["wind is already a crawl", "clew run wind"]),
        (["new", "letter.txt", *FINE, *SEED], ["letter.txt is a file"]),
        # exports
        (["export", "done", "x.json"], [".jsonl, .csv", "did you mean x.jsonl?"]),
        (["export", "done", "pages"], ["the suffix says the format"]),
        (["export", "done", "no/such/x.csv"], ["there is no folder no/such"]),
        (["export", "done", "done/pages/x.warc.gz"], ["among the crawl's own files"]),
        (["export", "done", "done/clew.toml"], ["the suffix says the format"]),
        # contacts
        (["new", "x", *SEED], ["contact"]),
        (["new", "x", *SEED, "--contact", "uni-x.org/bot"], ["did you mean https://uni-x.org/bot ?"]),
        (["new", "x", *SEED, "--contact", "me"], ["URL (https://…) or an e-mail address"]),
        (["new", "x", *SEED, "--contact", "https://example.com"], ["example.com is a placeholder"]),
        # seeds
        (["new", "x", *FINE], ["--seed"]),
        (["new", "x", *FINE, "--seed", "htps://a.org/x"], ["did you mean https://a.org/x ?"]),
        (["new", "x", *FINE, "--seed", "ttp://a.org"], ["did you mean http://a.org ?"]),
        (["new", "x", *FINE, "--seed", "ftp://a.org"], ["only http and https, not ftp"]),
        (["new", "x", *FINE, "--seed", "nonsense"], ["neither a URL nor a file"]),
        (["new", "x", *FINE, "--seed", "http://wiki/a"], ["'http://wiki/a' has a host without a dot"]),
        (["new", "x", *FINE, "--seed", "me@a.org"], ["looks like an e-mail address"]),
        (["new", "x", *FINE, "--seed", "seed.txt"], ["seed.txt does not exist", "did you mean seeds.txt?"]),
        (["new", "x", *FINE, "--seed", "/no/such.txt"], ["/no/such.txt does not exist"]),
        (["new", "x", *FINE, "--seed", "empty.txt"], ["empty.txt contains no URLs; write one URL per line"]),
        (["new", "x", *FINE, "--seed", "third.txt"], ["third.txt, line 3", "did you mean https://c.org ?"]),
        (["new", "x", *FINE, "--seed", "book.xlsx"], ["book.xlsx is not a text file"]),
        (["new", "x", *FINE, *SEED, "--good", "/no/such"], ["/no/such", "does not exist"]),
    ],
    ids=lambda value: "_".join(value)[:60] if isinstance(value[0], str) and len(value) > 1 else "",
)
def test_usage_errors_are_explained(words, wanted, folder, monkeypatch, capsys):
    check(*run_here(words, folder, monkeypatch, capsys), *wanted)
    assert not (folder / "x").exists()


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("delay = fast", "text needs quotation marks"),
        ("delay = 1,5", "numbers have a point, not a comma"),
        ("agent = “clew”", "straight quotation marks"),
        ('agent = "clew', "a quotation mark is missing"),
        ("allow = [", "a closing ] is missing"),
        ("delay 1", "write key = value"),
        ("delay = 1\ndelay = 2", "twice"),
        ("[fetch]", "twice"),
        ("[scope", "a closing ] is missing"),
    ],
)
def test_lines_that_are_not_toml_are_shown(line, wanted, tmp_path, monkeypatch, capsys):
    path = template.write_new(tmp_path / "wind", contact=CONTACT, seeds=["https://a.org"])
    text = path.read_text().partition("[fetch]")[0] + f"[fetch]\n{line}\n"
    path.write_text(text)
    number = len(text.splitlines())
    check(
        *run_here(["run", "wind"], tmp_path, monkeypatch, capsys),
        f"wind/clew.toml, line {number}",
        line.splitlines()[-1],
        wanted,
    )


@pytest.mark.parametrize(
    ("tables", "wanted"),
    [
        ("[goal]\ndelay = 1", ["there is no key goal.delay", "delay belongs to [fetch]"]),
        ("[fecth]\ndelay = 1", ["there is no table fecth; did you mean fetch?"]),
        ("[fetch]\ndelay = 'fast'", ['fetch.delay = "fast": must be a number, e.g. 1.0']),
        ("[fetch]\nrobots = 'perhaps'", ["must be true or false"]),
        ("[goal]\nabout = 3", ["must be text in quotation marks"]),
        ("[fetch]\ndelay='a'\ntimeout='b'\ntries='c'\nper_host='d'", ["and 2 more errors"]),
    ],
)
def test_wrong_tables_are_explained(tables, wanted, tmp_path, monkeypatch, capsys):
    (tmp_path / "wind").mkdir()
    crawl = f'[crawl]\ncontact = "{CONTACT}"\nseeds = ["https://a.org"]\n'
    (tmp_path / "wind" / "clew.toml").write_text(crawl + tables)
    check(*run_here(["run", "wind"], tmp_path, monkeypatch, capsys), "wind/clew.toml", *wanted)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_files_are_read_as_editors_save_them(encoding, tmp_path):
    (tmp_path / "seeds.txt").write_bytes("https://a.org/ä\r\nhttps://b.org\r\n".encode(encoding))
    template.write_new(tmp_path / "wind", contact=CONTACT, seeds=["../seeds.txt"])
    toml = tmp_path / "wind" / "clew.toml"
    if encoding != "utf-16-le":  # without its mark nobody can tell, and no editor leaves it out
        toml.write_bytes(toml.read_text().encode(encoding))
    config = clew.Crawl(tmp_path / "wind").config()
    found = clew.config.seeds.read_seeds(tmp_path / "wind", config.crawl.seeds, clew.urls.Canon())
    assert found == ["https://a.org/%C3%A4", "https://b.org/"]


# ---- the real program --------------------------------------------------------------------------


def program(*words, cwd, before=""):
    """Run the program itself, after a line of Python if given."""
    code = f"import clew.cli, sys; {before}; sys.argv[0] = 'clew'; clew.cli.main()"
    command = (
        [sys.executable, "-c", code, *map(str, words)] if before else [sys.executable, "-m", "clew", *words]
    )
    ran = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=250, check=False, stdin=subprocess.DEVNULL
    )
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["rnu", "wind"],
        ["run", "wind", "--page", "3"],
        ["run", "wind", "--set", "fetch.delay=fast"],
        ["run", "wnid"],
        ["new", "x", *FINE, "--seed", "htps://a.org"],
        ["export", "done", "x.docx"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_the_program_prints_the_same(words, folder, monkeypatch, capsys):
    real = program(*words, cwd=folder)
    check(*real)
    assert real == run_here(words, folder, monkeypatch, capsys)


def test_no_arguments(tmp_path):
    code, out, err = program(cwd=tmp_path)
    assert code == 2
    assert out == ""
    assert [line.split()[1] for line in err.splitlines() if line.startswith("  clew ")] == [
        "try",
        "new",
        "run",
    ]
    assert len(err.splitlines()) < 10


def test_a_closed_pipe_is_not_an_error(folder):
    with subprocess.Popen([sys.executable, "-m", "clew", "--help"], stdout=-1, stderr=-1, cwd=folder) as ran:
        ran.stdout.close()
        assert ran.stderr.read() == b""
    assert ran.returncode == 0


def test_the_file_of_a_crawl_stands_for_its_folder(folder):
    code, _, err = program("export", "done/clew.toml", "all.csv", cwd=folder)
    assert code == 0, err
    assert (folder / "all.csv").exists()
    code, _, err = program("new", "y/clew.toml", *FINE, *SEED, cwd=folder)
    assert code == 0, err
    assert (folder / "y" / "clew.toml").is_file()


def test_a_folder_without_write_permission(tmp_path_factory):
    # As root every folder is writable, so that the program steps down first; it must still be able to read itself.
    roots = [Path(clew.__file__), Path(sys.prefix), Path(sys.base_prefix)]
    if not os.getuid() and not all(path.stat().st_mode & 0o005 for root in roots for path in root.parents):
        pytest.skip("this environment can be read by root alone")
    folder = tmp_path_factory.mktemp("shut")
    template.write_new(folder / "wind", contact=CONTACT, seeds=["http://127.0.0.1:9/"])
    paths = [folder, *folder.parents]
    modes = {
        path: path.stat().st_mode for path in paths if path.stat().st_uid == os.getuid() and path != Path("/")
    }
    shut = folder / "wind"
    try:
        for path, mode in modes.items():
            path.chmod(mode | 0o055)
        shut.chmod(0o555)
        before = "import clew.cli.run, encodings.utf_8_sig, os; os.getuid() or os.seteuid(65534)"
        code, _, err = program("run", "wind", "--plain", cwd=folder, before=before)
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
        shut.chmod(0o755)
    assert code == 5, err
    assert "permission denied; give yourself write access" in err
    assert "Traceback" not in err


def test_an_error_in_a_component_of_the_user_names_its_file_and_line(folder, tmp_path, monkeypatch, capsys):
    (tmp_path / "my_own_ranker.py").write_text("import json\n\njson.loads('{')\n")
    monkeypatch.syspath_prepend(tmp_path)
    code, _, err = run_here(["run", "done", "--policy", "my_own_ranker:Mine"], folder, monkeypatch, capsys)
    assert code == 1
    assert "JSONDecodeError" in err
    assert "in my_own_ranker.py, line 3, which is not part of clew" in err
