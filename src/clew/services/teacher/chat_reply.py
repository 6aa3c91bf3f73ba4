"""Read the reply of a chat endpoint: whole or streamed, as text, as parts or as a call of a tool."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from clew.domain.text import printable

_MOST_TOKENS = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAnswer:
    """The text of an answer, or the `cause` why there is none.

    `tokens` are those of the prompt and of the answer, None where the server does not say. `charged` tells
    whether the call may have cost something, `fatal` that no other call can succeed, `wait` how many seconds
    of rest the server asks for, `cut` that it stopped at its limit of tokens.
    """

    text: str = ""
    tokens: tuple[int, int] | None = None
    seconds: float = 0.0
    cause: str = ""
    charged: bool = True
    fatal: bool = False
    wait: float = 0.0
    cut: bool = False

    def finished(self, seconds: float, redact: Callable[[str], str]) -> "ChatAnswer":
        """Return it with its duration, and without secrets."""
        return replace(self, seconds=seconds, text=redact(self.text), cause=redact(self.cause))


def read_reply(body: bytes) -> ChatAnswer:
    """Return the answer in the body of a successful reply.

    >>> read_reply(b'{"choices": [{"message": {"content": "yes"}}]}').text
    'yes'
    >>> read_reply(b'data: {"choices": [{"delta": {"content": "yes"}}]}').text
    'yes'
    >>> read_reply(b"<html>").cause
    'its reply is not JSON; check that teach.url is an OpenAI-compatible endpoint'
    """
    text = body.decode("utf-8-sig", "replace").strip()
    try:
        found = _streamed(text) if text.startswith(("data:", "event:", ":")) else json.loads(text)
    except (ValueError, RecursionError):
        cause = "its reply is not JSON; check that teach.url is an OpenAI-compatible endpoint"
        return ChatAnswer(cause=cause if text else "its reply is empty")
    if not isinstance(found, dict):
        return ChatAnswer(cause="its reply is not an answer of a model")
    tokens = _usage(found.get("usage"))
    if error := found.get("error"):
        message = error.get("message", "") if isinstance(error, dict) else error
        return ChatAnswer(cause=f"it failed: {printable(str(message), 160)}", tokens=tokens)
    choices = found.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return ChatAnswer(cause="its reply holds no answer", tokens=tokens)
    return replace(_of_message(message, str(choice.get("finish_reason"))), tokens=tokens)


def _of_message(message: Mapping[str, Any], finish: str) -> ChatAnswer:
    if refusal := message.get("refusal"):
        return ChatAnswer(cause=f"it refused: {printable(str(refusal), 160)}")
    text = _content(message.get("content")) or _tool_arguments(message)
    if not text.strip():
        why = {
            "length": "it stopped at its limit of tokens before it had answered; raise teach.answer",
            "content_filter": "a filter of the server kept its answer back",
        }.get(finish, "its answer is empty")
        return ChatAnswer(cause=why)
    return ChatAnswer(text=text, cut=finish == "length")


def _content(content: object) -> str:
    """Return the text of a message, which some servers send in parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


def _tool_arguments(message: Mapping[str, Any]) -> str:
    """Return the arguments of the first call of a tool: some servers answer in JSON that way."""
    calls = message.get("tool_calls")
    call = calls[0] if isinstance(calls, list) and calls else message.get("function_call")
    if not isinstance(call, dict):
        return ""
    function = call.get("function", call)
    arguments = function.get("arguments", "") if isinstance(function, dict) else ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _streamed(text: str) -> dict[str, Any]:
    """Return a stream of server-sent events as one reply; an unreadable end is left out."""
    content: list[str] = []
    found: dict[str, Any] = {}
    finish = None
    for line in text.splitlines():
        data = line.removeprefix("data:").strip() if line.startswith("data:") else ""
        if not data or data == "[DONE]":
            continue
        try:
            event = json.loads(data)
        except ValueError:
            finish = "length"
            continue
        if not isinstance(event, dict):
            continue
        found |= {key: event[key] for key in ("usage", "error") if event.get(key)}
        for choice in event.get("choices") or []:
            delta = choice.get("delta") or choice.get("message") or {}
            content.append(_content(delta.get("content")))
            finish = choice.get("finish_reason") or finish
    return found | {"choices": [{"message": {"content": "".join(content)}, "finish_reason": finish}]}


def _usage(usage: object) -> tuple[int, int] | None:
    """Return the tokens of prompt and answer, if the server says something sensible."""
    if not isinstance(usage, dict):
        return None
    counts = [usage.get("prompt_tokens"), usage.get("completion_tokens", 0)]
    if not all(isinstance(count, int) and 0 <= count < _MOST_TOKENS for count in counts):
        return None
    return counts[0], counts[1]
