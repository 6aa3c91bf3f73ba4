"""Every example in a docstring of the package is run, and is true."""

import doctest
import importlib
import pkgutil

import pytest

import clew

SERVERS = {"clew.__main__", "clew.lab.synthetic.__main__", "clew.lab.worker", "clew.search.serve"}
"""Programs: importing them may start something."""

MODULES = sorted(
    module.name for module in pkgutil.walk_packages(clew.__path__, "clew.") if module.name not in SERVERS
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [
        test for name in MODULES for test in finder.find(importlib.import_module(name), name) if test.examples
    ]
    assert len(found) > 150
