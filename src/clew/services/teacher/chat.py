"""A client of any OpenAI-compatible endpoint: one question, one text; whatever goes wrong is a value."""

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clew.domain.text import printable
from clew.search.http import HttpClient, Reply
from clew.services.teacher.chat_reply import ChatAnswer, read_reply

MAX_TRIES = 3
"""Requests for one answer while the server is busy; a busy server has not charged for the others."""

MAX_WAIT = 60.0
"""Longest Retry-After to wait for, in seconds."""

FORMATS = ("json_schema", "json_object", "text")
"""How an answer in JSON is asked for: the next one is tried if a server does not know the one before."""

_BUSY = (429, 503, 529)
_UNKNOWN = (400, 404, 415, 422, 500, 501)
_CLIENT_ERRORS = (400, 415, 422)
_FATAL = {
    401: "it does not accept the key; set the environment variable {key} to a valid one",
    402: "it wants to be paid first; look at your account there",
    403: "it does not allow this; check the key in the environment variable {key}, and the model",
    404: "it knows no such address or model; correct teach.url or teach.model",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPrompt:
    """A question: the messages, the schema that the answer must have, and its most tokens."""

    messages: Sequence[Mapping[str, str]]
    schema: Mapping[str, Any]
    max_tokens: int = 400

    def as_text(self) -> str:
        """Return all of it as one text, to measure it and to make its digest."""
        return json.dumps([list(self.messages), self.schema], ensure_ascii=False)


@dataclass(slots=True, kw_only=True)
class ChatClient:
    """Ask a model. What a server does not know (a format, a parameter) is left out from then on.

    `key` is sent to the server and to nobody else; it is removed from every text that comes back.
    `key_name` is the environment variable it came from, for messages.
    """

    url: str
    model: str
    client: HttpClient
    key: str = field(default="", repr=False)
    key_name: str = "CLEW_TEACHER_KEY"
    max_wait: float = MAX_WAIT
    _format: int = 0
    _tokens_name: str = "max_tokens"
    _temperature: bool = True

    async def ask(self, prompt: ChatPrompt) -> ChatAnswer:
        """Return the answer, or the cause why there is none; nothing is raised for what a server does."""
        begun, busy = time.monotonic(), 0
        while True:
            reply = await self.client.post(self.url, self._body(prompt), self._headers())
            if reply.status in _BUSY:
                busy += 1
                wait = reply.retry_after() or 2.0**busy
                if busy < MAX_TRIES and wait <= self.max_wait:
                    await asyncio.sleep(wait)
                    continue
            elif reply.status in _UNKNOWN and self._adapt(reply):
                continue
            answer = self._failure(reply) or read_reply(reply.body)
            return answer.finished(time.monotonic() - begun, self.redact)

    async def aclose(self) -> None:
        """Close the connection."""
        await self.client.aclose()

    def redact(self, text: str) -> str:
        """Return a text without the key."""
        return text.replace(self.key, "***") if self.key else text

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Expect": ""}
        return headers | ({"Authorization": f"Bearer {self.key}"} if self.key else {})

    def _body(self, prompt: ChatPrompt) -> bytes:
        body: dict[str, Any] = {
            "model": self.model, "messages": list(prompt.messages), "stream": False,
            self._tokens_name: prompt.max_tokens,
        }  # fmt: skip
        if self._temperature:
            body["temperature"] = 0
        kind = FORMATS[self._format]
        if kind == "json_schema":
            named = {"name": "answer", "strict": True, "schema": prompt.schema}
            body["response_format"] = {"type": kind, "json_schema": named}
        elif kind == "json_object":
            body["response_format"] = {"type": kind}
        return json.dumps(body).encode()

    def _adapt(self, reply: Reply) -> bool:
        """Leave out what the server does not know; return whether it is worth another request."""
        text = reply.text[:4_000].lower()
        if "max_completion_tokens" in text and self._tokens_name == "max_tokens":
            self._tokens_name = "max_completion_tokens"
        elif "temperature" in text and self._temperature:
            self._temperature = False
        elif self._format < len(FORMATS) - 1 and (reply.status in _CLIENT_ERRORS or _names_format(text)):
            self._format += 1
        else:
            return False
        return True

    def _failure(self, reply: Reply) -> ChatAnswer | None:
        """Return why a reply is no answer; None if it may be one."""
        if reply.error:  # no answer, or half of one: the server may have charged for it
            return ChatAnswer(cause=reply.error)
        if reply.status in _BUSY:
            asked = reply.retry_after()
            wait = f": it wants a rest of {asked:,.0f} s" if asked else ""
            return ChatAnswer(cause=f"it is busy ({reply.status}){wait}", charged=False, wait=asked)
        if 200 <= reply.status < 300:  # noqa: PLR2004
            return None
        known = _FATAL.get(reply.status)
        text = known.format(key=self.key_name) if known else f"it failed ({reply.status})"
        if detail := _detail(reply.body):
            text = f"{text} ({detail})" if known else f"{text}: {detail}"
        return ChatAnswer(cause=text, charged=reply.status >= 500, fatal=known is not None)  # noqa: PLR2004


def _names_format(text: str) -> bool:
    return any(word in text for word in ("format", "schema", "grammar"))


def _detail(body: bytes) -> str:
    """Return what a server says about an error."""
    try:
        found = json.loads(body[:100_000])
    except (ValueError, RecursionError):
        return ""
    error = found.get("error", found) if isinstance(found, dict) else found
    message = error.get("message", "") if isinstance(error, dict) else error
    return printable(message, 160) if isinstance(message, str) else ""
