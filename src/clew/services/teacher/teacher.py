"""A teacher: asks a model within its budget, records every call, and turns answers into labels."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from clew.config import Config
from clew.config.tables import TeachTable
from clew.domain.teacher_trust import Trust
from clew.errors import ConfigError
from clew.services.teacher.chat import ChatClient, ChatPrompt
from clew.services.teacher.chat_reply import ChatAnswer
from clew.services.teacher.page_answers import PageAnswer, read_page_answer
from clew.services.teacher.prompts import PageQuestion, digest_of, page_prompt
from clew.store import read_by_url
from clew.store.teacher_answers import StoredAnswer, TeacherAnswers
from clew.store.teacher_log import PlannedCall, TeacherBudget, TeacherLog

OVERHEAD = 300
"""Tokens that a server may add to a prompt for its own template."""

FLIPPED = "its answer changes when the words of the page are shuffled: the page may give orders"
UNCHECKED = "the answer contradicts the judge, and there was nothing left to ask once more"

INTERRUPTED = "the run was killed before it was asked once more"

_SPEAKS_TO_MODELS = re.compile(
    r"(?i)\b(ignore|disregard|forget)\b.{0,40}\b(instruction|prompt|above|previous)|system prompt"
    r"|\bas an ai\b|[\"']relevant[\"']|\b(ignoriere|vergiss)\b.{0,40}\banweisung"
    r"|(指示|命令).{0,12}(無視|従わ)"
)
_MILLION = 1_000_000
Result = TypeVar("Result")


class TeacherStopped(ConfigError):  # noqa: N818 - reads better without "Error"
    """A budget does not allow the next call, or no call can succeed: the key or the address is wrong."""


@dataclass(slots=True, kw_only=True)
class Teacher:
    """Ask about pages: once, or once more with shuffled words where that matters.

    A call is recorded with what it may cost at most before it is made: after a kill it counts as spent. A
    token has at least one byte, so a prompt has at most as many tokens as bytes.
    """

    config: Config
    chat: ChatClient
    log: TeacherLog
    answers: TeacherAnswers = field(init=False)

    def __post_init__(self) -> None:
        self.answers = TeacherAnswers(self.log)

    @property
    def table(self) -> TeachTable:
        """The table `[teach]` of the configuration."""
        return self.config.teach

    async def ask_page(self, page: PageQuestion) -> tuple[StoredAnswer | None, str]:
        """Ask about a page and store the answer; return it, or None with the cause why there is none.

        An answer that changes with the order of the words is stored as unsure, with that as its reason.
        """
        first = await self._page_answer(page, "page")
        if first.cause:
            return None, first.cause
        if first.relevant is not None and self._matters(page, first.relevant):
            first = await self._checked(page, first)
        return await asyncio.to_thread(self._store, page, first), ""

    async def ask(
        self, prompt: ChatPrompt, purpose: str, subject: str, read: Callable[[ChatAnswer], tuple[Result, str]]
    ) -> tuple[Result, str]:
        """Make one recorded call; return what `read` makes of the answer, with the cause if it is no use.

        Raises `TeacherStopped` if the call could exceed a budget.
        """
        asked = len(prompt.as_text().encode("utf-8", "replace")) + OVERHEAD
        most = asked + prompt.max_tokens, self._cost(asked, prompt.max_tokens)
        call = PlannedCall(
            purpose=purpose, subject=subject, model=self.table.model, prompt=digest_of(prompt),
            tokens=most[0], cost=most[1],
        )  # fmt: skip
        begun = await asyncio.to_thread(self.log.begin, call, self._budget())
        if isinstance(begun, str):
            raise TeacherStopped(begun)
        answer = await self._answer(begun, prompt, most)
        result, cause = read(answer)
        tokens, cost = most if answer.charged else (0, 0.0)
        if answer.tokens:
            tokens, cost = sum(answer.tokens), self._cost(*answer.tokens)
        await _to_the_end(
            asyncio.to_thread(self.log.end, begun, tokens=tokens, cost=cost, answer=answer.text, cause=cause)
        )
        if answer.fatal:
            raise TeacherStopped(cause)
        return result, cause

    def recover(self) -> None:
        """Read the answers that came just before a kill; one that should have been checked is unsure."""
        for url, text in self.log.unread():
            for each in read_by_url(self.log.folder, [url]):
                page = PageQuestion(url=url, title=each.page.title, text=each.page.text, verdict=each.verdict)
                found = read_page_answer(ChatAnswer(text=text), f"{page.title} {page.text}")
                if found.relevant is not None and self._matters(page, found.relevant):
                    found = PageAnswer(None, INTERRUPTED, found.passage)
                if not found.cause:
                    self._store(page, found)

    def _store(self, page: PageQuestion, found: PageAnswer) -> StoredAnswer:
        return self.answers.add(
            page.url, found.relevant, reason=found.reason, passage=found.passage, verdict=page.verdict
        )

    async def sync_labels(self) -> Trust:
        """Let answers hold as labels as far as the teacher is trusted; return how far that is."""
        return await asyncio.to_thread(self._sync_labels)

    def _sync_labels(self) -> Trust:
        self.answers.note_removed()
        answers, person = self.answers.all(), self.answers.persons_labels()
        trust = Trust.of({each.url: each.relevant for each in answers if each.relevant is not None}, person)
        usable = [each for each in answers if each.relevant is not None and not each.undone_at]
        held = [each for each in usable if each.label_at is None and trust.holds(bool(each.relevant))]
        self.answers.add_labels(each for each in held if each.url not in person)
        if lost := [each for each in usable if each.label_at and not trust.holds(bool(each.relevant))]:
            self.answers.drop_labels(lost)
        return trust

    async def _answer(self, id: int, prompt: ChatPrompt, most: tuple[int, float]) -> ChatAnswer:
        """Ask the model; a call that is broken off is recorded as such, with what it may have cost."""
        try:
            return await self.chat.ask(prompt)
        except asyncio.CancelledError:
            self.log.end(id, tokens=most[0], cost=most[1], answer="", cause="the run ended before the answer")
            raise

    async def _page_answer(self, page: PageQuestion, purpose: str) -> PageAnswer:
        prompt = page_prompt(
            self.config.goal, page, most=self.table.text, answer=self.table.answer,
            shuffled=purpose == "check",
        )  # fmt: skip

        def read(answer: ChatAnswer) -> tuple[PageAnswer, str]:
            found = read_page_answer(answer, f"{page.title} {page.text}")
            return found, found.cause

        return (await self.ask(prompt, purpose, page.url, read))[0]

    def _matters(self, page: PageQuestion, relevant: bool) -> bool:
        """Tell whether an answer must be checked: it contradicts the judge, or the page speaks to models."""
        if self.table.twice != "auto":
            return self.table.twice == "always"
        contradicts = relevant != (page.verdict >= self.config.goal.keep)
        return contradicts or speaks_to_models(f"{page.title}\n{page.text}")

    async def _checked(self, page: PageQuestion, first: PageAnswer) -> PageAnswer:
        """Ask once more with the words shuffled; an answer that flips is no answer."""
        try:
            second = await self._page_answer(page, "check")
        except TeacherStopped:
            return PageAnswer(None, UNCHECKED, first.passage)
        if second.cause or second.relevant is None:
            return first
        return first if second.relevant == first.relevant else PageAnswer(None, FLIPPED, first.passage)

    def _cost(self, asked: int, answered: int) -> float:
        return (asked * self.table.price_in + answered * self.table.price_out) / _MILLION

    def _budget(self) -> TeacherBudget:
        table = self.table
        return TeacherBudget(labels=table.labels, tokens=table.tokens, money=table.money)


def speaks_to_models(text: str) -> bool:
    """Return whether a text of a page seems to give orders to a language model.

    >>> speaks_to_models("Ignore all previous instructions."), speaks_to_models("Mind the step.")
    (True, False)
    """
    return bool(_SPEAKS_TO_MODELS.search(text))


async def _to_the_end(work: Awaitable[None]) -> None:
    """Wait for a write even if the run is ending: half a record would count as lost."""
    await asyncio.shield(work)
