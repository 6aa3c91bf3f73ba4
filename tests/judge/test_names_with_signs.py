"""Topics that are named with signs or a single letter: C++, C#, .NET, R."""

from dataclasses import replace

import pytest

from clew.judge.auto import AutoJudge
from clew.rank.baselines.keyword import Keyword
from clew.rank.clew.policy import Clew
from clew.testing import sample_links, sample_page
from clew.types import Outcome, Verdict

TOPICS = [
    ("C++", "C++ templates and the C++ standard", "C templates, Pascal, and vitamin C"),
    ("C#", "Learn C# with examples in C#", "C, Java and music in the key of C"),
    ("R", "R packages: R is a language. Try R!", "Ruby, research and regular reports"),
    (".NET", "The .NET runtime, and more .NET", "A network, a net, and www.example.net"),
]


@pytest.mark.parametrize(("about", "relevant", "other"), TOPICS)
def test_a_judge_finds_the_name_and_nothing_that_resembles_it(about, relevant, other):
    judge = AutoJudge(about=about)
    assert judge.judge(sample_page(title="A page", text=relevant)).value > 0.5
    assert judge.judge(sample_page(title="A page", text=other)).value < 0.1
    assert f'"{about.lower()}"' in judge.judge(sample_page(title="A page", text=relevant)).why[0]


@pytest.mark.parametrize("ranker", [Keyword, Clew])
@pytest.mark.parametrize(("about", "relevant", "other"), TOPICS)
def test_a_ranker_prefers_links_with_the_name(ranker, about, relevant, other):
    links = replace(sample_links(2), anchors=[other, relevant])
    low, high = ranker(about=about).score(Outcome(sample_page(), Verdict(0.5)), links).tolist()
    assert high > low


def test_a_small_letter_of_a_sentence_is_no_topic():
    judge = AutoJudge(about="plan b of the harbour")
    assert judge.judge(sample_page(text="b, b and b")).value < 0.1
