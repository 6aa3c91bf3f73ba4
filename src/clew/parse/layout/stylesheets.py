"""The rules of a page's own style elements, as far as they concern layout, matched without a browser.

Selectors of tags, classes, ids, descendants and children are supported, others are ignored. Among rules
that match, the more specific one wins, then the later one.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from clew.parse.layout.element_styles import VIEW, ElementStyle, ElementTraits, declarations, style_of

MAX_SHEET = 200_000
MAX_RULES = 1_000
_EM = 16
_COMMENT = re.compile(r"/\*.*?\*/|<!--|-->", re.DOTALL)
_RULE = re.compile(r"([^{}]++)\{([^{}]*+)\}")
_MEDIA = re.compile(r"@(?:media|supports|layer)\b([^{};]*+)\{((?:[^{}]++|\{[^{}]*+\})*+)\}")
_AT = re.compile(r"@[\w-]++[^{};]*+(?:;|\{[^{}]*+\})")
_BOUND = re.compile(r"(min|max)-width\s*:\s*(\d{1,5}(?:\.\d{1,3})?)(px|em|rem)?")
_SELECTOR = re.compile(r"^(?:[\w-]+|\*)?(?:[.#][\w-]+)*(?:(?: > | )(?:[\w-]+|\*)?(?:[.#][\w-]+)*)*$")
_COMPOUND = re.compile(r"[.#]?[\w-]+")

Compound: TypeAlias = tuple[str, frozenset[str]]
"""A tag, empty for any, and names with `.` or `#` before them."""

Rule: TypeAlias = tuple[int, Compound, list[tuple[str, Compound]], dict[str, str]]
"""Specificity, the compound it matches, those required around it (`>` or a blank), its declarations."""


class Stylesheets:
    """Rules by the name or tag they match; `style` finds those that match an element."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._rules: dict[str, list[Rule]] = {}
        self._known: dict[
            int, tuple[ElementTraits, ElementStyle]
        ] = {}  # by identity: hashing traits costs more
        for rule in sorted(_rules(texts), key=lambda rule: rule[0]):
            tag, names = rule[1]
            key = next(iter(sorted(names)), tag)
            self._rules.setdefault(key, []).append(rule)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def style(self, traits: ElementTraits, around: Callable[[], Sequence[ElementTraits]]) -> ElementStyle:
        """Return the style of an element; `around` gives those around it, the outermost first."""
        known = self._known.get(id(traits))
        if known is not None:
            return known[1]
        keys = (traits.tag, "", *traits.names)
        found = [rule for key in keys for rule in self._rules.get(key, ()) if _fits(rule[1], traits)]
        style = traits.style
        if found:
            found.sort(key=lambda rule: rule[0])
            merged: dict[str, str] = {}
            chain = around() if any(rule[2] for rule in found) else ()
            for _, _, wanted, declared in found:
                if not wanted or _is_within(wanted, chain):
                    merged.update(declared)
            merged.update(traits.declared)
            style = style_of(tuple(sorted(merged.items()))) if merged else traits.style
        if not any(rule[2] for rule in found):
            self._known[id(traits)] = traits, style
        return style


@lru_cache(maxsize=64)
def sheets(texts: tuple[str, ...]) -> Stylesheets:
    """Return the rules of some sheets, cached: the pages of a site share them."""
    return Stylesheets(texts)


def _fits(compound: Compound, traits: ElementTraits) -> bool:
    tag, names = compound
    return (not tag or tag == traits.tag) and names <= traits.names


def _is_within(around: list[tuple[str, Compound]], chain: Sequence[ElementTraits]) -> bool:
    """Return whether the elements around match a rule; the innermost comes first in `around`."""
    at = len(chain) - 1
    for joint, compound in around:
        if joint == ">":
            if at < 0 or not _fits(compound, chain[at]):
                return False
        else:
            while at >= 0 and not _fits(compound, chain[at]):
                at -= 1
            if at < 0:
                return False
        at -= 1
    return True


def _rules(texts: Sequence[str]) -> list[Rule]:
    """Return the rules about layout of some sheets."""
    found: list[Rule] = []
    for sheet in texts:
        text = _COMMENT.sub("", sheet[:MAX_SHEET])
        wide = [inside for condition, inside in _MEDIA.findall(text) if _holds(condition)]
        for part in (_AT.sub("", _MEDIA.sub("", text)), *wide):
            for selectors, body in _RULE.findall(part):
                declared = declarations(body)
                for selector in selectors[:1_000].split(",") if declared else ():
                    if (rule := _rule(selector, declared, len(found))) is not None:
                        found.append(rule)
                if len(found) >= MAX_RULES:
                    return found
    return found


def _rule(selector: str, declared: dict[str, str], order: int) -> Rule | None:
    selector = " ".join(selector.replace(">", " > ").split())[:200]
    if not selector or not _SELECTOR.match(selector):
        return None
    words = selector.split(" ")
    compounds, joints = list[Compound](), list[str]()
    for word in words:
        if word == ">":
            joints[-1] = ">"
            continue
        parts = _COMPOUND.findall(word.replace("*", ""))
        tag = parts.pop(0).lower() if parts and parts[0][0] not in ".#" else ""
        compounds.append((tag, frozenset(part.lower() for part in parts)))
        joints.append(" ")
    around = list(zip(joints[-2::-1], compounds[-2::-1], strict=True))
    weight = sum(
        100 * sum(name[0] == "#" for name in names) + 10 * sum(name[0] == "." for name in names) + bool(tag)
        for tag, names in compounds
    )
    return weight * 10_000 + order, compounds[-1], around, declared


def _holds(condition: str) -> bool:
    """Return whether a media query matches a desktop screen."""
    if "print" in condition or "speech" in condition:
        return False
    for side, number, unit in _BOUND.findall(condition):
        limit = float(number) * (_EM if unit in {"em", "rem"} else 1)
        if (side == "min" and limit > VIEW) or (side == "max" and limit < VIEW):
            return False
    return True
