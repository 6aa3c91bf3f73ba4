"""Read what a model says of a page; an answer that cannot be used is a value with its cause."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from clew.domain.text import printable
from clew.services.teacher.chat_reply import ChatAnswer

YES = ("yes", "true", "relevant", "1")
NO = ("no", "false", "irrelevant", "not relevant", "0")
UNSURE = ("unsure", "maybe", "unknown", "unclear", "none", "null")

_MOST = 100_000
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """What a model says of a page: relevant, not, or unsure (None); or the `cause` why that is not known."""

    relevant: bool | None = None
    reason: str = ""
    passage: str = ""
    cause: str = ""

    @property
    def word(self) -> str:
        """The answer in one word."""
        return {True: "yes", False: "no", None: "unsure"}[self.relevant]


def read_page_answer(answer: ChatAnswer, text: str = "") -> PageAnswer:
    """Return the answer about a page with this text; a passage that is not in the text is left out.

    >>> read_page_answer(ChatAnswer(text='{"relevant": "yes", "reason": "a lighthouse", "passage": ""}'))
    PageAnswer(relevant=True, reason='a lighthouse', passage='', cause='')
    >>> read_page_answer(ChatAnswer(text="I think so.")).cause
    'its answer is not JSON: I think so.'
    """
    found, cause = read_object(answer)
    if cause:
        return PageAnswer(cause=cause)
    if "relevant" not in found:
        return PageAnswer(cause="its answer does not say whether the page is relevant")
    relevant = _word(found["relevant"])
    if relevant == "":
        return PageAnswer(
            cause=f"its answer is neither yes, no nor unsure: {printable(str(found['relevant']), 60)}"
        )
    passage = _line(found.get("passage"), 300)
    there = _folded(passage) in _folded(text)
    return PageAnswer(
        relevant if isinstance(relevant, bool) else None, _line(found.get("reason"), 200), passage * there
    )


def read_object(answer: ChatAnswer) -> tuple[dict[str, Any], str]:
    """Return the JSON object in an answer, with or without text around it; or the cause why there is none."""
    if answer.cause:
        return {}, answer.cause
    text = _THINKING.sub("", answer.text[:_MOST]).strip()
    objects = list(_objects(text))
    if not objects:
        if answer.cut or text.count("{") > text.count("}"):
            return {}, "its answer breaks off; raise teach.answer"
        return {}, f"its answer is not JSON: {printable(text, 60)}" if text else "its answer is empty"
    distinct = {json.dumps(each, sort_keys=True) for each in objects}
    if len(distinct) > 1:
        return {}, "it gave several answers that differ"
    return objects[0], ""


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text, whatever is around them."""
    at = text.find("{")
    while at >= 0:
        try:
            found, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(found, dict):
                yield found
        at = text.find("{", end)


def _word(value: object) -> bool | str | None:
    """Return what a value says: True, False, None for unsure, an empty string for nothing known."""
    if value is None or isinstance(value, bool):
        return value
    word = str(value).strip().strip(".").lower()
    return True if word in YES else False if word in NO else None if word in UNSURE else ""


def _line(value: object, most: int) -> str:
    return printable(" ".join(str(value).split()), most) if isinstance(value, str) else ""


def _folded(text: str) -> str:
    return "".join(re.findall(r"\w+", text.casefold()))
