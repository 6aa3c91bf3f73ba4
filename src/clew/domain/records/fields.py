"""Fields: where on pages of one template a value stands, and how it is taken out of its leaf."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from clew.domain.records.text_nodes import TextNodes, chain
from clew.domain.records.value_patterns import ValuePattern

Steps: TypeAlias = tuple[str, ...]
_LABEL = 40  # characters of a label
_SEEN = 50_000  # paths whose fit is remembered


@dataclass(slots=True)
class Field:
    """One leaf of a record: the columns it holds, the steps down to it, and how it is told from its like.

    A step fits an element with the same tag that has at least its names: `td` fits `td.price`. `places` are
    the places among siblings of the last steps (0 fits all). Where more than one leaf fits, `label` is what
    the leaf before must say, and `ordinal` counts the leaves that are left, from the end if it is below 0.
    """

    columns: tuple[int, ...]
    steps: Steps
    cut: ValuePattern
    places: tuple[int, ...] = ()
    label: str = ""
    ordinal: int = 0
    tags: int = 0
    _fits: dict[int, bool] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.tags = chain(self.steps)

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two fields the same: the columns, the tags down to them, and how they are written."""
        cut = self.cut
        return self.columns, self.tags, cut.before, cut.between, cut.tail

    def leaves(self, page: TextNodes) -> list[int]:
        """Return the leaves of a page that stand where this field stands, whatever they say."""
        found = []
        for leaf in page.at(self.tags):
            node = page.node[leaf]
            path = page.path[node]
            fits = self._fits.get(path)
            if fits is None:
                if len(self._fits) > _SEEN:
                    self._fits.clear()
                fits = self._fits[path] = fitting(self.steps, page.steps(node))
            if fits and (not self.places or self._placed(page, node)):
                found.append(leaf)
        if self.label:
            wanted = _told(self.label)
            found = [leaf for leaf in found if _told(label_of(page, leaf)) == wanted]
        return found

    def _placed(self, page: TextNodes, node: int) -> bool:
        for place in reversed(self.places):
            if place and page.nth[node] != place:
                return False
            node = page.parent[node]
        return True

    def chosen(self, found: Sequence[int]) -> int | None:
        """Return the leaf meant among those that fit; None when there are too few."""
        at = self.ordinal if self.ordinal >= 0 else len(found) + self.ordinal
        return found[at] if 0 <= at < len(found) else None

    def words(self, names: Sequence[str]) -> str:
        """Say where it stands and what is taken: `h1#title: {title}`."""
        where = "/".join(self.steps[-2:])
        said = f'after "{self.label}" ' if self.label else ""
        return f"{said}{where}: {self.cut.words([names[column] for column in self.columns])}"


def names_of(step: str) -> tuple[str, frozenset[str]]:
    """Return the tag of a step, and its names.

    >>> sorted(names_of("td.price.now#sum")[1])
    ['#sum', '.now', '.price']
    """
    head, id, rest = step.partition("#")
    tag, *classes = head.split(".")
    names = {f".{name}" for name in classes if name}
    return tag, frozenset(names | {f"#{rest}"} if id else names)


def fitting(pattern: Steps, steps: Steps) -> bool:
    """Tell whether an element fits: the same tags, and at least the names of the pattern."""
    if len(pattern) != len(steps):
        return False
    for wanted, there in zip(pattern, steps, strict=True):
        if wanted != there:
            tag, names = names_of(wanted)
            other, others = names_of(there)
            if tag != other or not names <= others:
                return False
    return True


def common_steps(many: Iterable[Steps]) -> Steps:
    """Return the steps that fit all of those given, which have the same tags.

    >>> common_steps([("ul", "li.book.new"), ("ul#top", "li.book")])
    ('ul', 'li.book')
    """
    made: list[str] = []
    for steps in zip(*many, strict=True):
        if len(set(steps)) == 1:
            made.append(steps[0])
            continue
        parted = [names_of(step) for step in steps]
        names = frozenset.intersection(*(names for _, names in parted))
        made.append(parted[0][0] + "".join(sorted(names, key=lambda name: (name[0] == "#", name))))
    return tuple(made)


def label_of(page: TextNodes, leaf: int) -> str:
    """Return what the leaf before says, if it looks like a label: short, and with letters."""
    if not leaf:
        return ""
    text = page.plain[leaf - 1].strip()
    return text if len(text) <= _LABEL and any(map(str.isalpha, text)) else ""


def _told(label: str) -> str:
    """Return what counts of a label: `Directors:` is `Director`."""
    return label.rstrip(":： .").rstrip("s")
