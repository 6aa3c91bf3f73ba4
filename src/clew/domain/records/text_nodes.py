"""The leaves of a page: every stretch of text with the tags it stands in, read off clean markup in one pass.

A *leaf* is the text between two tags. Its *path* is the chain of elements down to it, each one a *step*: the
tag with the classes and ids that look lasting (`div.price`, `h1#title`). Leaves between two line breaks or
borders of blocks share a *line*.
"""

import re
from functools import lru_cache

import xxhash

from clew.domain.records.values import plain

MOST_LEAVES = 60_000
"""Leaves of one page that are looked at; 10,000 records of a few fields fit in."""

DEEPEST = 200
"""Elements within each other that are told apart; what lies deeper stands where the last one stands."""

_VOID = frozenset({"br", "hr", "meta", "wbr"})
_INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
    "ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
})  # fmt: skip
_TEXT = re.compile(r">([^<]+)<")
_NAMES = re.compile(r'\s(class|id|itemprop|property)="([^"]*)"')
_PASSING = frozenset({
    "odd", "even", "alt", "first", "last", "active", "selected", "current", "hidden", "visible", "open",
    "closed", "row", "clearfix", "even-row", "odd-row",
})  # fmt: skip
_CLASSES = 2


def texts(markup: str) -> list[str]:
    """Return the texts of all leaves: a quick look, before anything else is read.

    >>> texts("<p>Tom &amp; <b>Jerry</b> </p>")
    ['Tom & ', 'Jerry']
    """
    return [unescaped(text) for text in _TEXT.findall(markup) if not text.isspace()][:MOST_LEAVES]


def folded(texts: list[str]) -> list[str]:
    """Return texts as they are compared."""
    if not texts:
        return []
    made = plain("\n".join(texts)).split("\n")
    return made if len(made) == len(texts) else [plain(text).replace("\n", " ") for text in texts]


def unescaped(text: str) -> str:
    """Return text as a person reads it.

    >>> unescaped("a &lt; b &amp; c")
    'a < b & c'
    """
    return text.replace("&lt;", "<").replace("&quot;", '"').replace("&amp;", "&") if "&" in text else text


class TextNodes:
    """All leaves of one page as columns: `text[i]`, as it is compared `plain[i]`, `node[i]`, `line[i]`.

    Of every node: `parent`, `step` (what its element is called), `tags` (a number for the chain of bare tags
    down to it), `path` (one for the chain of steps), `nth` (its place among siblings with the same tag) and
    `depth`. Numbers are the same in every run.
    """

    def __init__(self, markup: str, plain: list[str] | None = None) -> None:
        self.text: list[str] = []
        self.node: list[int] = []
        self.line: list[int] = []
        self.parent: list[int] = [0]
        self.step: list[str] = [""]
        self.tag: list[str] = [""]
        self.tags: list[int] = [0]
        self.path: list[int] = [0]
        self.nth: list[int] = [0]
        self.depth: list[int] = [0]
        self._read(markup)
        self.plain = folded(self.text) if plain is None else plain
        self._found: dict[int, list[int]] | None = None

    def __len__(self) -> int:
        return len(self.text)

    @property
    def size(self) -> int:
        """How many elements and leaves there are."""
        return len(self.text) + len(self.parent)

    def _read(self, markup: str) -> None:
        """Walk over the tags once."""
        here, line, over = 0, 0, 0
        counts: dict[tuple[int, str], int] = {}
        for piece in markup.split("<")[1:]:
            head, _, text = piece.partition(">")
            if head[:1] == "/":
                if over:
                    over -= 1
                else:
                    line += self.tag[here] not in _INLINE
                    here = self.parent[here]
            else:
                tag, step = _named(head)
                line += tag not in _INLINE
                if tag in _VOID:
                    pass
                elif over or self.depth[here] >= DEEPEST:
                    over += 1
                else:
                    count = counts[here, tag] = counts.get((here, tag), 0) + 1
                    here = self._open(here, tag, step, count)
            if text and not text.isspace():
                self.text.append(unescaped(text))
                self.node.append(here)
                self.line.append(line)
                if len(self.text) >= MOST_LEAVES:
                    return

    def _open(self, here: int, tag: str, step: str, count: int) -> int:
        self.parent.append(here)
        self.tag.append(tag)
        self.step.append(step)
        self.tags.append(_joined(self.tags[here], tag))
        self.path.append(_joined(self.path[here], step))
        self.nth.append(count)
        self.depth.append(self.depth[here] + 1)
        return len(self.parent) - 1

    def at(self, tags: int) -> list[int]:
        """Return the leaves that stand under a chain of tags, in document order."""
        if self._found is None:
            self._found = {}
            for leaf, node in enumerate(self.node):
                self._found.setdefault(self.tags[node], []).append(leaf)
        return self._found.get(tags, [])

    def above(self, node: int, depth: int) -> int:
        """Return the node at a depth on the way down to a node."""
        while self.depth[node] > depth:
            node = self.parent[node]
        return node

    def steps(self, node: int) -> tuple[str, ...]:
        """Return the steps down to a node."""
        made = []
        while node:
            made.append(self.step[node])
            node = self.parent[node]
        return tuple(reversed(made))

    def places(self, node: int) -> tuple[int, ...]:
        """Return the place of every step down to a node among its siblings with the same tag."""
        made = []
        while node:
            made.append(self.nth[node])
            node = self.parent[node]
        return tuple(reversed(made))

    def common(self, one: int, other: int) -> int:
        """Return the deepest node that holds both."""
        while one != other:
            if self.depth[one] >= self.depth[other]:
                one = self.parent[one]
            else:
                other = self.parent[other]
        return one


@lru_cache(maxsize=16_384)
def _named(head: str) -> tuple[str, str]:
    """Return the tag of a start tag, and the step it makes."""
    tag, _, rest = head.partition(" ")
    if not rest:
        return tag, tag
    classes: list[str] = []
    id = ""
    for key, value in _NAMES.findall(f" {rest}"):
        if key == "id":
            id = f"#{value}" if _lasting(value) else ""
        else:
            classes += [name for name in value.split() if _lasting(name)]
    return tag, ".".join([tag, *classes[:_CLASSES]]) + id


def _lasting(name: str) -> bool:
    """Tell a name that a template gives from one that counts or passes."""
    return name not in _PASSING and not any(sign in "0123456789" for sign in name) and " " not in name


@lru_cache(maxsize=65_536)
def _joined(above: int, step: str) -> int:
    """Return the number of a chain of steps: the same in every run, and different for different chains."""
    return xxhash.xxh3_64_intdigest(step.encode("utf-8", "replace"), above) >> 1


def chain(steps: tuple[str, ...]) -> int:
    """Return the number of a chain of tags, as `TextNodes.tags` has it."""
    number = 0
    for step in steps:
        number = _joined(number, re.split(r"[.#]", step, maxsplit=1)[0])
    return number
