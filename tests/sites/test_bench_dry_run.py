"""`--dry` of the site benches prints the tables and writes no file, pictures included."""

import pytest

from bench import sites, sites_simulation
from bench.sites_report import FOLDER
from docs import figures
from docs.figures import Table

FOUND = Table(("explorer", "recall"), (("gain", "0.5"),))
SMALL = ("--repetitions", "2", "--sites", "20", "--pages", "400")


@pytest.fixture
def reports(tmp_path, monkeypatch):
    """Run in an empty checkout that has the folder of the reports."""
    monkeypatch.chdir(tmp_path)
    FOLDER.mkdir(parents=True)
    monkeypatch.setattr(figures, "DATA", tmp_path / FOLDER / "data")
    monkeypatch.setattr(figures, "refresh", list)
    monkeypatch.setattr(sites_simulation, "scale", lambda: Table(("sites",), (("1",),)))
    return lambda: sorted(path.name for path in tmp_path.rglob("*") if path.is_file())


def test_a_dry_run_of_the_simulation_writes_no_file(reports, capsys):
    sites_simulation.main([*SMALL, "--dry"])
    assert reports() == []
    assert "| upper | measure | explorer |" in capsys.readouterr().out


def test_a_run_of_the_simulation_writes_its_data_and_its_pictures(reports):
    sites_simulation.main([*SMALL])
    assert "sites-simulation.csv" in reports()
    assert "sites-simulation-1-recall.svg" in reports()


def test_a_dry_run_over_recorded_sites_writes_no_file(reports, capsys, monkeypatch):
    drawn = []
    monkeypatch.setattr(sites, "open_world", lambda path: _World())
    monkeypatch.setattr(
        sites, "exploring", lambda world, splits, *, dry: drawn.append(dry) or {"found": FOUND}
    )
    monkeypatch.setattr(sites, "crawling", lambda world: "| policy |\n|---|\n| breadth |")
    monkeypatch.setattr(sites, "few_pages", lambda world: FOUND)
    sites.main(["--dry"])
    assert drawn == [True]
    assert reports() == []
    assert "| gain | 0.5 |" in capsys.readouterr().out


class _World:
    class _Task:
        sites = {"a.example": True}  # noqa: RUF012

    tasks = (_Task,)
