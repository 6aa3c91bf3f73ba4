"""The lines of `clew plan` about settings: policy, judge, threshold and user agent."""

from clew.cli import screen
from clew.cli.arguments import first_line
from clew.cli.screen import many
from clew.config import Config
from clew.config.contact import user_agent
from clew.config.judge_spec import JudgeSpec
from clew.domain.installation import __version__
from clew.domain.text import printable
from clew.engine.parts import make_ranker
from clew.judge.example_pages import is_url, read_examples
from clew.judge.words import goal_terms


def echo_line(name: str, text: str) -> None:
    """Print a line of the plan with its name in front."""
    screen.echo_folded(f"{name:<8} {printable(text)}", 9)


def show_settings(config: Config) -> None:
    """Print policy, judge, threshold and user agent, one line each."""
    goal, spec = config.goal, JudgeSpec.parse(config.goal.judge)
    if config.rank.options:
        make_ranker(config)
    echo_line("policy", f"{config.rank.policy}: {first_line('ranker', config.rank.policy)}")
    words = list(goal_terms(goal.about).values())
    good, bad = (_count_examples(names) for names in (goal.good, goal.bad))
    examples = f"{many(good, 'relevant example')}, {bad} not relevant"
    if spec.is_topical and not (words or goal.good):
        echo_line("judge", "words: no topic, so every page is relevant")
    elif spec.is_topical and spec.has("auto") and goal.good:
        echo_line("judge", f"examples: compares with {examples}{' and your words' if words else ''}")
    elif spec.is_topical:
        listed = ", ".join(words[:12]) + (", …" if len(words) > 12 else "")  # noqa: PLR2004
        echo_line("judge", f"words: looks for {listed}")
    else:
        echo_line("judge", f"{goal.judge}: {first_line('judge', goal.judge)}")
    echo_line("keep", f"pages with a verdict of {goal.keep:g} or more are relevant")
    echo_line("you", f"{user_agent(config.fetch.agent, __version__, config.crawl.contact)}, in every request")


def _count_examples(names: list[str]) -> int:
    """Count the example pages, also those in folders and crawls."""
    return sum(map(is_url, names)) + sum(example.good for example in read_examples(names))
