"""What the keys open in the lower half of the screen: help, a host to exclude, a page to explain or label."""

from collections.abc import Callable, Sequence
from typing import Protocol

from clew.cli.run_counts import ReadPage
from clew.cli.text_cells import Line, tidy
from clew.services.labels import LabelQuestion

CHOICES = 9
"""Hosts or pages that can be chosen by one digit."""

KEYS = (
    ("p", "pause, and go on: what is under way comes home, nothing new is asked for"),
    ("x", "exclude a host: none of its links is followed any more, in later runs too"),
    ("w", "why: choose one of the last pages and see what led there"),
    ("l", "label: say of pages that are hard to judge whether they are what you look for"),
    ("q", "stop, as Ctrl-C does: fetches under way come home; the same command goes on later"),
    ("Ctrl-Z", "suspend; fg goes on"),
    ("?", "this help"),
)


class Panel(Protocol):
    """Lines in the lower half, and what a key does to them; `press` says whether the panel stays."""

    def lines(self) -> list[Line]: ...

    def press(self, key: str) -> bool: ...


class CardPanel:
    """Lines to read, until any key."""

    def __init__(self, title: str, body: list[Line]) -> None:
        self.title = title
        self.body = body

    def lines(self) -> list[Line]:
        return [[(f" {self.title}", "name"), ("   any key goes back", "dim")], *self.body]

    def press(self, key: str) -> bool:  # noqa: ARG002 - any key will do
        return False


def help_card() -> CardPanel:
    """Say what the keys do."""
    return CardPanel("Keys", [[(f"   {key:>6}", "key"), (f"  {does}", "")] for key, does in KEYS])


class ExcludePanel:
    """Choose a host by its number or by its name; Enter excludes it."""

    def __init__(self, hosts: Sequence[str], exclude: Callable[[str], None]) -> None:
        self.hosts = hosts[:CHOICES]
        self.exclude = exclude
        self._typed = ""

    def lines(self) -> list[Line]:
        listed: list[Line] = [
            [(f"   {number}", "key"), (f"  {tidy(host)}", "")] for number, host in enumerate(self.hosts, 1)
        ]
        return [
            [(" Exclude which host?", "name"), ("   a number or a name, then Enter; Esc goes back", "dim")],
            [(" › ", "key"), (f"{self._typed}", "name"), ("▏", "")],
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
        name = self._typed.lower()
        if name.isascii() and name.isdigit():
            if not 1 <= int(name) <= len(self.hosts):
                return False
            name = self.hosts[int(name) - 1]
        if name:
            self.exclude(name)
        return True


class LabelPanel:
    """Ask about pages, one after the other; `card` draws one, `answer` takes yes or no."""

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
        place = f"   {self._at + 1} of {len(self.questions)}"
        keys: Line = [
            ("   y", "key"),
            (" yes", ""),
            ("   n", "key"),
            (" no", ""),
            ("   s", "key"),
            (" skip", ""),
        ]
        title: Line = [(" Is this what you look for?", "name"), *keys, (f"{place}; Esc goes back", "dim")]
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


class ChoicePanel:
    """Choose one of the last pages by its number."""

    def __init__(self, pages: Sequence[ReadPage], explain: Callable[[str], None]) -> None:
        self.pages = pages[:CHOICES]
        self.explain = explain

    def lines(self) -> list[Line]:
        listed: list[Line] = [
            [(f"   {number}", "key"), (f"  {tidy(page.url)}", ""), (f"  “{tidy(page.title, 80)}”", "dim")]
            for number, page in enumerate(self.pages, 1)
        ]
        return [[(" Why which page?", "name"), ("   press its number; Esc goes back", "dim")], *listed]

    def press(self, key: str) -> bool:
        if key in "123456789" and int(key) <= len(self.pages):
            self.explain(self.pages[int(key) - 1].url)
            return False
        return key not in ("escape", "w", "q")
