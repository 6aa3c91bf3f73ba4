"""The files of a new plug-in package: `clew plugin new` writes them."""

from string import Template

FILES = {
    "pyproject.toml": """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "$name"
version = "0.1.0"
description = "A ranker and a judge for Clew."
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["clew", "numpy"]

[project.entry-points."clew.rankers"]
$name = "$package.ranker:$title"

[project.entry-points."clew.judges"]
$name = "$package.judge:${title}Judge"

[tool.hatch.build.targets.wheel]
packages = ["src/$package"]

[tool.pytest.ini_options]
testpaths = ["tests"]
""",
    "README.md": """\
# $name

A ranker and a judge for [Clew](https://github.com/clew-crawler/clew).

    pip install -e .
    pytest
    clew run DIR --set rank.policy=$name --set goal.judge=$name
    clew lab race --policy $name --policy clew --policy breadth

`src/$package/ranker.py` decides which link is next, `src/$package/judge.py` which pages are relevant. The
entry points in `pyproject.toml` make them known to Clew by name. Clew's docs/extending.md says more.
""",
    "src/$package/__init__.py": '''\
"""A ranker and a judge for Clew."""

from $package.judge import ${title}Judge
from $package.ranker import $title

__all__ = ["$title", "${title}Judge"]
''',
    "src/$package/ranker.py": '''\
"""The ranker: which link is next?"""

import numpy as np
from clew.types import Links, Outcome, Scores


class $title:
    """Prefer links whose text or URL has words of the topic, on relevant pages.

    `about` is the topic, which Clew gives to every ranker that has such a parameter; `weight` is what the
    words are worth beside the verdict on the page, and is set by `--set rank.options.weight=0.5`.
    """

    def __init__(self, *, about: str = "", weight: float = 0.7) -> None:
        self.about = about
        self.weight = weight

    def score(self, source: Outcome, links: Links) -> Scores:
        """Return one score for each link, 0 to 1; the highest is fetched first."""
        return sum(self.parts(source, links).values(), np.zeros(len(links), np.float32))

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        """Return what the scores are made of; `clew why` shows it."""
        words = set(self.about.lower().split())
        texts = [f"{anchor} {url}".lower() for anchor, url in zip(links.anchors, links.urls, strict=True)]
        shares = [sum(word in text for word in words) / max(1, len(words)) for text in texts]
        verdict = (1 - self.weight) * source.verdict.value
        return {
            "words of the topic": np.asarray(shares, np.float32) * np.float32(self.weight),
            "verdict of the page": np.full(len(links), verdict, np.float32),
        }

    def learn(self, outcome: Outcome) -> None:
        """See what a link led to; this ranker does not learn."""
''',
    "src/$package/judge.py": '''\
"""The judge: is a page relevant?"""

from clew.types import Label, Page, Verdict


class ${title}Judge:
    """Give each page the share of the topic's words that occur in its title or text."""

    def __init__(self, *, about: str = "") -> None:
        self.about = about

    def judge(self, page: Page) -> Verdict:
        """Return a verdict, 0 to 1, with its reasons."""
        words = sorted(set(self.about.lower().split()))
        text = f"{page.title} {page.text}".lower()
        found = [word for word in words if word in text]
        return Verdict(len(found) / max(1, len(words)), tuple(f'"{word}" occurs' for word in found))

    def learn(self, label: Label, page: Page) -> None:
        """See the label that a person gave to a page; this judge does not learn."""
''',
    "tests/test_$package.py": '''\
"""Both components satisfy their contracts, are found by name, and do what they say."""

import numpy as np
from clew import registry
from clew.testing import check_judge, check_ranker, sample_links, sample_page
from clew.types import Outcome, Verdict

from $package import $title, ${title}Judge


def test_the_contracts():
    check_ranker($title(about="old lighthouse"))
    check_judge(${title}Judge(about="old lighthouse"))


def test_clew_finds_them_by_name():
    assert registry.find("ranker", "$name") is $title
    assert registry.find("judge", "$name") is ${title}Judge


def test_words_of_the_topic_raise_a_link():
    links = sample_links()
    word = links.anchors[0].lower().split()[0]
    source = Outcome(sample_page(), Verdict(0.5))
    with_word, without = $title(about=word), $title(about="qqq")
    assert with_word.score(source, links)[0] > without.score(source, links)[0]
    assert np.allclose(without.score(source, links), 0.15)


def test_verdicts_grow_with_the_words():
    page = sample_page(text="An old lighthouse on the coast.")
    assert ${title}Judge(about="lighthouse keeper").judge(page).value == 0.5
    assert ${title}Judge(about="old lighthouse").judge(page).value == 1.0
''',
}


def plugin_files(name: str) -> dict[str, str]:
    """Return the files of a package by their paths.

    >>> sorted(plugin_files("tide-tables"))[-1]
    'tests/test_tide_tables.py'
    """
    words = {
        "name": name,
        "package": name.replace("-", "_"),
        "title": "".join(part.capitalize() for part in name.split("-")),
    }
    return {
        Template(path).substitute(words): Template(text).substitute(words) for path, text in FILES.items()
    }
