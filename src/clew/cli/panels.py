"""Panels in the lower half of the live screen: help, exclude and include, explain or label a page."""

from collections.abc import Callable, Sequence
from typing import Protocol

from clew.cli.run_counts import ReadPage
from clew.cli.text_cells import Line, tidy
from clew.services.labels import LabelQuestion

CHOICES = 9
"""Maximum number of hosts or pages, chosen by one digit."""

KEYS = (
    ("p", "pause or resume: requests in flight finish, no new ones start"),
    ("x", "exclude a host or URLs: not followed any more, in later runs too"),
    ("i", "include again what was excluded"),
    ("w", "why: choose one of the last pages and see its crawl path and score"),
    ("l", "label: say whether pages that are hard to judge are relevant"),
    ("q", "stop, as Ctrl-C does; the same command resumes"),
    ("Ctrl-Z", "suspend; fg continues"),
    ("?", "this help"),
)


class Panel(Protocol):
    """Lines in the lower half of the screen; `press` handles a key and returns whether to stay open."""

    def lines(self) -> list[Line]: ...

    def press(self, key: str) -> bool: ...


class CardPanel:
    """Lines to read; any key closes the panel."""

    def __init__(self, title: str, body: list[Line]) -> None:
        self.title = title
        self.body = body

    def lines(self) -> list[Line]:
        return [[(f" {self.title}", "name"), ("   any key closes", "dim")], *self.body]

    def press(self, key: str) -> bool:  # noqa: ARG002 - any key closes it
        return False


def help_card() -> CardPanel:
    """Return a panel that lists the keys."""
    return CardPanel("Keys", [[(f"   {key:>6}", "key"), (f"  {action}", "")] for key, action in KEYS])


class ExcludePanel:
    """Choose a host by number, or type a name or a URL pattern; Enter excludes it."""

    def __init__(self, hosts: Sequence[str], exclude: Callable[[str], None]) -> None:
        self.hosts = hosts[:CHOICES]
        self.exclude = exclude
        self._typed = ""

    def lines(self) -> list[Line]:
        listed: list[Line] = [
            [(f"   {number}", "key"), (f"  {tidy(host)}", "")] for number, host in enumerate(self.hosts, 1)
        ]
        return [
            [(" Exclude what?", "name"), ("   a number or a pattern, then Enter; Esc closes", "dim")],
            [(" › ", "key"), (f"{self._typed}", "name"), ("▏", "")],
            [("   news.example   https://news.example/old/   */login*   re:page=[0-9]+", "dim")],
            *listed,
        ]

    def press(self, key: str) -> bool:
        if key == "escape":
            return False
        if key == "backspace":
            self._typed = self._typed[:-1]
        elif key == "enter":
            return not self._choose()
        elif len(key) == 1 and key != " ":
            self._typed += key
        return True

    def _choose(self) -> bool:
        name = self._typed
        if name.isascii() and name.isdigit():
            if not 1 <= int(name) <= len(self.hosts):
                return False
            name = self.hosts[int(name) - 1]
        if name:
            self.exclude(name)
        return True


class LabelPanel:
    """Ask about pages, one after the other; `card` describes one, `answer` receives the label."""

    def __init__(
        self,
        questions: Sequence[LabelQuestion],
        card: Callable[[LabelQuestion], list[Line]],
        answer: Callable[[LabelQuestion, bool], None],
    ) -> None:
        self.questions = questions
        self.card = card
        self.answer = answer
        self._at = 0

    def lines(self) -> list[Line]:
        position = f"   {self._at + 1} of {len(self.questions)}"
        keys: Line = [
            ("   y", "key"),
            (" yes", ""),
            ("   n", "key"),
            (" no", ""),
            ("   s", "key"),
            (" skip", ""),
        ]
        title: Line = [(" Is this page relevant?", "name"), *keys, (f"{position}; Esc closes", "dim")]
        return [title, *self.card(self.questions[self._at])]

    def press(self, key: str) -> bool:
        if key in ("escape", "q", "l"):
            return False
        if key in ("y", "n"):
            self.answer(self.questions[self._at], key == "y")
        elif key != "s":
            return True
        self._at += 1
        return self._at < len(self.questions)


class IncludePanel:
    """Choose what was excluded by number; it is included again."""

    def __init__(self, rules: Sequence[str], include: Callable[[str], None]) -> None:
        self.rules = rules[:CHOICES]
        self.include = include

    def lines(self) -> list[Line]:
        listed: list[Line] = [
            [(f"   {number}", "key"), (f"  {tidy(rule)}", "")] for number, rule in enumerate(self.rules, 1)
        ]
        return [[(" Include what again?", "name"), ("   press its number; Esc closes", "dim")], *listed]

    def press(self, key: str) -> bool:
        if key in "123456789" and int(key) <= len(self.rules):
            self.include(self.rules[int(key) - 1])
            return False
        return key not in ("escape", "i", "q")


class ChoicePanel:
    """Choose one of the last pages by number."""

    def __init__(self, pages: Sequence[ReadPage], explain: Callable[[str], None]) -> None:
        self.pages = pages[:CHOICES]
        self.explain = explain

    def lines(self) -> list[Line]:
        listed: list[Line] = [
            [(f"   {number}", "key"), (f"  {tidy(page.url)}", ""), (f"  “{tidy(page.title, 80)}”", "dim")]
            for number, page in enumerate(self.pages, 1)
        ]
        return [[(" Explain which page?", "name"), ("   press its number; Esc closes", "dim")], *listed]

    def press(self, key: str) -> bool:
        if key in "123456789" and int(key) <= len(self.pages):
            self.explain(self.pages[int(key) - 1].url)
            return False
        return key not in ("escape", "w", "q")
