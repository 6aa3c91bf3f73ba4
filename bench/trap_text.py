"""Text and small helpers for the generated sites of the trap bench."""

import hashlib
import random
from dataclasses import dataclass

TOPIC = ["lighthouse", "keeper", "lamp", "harbour", "beacon", "fog", "signal", "lens", "tower", "sailors"]
ABOUT = " ".join(TOPIC[:6])

_SYLLABLES = [
    "ba",
    "ke",
    "lo",
    "mi",
    "su",
    "tra",
    "ver",
    "no",
    "del",
    "gor",
    "pu",
    "sen",
    "tor",
    "ali",
    "ram",
    "ost",
    "ine",
    "qua",
    "fel",
    "dro",
]
WORDS = [a + b + c for a in _SYLLABLES for b in _SYLLABLES for c in ("", "n", "rd", "st")]
SLUGS = [a + b for a in _SYLLABLES for b in _SYLLABLES]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a site answers: text and links, a redirect, or an error.

    `content` names what is on the page, if it is on pages with other URLs, too; `VIEW` if it is nothing new.
    """

    text: str = ""
    links: tuple[str, ...] = ()
    redirect: str = ""
    status: int = 200
    content: str = ""


VIEW = "view"
"""The content of a page that shows only what other pages of its site have."""


MISSING = Answer(status=404)


class Prose:
    """Text that differs for every key and is the same for the same; with `relevant` full of topic words."""

    def __init__(self, *, relevant: bool = False) -> None:
        self.relevant = relevant

    def __call__(self, key: str, words: int = 120) -> str:
        chooser = random.Random(key)
        text = chooser.choices(WORDS, k=words)
        if self.relevant:
            for at in range(0, words, 4):
                text[at] = chooser.choice(TOPIC)
        return " ".join(text)


def digest(key: object) -> str:
    """Return a name that looks random."""
    return hashlib.sha1(str(key).encode()).hexdigest()[:12]


def chance(key: str) -> random.Random:
    """Return randomness that belongs to a key."""
    return random.Random(f"chance {key}")


def numbers(path: str) -> list[int]:
    """Return the numbers of a path."""
    found, digits = [], ""
    for letter in path + " ":
        if letter.isdigit():
            digits += letter
        elif digits:
            found.append(int(digits))
            digits = ""
    return found


def query(path: str) -> dict[str, str]:
    """Return the parameters of a path."""
    pairs = [pair.partition("=") for pair in path.partition("?")[2].split("&") if pair]
    return {name: value for name, _, value in pairs}


def with_query(path: str, values: dict[str, str]) -> str:
    """Return a path with parameters in a fixed order."""
    return f"{path}?{'&'.join(f'{name}={values[name]}' for name in sorted(values))}" if values else path
