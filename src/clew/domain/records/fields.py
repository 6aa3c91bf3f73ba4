"""Fields: where a value occurs on pages of one template, and how it is extracted from its text node."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from clew.domain.records.text_nodes import TextNodes, tag_path_hash
from clew.domain.records.value_patterns import ValuePattern

Steps: TypeAlias = tuple[str, ...]
_MAX_LABEL = 40  # characters of a label
_MAX_CACHED = 50_000  # paths whose match is cached


@dataclass(slots=True)
class Field:
    """One text node of a record: its columns, the steps down to it, and how to tell it from similar ones.

    A step matches an element with the same tag and at least the same names: `td` matches `td.price`. `places`
    are the positions of the last steps among their siblings (0 matches all). Where several text nodes match,
    `label` is the text the preceding one must have, and `ordinal` picks among the remaining ones, counted
    from the end if it is negative.
    """

    columns: tuple[int, ...]
    steps: Steps
    value_pattern: ValuePattern
    places: tuple[int, ...] = ()
    label: str = ""
    ordinal: int = 0
    tags: int = 0
    _match_cache: dict[int, bool] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.tags = tag_path_hash(self.steps)

    @property
    def key(self) -> tuple[object, ...]:
        """Identity of a field: its columns, the tags down to it, and the text around its values."""
        value_pattern = self.value_pattern
        return self.columns, self.tags, value_pattern.before, value_pattern.between, value_pattern.tail

    def matching_nodes(self, page: TextNodes) -> list[int]:
        """Return the text nodes of a page in the position of this field, whatever their text."""
        found = []
        for text_node in page.at(self.tags):
            element = page.element[text_node]
            path = page.path[element]
            match = self._match_cache.get(path)
            if match is None:
                if len(self._match_cache) > _MAX_CACHED:
                    self._match_cache.clear()
                match = self._match_cache[path] = matches_steps(self.steps, page.steps(element))
            if match and (not self.places or self._in_place(page, element)):
                found.append(text_node)
        if self.label:
            wanted = label_key(self.label)
            found = [text_node for text_node in found if label_key(label_of(page, text_node)) == wanted]
        return found

    def _in_place(self, page: TextNodes, element: int) -> bool:
        for place in reversed(self.places):
            if place and page.nth[element] != place:
                return False
            element = page.parent[element]
        return True

    def marked(self, page: TextNodes, found: Sequence[int]) -> Sequence[int]:
        """Return those of the matching text nodes that begin as the values do: `Phone: ` tells them apart."""
        before = self.value_pattern.before if self.value_pattern.anchored else ""
        if not any(map(str.isalpha, before)):
            return found
        return [text_node for text_node in found if page.text[text_node].lstrip().startswith(before)]

    def select(self, found: Sequence[int]) -> int | None:
        """Select one of the matching text nodes by `ordinal`; None when there are too few."""
        at = self.ordinal if self.ordinal >= 0 else len(found) + self.ordinal
        return found[at] if 0 <= at < len(found) else None

    def describe(self, names: Sequence[str]) -> str:
        """Describe position and value: `h1#title: {title}`."""
        path = "/".join(self.steps[-2:])
        prefix = f'after "{self.label}" ' if self.label else ""
        return f"{prefix}{path}: {self.value_pattern.describe([names[column] for column in self.columns])}"


def names_of(step: str) -> tuple[str, frozenset[str]]:
    """Return the tag of a step, and its class names and id.

    >>> sorted(names_of("td.price.now#sum")[1])
    ['#sum', '.now', '.price']
    """
    head, id, rest = step.partition("#")
    tag, *classes = head.split(".")
    names = {f".{name}" for name in classes if name}
    return tag, frozenset(names | {f"#{rest}"} if id else names)


def matches_steps(pattern: Steps, steps: Steps) -> bool:
    """Return whether an element matches: the same tags, and at least the names of the pattern."""
    if len(pattern) != len(steps):
        return False
    for wanted, actual in zip(pattern, steps, strict=True):
        if wanted != actual:
            tag, names = names_of(wanted)
            other_tag, other_names = names_of(actual)
            if tag != other_tag or not names <= other_names:
                return False
    return True


def common_steps(paths: Iterable[Steps]) -> Steps:
    """Return the most specific steps that match all of those given, which have the same tags.

    >>> common_steps([("ul", "li.book.new"), ("ul#top", "li.book")])
    ('ul', 'li.book')
    """
    common: list[str] = []
    for steps in zip(*paths, strict=True):
        if len(set(steps)) == 1:
            common.append(steps[0])
            continue
        parsed = [names_of(step) for step in steps]
        names = frozenset.intersection(*(names for _, names in parsed))
        common.append(parsed[0][0] + "".join(sorted(names, key=lambda name: (name[0] == "#", name))))
    return tuple(common)


def label_of(page: TextNodes, text_node: int) -> str:
    """Return the text of the preceding text node, if it looks like a label: short, and with letters."""
    if not text_node:
        return ""
    text = page.folded[text_node - 1].strip()
    return text if len(text) <= _MAX_LABEL and any(map(str.isalpha, text)) else ""


def label_key(label: str) -> str:
    """Normalise a label: `Directors:` is `Director`."""
    return label.rstrip(":： .").rstrip("s")
