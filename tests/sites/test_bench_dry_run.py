"""`--dry` of the site benches prints the page and writes no file, pictures included."""

import pytest

from bench import sites, sites_simulation
from bench.sites_report import TARGET

SMALL = ("--repetitions", "2", "--sites", "20", "--pages", "400")


@pytest.fixture
def reports(tmp_path, monkeypatch):
    """Run in an empty checkout that has the folder of the reports."""
    monkeypatch.chdir(tmp_path)
    TARGET.parent.mkdir(parents=True)
    monkeypatch.setattr(sites_simulation, "scale", lambda: "")
    return lambda: sorted(path.name for path in tmp_path.rglob("*") if path.is_file())


def test_a_dry_run_of_the_simulation_writes_no_file(reports, capsys):
    sites_simulation.main([*SMALL, "--dry"])
    assert reports() == []
    assert (
        "![Recall against pages, α and β up to 1](sites-simulation-1-recall.svg)" in capsys.readouterr().out
    )


def test_a_run_of_the_simulation_writes_the_page_and_its_pictures(reports):
    sites_simulation.main([*SMALL])
    assert "sites.md" in reports()
    assert "sites-simulation-1-recall.svg" in reports()


def test_a_dry_run_over_recorded_sites_writes_no_file(reports, capsys, monkeypatch):
    drawn = []
    monkeypatch.setattr(sites, "open_world", lambda path: _World())
    monkeypatch.setattr(sites, "exploring", lambda world, splits, *, dry: drawn.append(dry) or "figures")
    monkeypatch.setattr(sites, "crawling", lambda world: "crawls")
    sites.main(["--dry"])
    assert drawn == [True]
    assert reports() == []
    assert "figures" in capsys.readouterr().out


class _World:
    class _Task:
        sites = {"a.example": True}  # noqa: RUF012

    tasks = (_Task,)
