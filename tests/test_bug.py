"""`clew bug`: a report that helps, and that names no site, no person and no secret."""

import sqlite3

import pytest
from typer.testing import CliRunner

from clew.api import Crawl
from clew.cli.app import build_app
from tests.small_web import CONTACT, QUICK, linked, serving

SECRETS = {
    "goal.about": "whistleblower documents",
    "fetch.proxy": "",
    "fetch.headers": ["intranet.secret-host.org X-Bearer: T0PSECRET"],
    "scope.exclude": ["*/private-folder/*"],
    "scope.hosts": ["any"],
}


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    folder = tmp_path_factory.mktemp("janes-home") / "secret-project"
    with serving({"/": linked("/hidden-page", "/none", title="Confidential")}) as web:
        made = Crawl(folder, seeds=[f"{web.origin}/"], contact=CONTACT, settings={**QUICK, **SECRETS})
        made.run()
        made.origin = web.origin
    with sqlite3.connect(folder / "crawl.db") as db:
        db.execute(
            "UPDATE pages SET error = 'refused address 10.9.8.7 of inner.secret-host.org' WHERE status = 404"
        )
        db.execute("UPDATE pages SET mime = 'x-jane/doe secret' WHERE status = 404")
    return made


def report(*arguments):
    result = CliRunner().invoke(build_app(["bug", "plugin"]), ["bug", *map(str, arguments)])
    assert result.exit_code == 0, result.exception
    return result.output


def test_the_report_says_what_helps(crawl):
    said = report(crawl.folder)
    for words in ("clew 0.", "Python 3.", "numpy ", "rank.policy = clew", "fetch.delay = 0", "done 4", "404 3",
                  "refused address of 3", "runs: 1"):  # fmt: skip
        assert words in said, said


def test_the_report_names_nothing_private(crawl):
    said = report(crawl.folder).lower()
    private = (
        "whistleblower", "documents", "secret", "bearer", "intranet", "private-folder", "127.0.0.1", "10.9.8.7",
        "hidden", "none/", CONTACT, "uni-x", "janes", "confidential", str(crawl.folder), crawl.origin, "jane",
    )  # fmt: skip
    assert [word for word in private if word.lower() in said] == []


def test_a_report_without_a_crawl_and_one_of_a_broken_folder(tmp_path):
    assert "The crawl" not in report()
    (tmp_path / "clew.toml").write_text("nonsense = [")
    said = report(tmp_path)
    assert "clew.toml cannot be read" in said
    assert "nonsense" not in said


def test_to_a_file(crawl, tmp_path):
    said = report(crawl.folder, "--to", tmp_path / "report.md")
    assert "read it before you send it" in said
    assert (tmp_path / "report.md").read_text().startswith("## What happened")
