"""`clew plugin new`: the package it writes can be installed and passes its own tests."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from clew.cli.app import build_app


def plugin_new(name, folder):
    return CliRunner().invoke(build_app(["plugin", "bug"]), ["plugin", "new", name, "--in", str(folder)])


def test_a_new_package_is_installed_and_passes_its_tests(tmp_path):
    assert plugin_new("tide-tables", tmp_path).exit_code == 0
    package, site = tmp_path / "tide-tables", tmp_path / "site"
    install = [
        "pip",
        "install",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--quiet",
        "--target",
        site,
        package,
    ]
    done = subprocess.run([sys.executable, "-m", *install], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    environment = {**os.environ, "PYTHONPATH": str(site)}
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(tests, cwd=package, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout
    ruff = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "."],
        cwd=package, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ruff.returncode == 0, ruff.stdout


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Tide", "lower-case"),
        ("tide_tables", "lower-case"),
        ("../tide", "lower-case"),
        ("json", "installed already"),
        ("best-first", "has a ranker best-first already"),
        ("words", "has a judge words already"),
    ],
)
def test_names_that_cannot_be(tmp_path, name, says):
    result = plugin_new(name, tmp_path)
    assert says in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "tide").mkdir()
    assert "exists already" in str(plugin_new("tide", tmp_path).exception)
