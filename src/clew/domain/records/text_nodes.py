"""Parse the text nodes of a page, with the elements around them, from clean markup in one pass.

A *text node* is the text between two tags. Its *path* is the chain of elements down to it, each one a *step*:
the tag with the classes and ids that look stable (`div.price`, `h1#title`). Text nodes between two line
breaks or block boundaries share a *line*.
"""

import re
from functools import lru_cache

import xxhash

from clew.domain.records.values import fold

MAX_TEXT_NODES = 60_000
"""Maximum number of text nodes parsed of one page; 10,000 records of a few fields fit in."""

MAX_DEPTH = 200
"""Maximum nesting depth of elements; deeper content is assigned to the last one."""

_VOID = frozenset({"br", "hr", "meta", "wbr"})
_INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
    "ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
})  # fmt: skip
CELLS = frozenset({"td", "th"})
"""Elements whose position among their siblings is a column."""

_TEXT = re.compile(r">([^<]+)<")
_NAMES = re.compile(r'\s(class|id|itemprop|property)="([^"]*)"')
_STATE_CLASSES = frozenset({
    "odd", "even", "alt", "first", "last", "active", "selected", "current", "hidden", "visible", "open",
    "closed", "row", "clearfix", "even-row", "odd-row",
})  # fmt: skip
_MAX_CLASSES = 2


def extract_texts(markup: str) -> list[str]:
    """Return the texts of all text nodes, without parsing the elements around them.

    >>> extract_texts("<p>Tom &amp; <b>Jerry</b> </p>")
    ['Tom & ', 'Jerry']
    """
    return [unescape(text) for text in _TEXT.findall(markup) if not text.isspace()][:MAX_TEXT_NODES]


def fold_texts(texts: list[str]) -> list[str]:
    """Fold texts for comparison."""
    if not texts:
        return []
    folded_texts = fold("\n".join(texts)).split("\n")
    return (
        folded_texts if len(folded_texts) == len(texts) else [fold(text).replace("\n", " ") for text in texts]
    )


def unescape(text: str) -> str:
    """Replace the entities of clean markup by their characters.

    >>> unescape("a &lt; b &amp; c")
    'a < b & c'
    """
    return text.replace("&lt;", "<").replace("&quot;", '"').replace("&amp;", "&") if "&" in text else text


class TextNodes:
    """All text nodes of one page as columns: `text[i]`, its folded form `folded[i]`, `element[i]`, `line[i]`.

    For every element: `parent`, `step` (its name), `tags` (a hash of the chain of bare tags down to it),
    `path` (one of the chain of steps), `nth` (its position among siblings with the same tag) and `depth`.
    Hashes are the same in every run.
    """

    def __init__(self, markup: str, folded: list[str] | None = None) -> None:
        self.text: list[str] = []
        self.element: list[int] = []
        self.line: list[int] = []
        self.parent: list[int] = [0]
        self.step: list[str] = [""]
        self.tag: list[str] = [""]
        self.tags: list[int] = [0]
        self.path: list[int] = [0]
        self.nth: list[int] = [0]
        self.depth: list[int] = [0]
        self._parse(markup)
        self.folded = fold_texts(self.text) if folded is None else folded
        self._by_tags: dict[int, list[int]] | None = None

    def __len__(self) -> int:
        return len(self.text)

    @property
    def size(self) -> int:
        """Number of elements and text nodes."""
        return len(self.text) + len(self.parent)

    def _parse(self, markup: str) -> None:
        """Parse the markup in one pass over its tags."""
        current, line, too_deep = 0, 0, 0
        counts: dict[tuple[int, str], int] = {}
        for chunk in markup.split("<")[1:]:
            tag_text, _, text = chunk.partition(">")
            if tag_text[:1] == "/":
                if too_deep:
                    too_deep -= 1
                else:
                    line += self.tag[current] not in _INLINE
                    current = self.parent[current]
            else:
                tag, step = _parse_tag(tag_text)
                line += tag not in _INLINE
                if tag in _VOID:
                    pass
                elif too_deep or self.depth[current] >= MAX_DEPTH:
                    too_deep += 1
                else:
                    count = counts[current, tag] = counts.get((current, tag), 0) + 1
                    current = self._add_element(current, tag, step, count)
            if text and not text.isspace():
                self.text.append(unescape(text))
                self.element.append(current)
                self.line.append(line)
                if len(self.text) >= MAX_TEXT_NODES:
                    return

    def _add_element(self, parent: int, tag: str, step: str, count: int) -> int:
        self.parent.append(parent)
        self.tag.append(tag)
        self.step.append(step)
        self.tags.append(_hash_step(self.tags[parent], tag))
        self.path.append(_hash_step(self.path[parent], step))
        self.nth.append(count)
        self.depth.append(self.depth[parent] + 1)
        return len(self.parent) - 1

    def at(self, tags: int) -> list[int]:
        """Return the text nodes with a given tag path, in document order."""
        if self._by_tags is None:
            self._by_tags = {}
            for text_node, element in enumerate(self.element):
                self._by_tags.setdefault(self.tags[element], []).append(text_node)
        return self._by_tags.get(tags, [])

    def above(self, element: int, depth: int) -> int:
        """Return the ancestor of an element at a given depth."""
        while self.depth[element] > depth:
            element = self.parent[element]
        return element

    def steps(self, element: int) -> tuple[str, ...]:
        """Return the steps down to an element."""
        steps = []
        while element:
            steps.append(self.step[element])
            element = self.parent[element]
        return tuple(reversed(steps))

    def places(self, element: int) -> tuple[int, ...]:
        """Return the position of every step down to an element among its siblings with the same tag."""
        positions = []
        while element:
            positions.append(self.nth[element])
            element = self.parent[element]
        return tuple(reversed(positions))

    def cell(self, element: int) -> int:
        """Return the position of the table cell around an element in its row; 0 outside of tables."""
        while element and self.tag[element] not in CELLS:
            element = self.parent[element]
        return self.nth[element]

    def common(self, one: int, other: int) -> int:
        """Return the deepest element that contains both."""
        while one != other:
            if self.depth[one] >= self.depth[other]:
                one = self.parent[one]
            else:
                other = self.parent[other]
        return one


@lru_cache(maxsize=16_384)
def _parse_tag(tag_text: str) -> tuple[str, str]:
    """Return the tag name of a start tag, and its step."""
    tag, _, rest = tag_text.partition(" ")
    if not rest:
        return tag, tag
    classes: list[str] = []
    id = ""
    for key, value in _NAMES.findall(f" {rest}"):
        if key == "id":
            id = f"#{value}" if _is_stable(value) else ""
        else:
            classes += [name for name in value.split() if _is_stable(name)]
    return tag, ".".join([tag, *classes[:_MAX_CLASSES]]) + id


def _is_stable(name: str) -> bool:
    """Return whether a class or id is part of the template, not a counter or a state."""
    return name not in _STATE_CLASSES and not any(char in "0123456789" for char in name) and " " not in name


@lru_cache(maxsize=65_536)
def _hash_step(above: int, step: str) -> int:
    """Extend the hash of a chain of steps; it is the same in every run."""
    return xxhash.xxh3_64_intdigest(step.encode("utf-8", "replace"), above) >> 1


def tag_path_hash(steps: tuple[str, ...]) -> int:
    """Return the hash of a chain of tags, as in `TextNodes.tags`."""
    hashed = 0
    for step in steps:
        hashed = _hash_step(hashed, re.split(r"[.#]", step, maxsplit=1)[0])
    return hashed
