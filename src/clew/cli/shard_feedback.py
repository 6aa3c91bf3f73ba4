"""Labels and rules for a crawl in shards: given to all of them through its coordinator."""

import time
from collections.abc import Sequence
from pathlib import Path

from clew.domain.partition import shard_of
from clew.errors import ConfigError
from clew.scale.coordinator_file import coordinator_of
from clew.services.labels import LabelAnswer, LabelQuestion, ask, find_pages
from clew.store import crawl_stats
from clew.store.outbox import shard_folders
from clew.types import Rule
from clew.urls import origin


def begun_shards(folder: Path) -> list[Path]:
    """Return the shards of a crawl that have links; none for a crawl that is not divided."""
    return [path for path in shard_folders(folder) if crawl_stats.has_links(path)]


def find_in_shards(
    shards: Sequence[Path], given: Sequence[tuple[str, bool | None]], drop: Sequence[str], *, guess: bool
) -> list[LabelAnswer]:
    """Find the page of each answer in the shard that owns its host; see `find_pages`."""
    if guess:
        return [_guess(shards, address, good, drop) for address, good in given]
    found = [find_pages(shard, given, drop, guess=guess) for shard in shards]
    return [_best(answers, len(shards)) for answers in zip(*found, strict=True)]


def _guess(shards: Sequence[Path], address: str, good: bool | None, drop: Sequence[str]) -> LabelAnswer:
    """Find the page of one answer; a part of its URL is enough if only one in all shards contains it."""
    answers, error = [], None
    for shard in shards:
        try:
            answers += find_pages(shard, [(address, good)], drop, guess=True)
        except ConfigError as raised:
            error = raised
    known = {answer.url for answer in answers if answer.known}
    if len(known) > 1:
        examples = "\n".join(f"  {url}" for url in sorted(known)[:2])
        msg = f"{address!r} is part of several URLs; name one of them, for example\n{examples}"
        raise ConfigError(msg)
    if not answers and error:
        raise error
    return max(answers, key=lambda answer: (answer.verdict is not None, answer.known))


def _best(answers: Sequence[LabelAnswer], shards: int) -> LabelAnswer:
    """Return what the owner of a URL says, else what any shard knows."""
    owned = [answer for shard, answer in enumerate(answers) if shard_of(origin(answer.url), shards) == shard]
    return max((*owned, *answers), key=lambda answer: (answer.verdict is not None, answer.known))


def store_in_shards(folder: Path, answers: Sequence[LabelAnswer]) -> int:
    """Store answers for all shards; return how many labels were removed."""
    coordinator = coordinator_of(folder)
    try:
        known = {label.url for label in coordinator.labels(0) if label.relevant is not None}
        last = {answer.url: answer.good for answer in answers}
        for url, good in last.items():
            coordinator.add_label(url, good)
        return sum(good is None and url in known for url, good in last.items())
    finally:
        coordinator.close()


def answers_in_shards(folder: Path) -> list[tuple[LabelAnswer, float]]:
    """Return every labelled URL with its last answer and the time of it, oldest first."""
    coordinator = coordinator_of(folder)
    try:
        last = {label.url: label for label in coordinator.labels(0)}
    finally:
        coordinator.close()
    given = [(label.url, label.relevant) for label in last.values() if label.relevant is not None]
    found = find_in_shards(begun_shards(folder), given, (), guess=False) if given else []
    rows = [(answer, last[answer.url].at) for answer in found if answer.url in last]
    return sorted(rows, key=lambda row: row[1])


def ask_in_shards(shards: Sequence[Path], number: int, *, keep: float) -> list[LabelQuestion]:
    """Choose the pages of all shards whose labels are most informative."""
    questions = [question for shard in shards for question in ask(shard, number, keep=keep)]
    return sorted(questions, key=lambda question: -question.help)[:number]


def add_shared_rule(folder: Path, pattern: str, verb: str) -> None:
    """Add a rule for hosts or URLs to all shards."""
    coordinator = coordinator_of(folder)
    try:
        coordinator.add_rule(Rule(pattern, verb, time.time()))
    finally:
        coordinator.close()


def shared_rules(folder: Path) -> list[Rule]:
    """Return the rules that were given to all shards."""
    coordinator = coordinator_of(folder)
    try:
        return coordinator.rules(0)
    finally:
        coordinator.close()


def check_not_sharded(folder: Path, what: str) -> None:
    """Refuse a part of a command that does not work across shards."""
    if shard_folders(folder):
        msg = f"{what} does not work across the shards of {folder} yet; without it, this command does"
        raise ConfigError(msg)
