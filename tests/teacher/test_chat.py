"""The client of a teacher: formats that servers know or not, and answers that are broken in many ways."""

import asyncio
import json
import re

import pytest

from clew.search.http import HttpClient
from clew.services.teacher.chat import ChatClient, ChatPrompt
from clew.services.teacher.chat_reply import ChatAnswer
from clew.services.teacher.page_answers import read_page_answer
from clew.services.teacher.prompts import PAGE_SCHEMA
from tests.teacher.teacher_server import Sent, error, reply, said, streamed, teaching

PROMPT = ChatPrompt(messages=({"role": "user", "content": "?"},), schema=PAGE_SCHEMA)
KEY = "sk-very-secret-0123456789"


def ask(behaviour, *, times=1, timeout=20.0, max_wait=60.0):
    """Return the last answer of a server, the answers read from it, and the server."""

    async def work():
        client = ChatClient(
            url=f"{server.url}/chat/completions", model="small", key=KEY, max_wait=max_wait,
            client=HttpClient(timeout=timeout),
        )  # fmt: skip
        try:
            return [await client.ask(PROMPT) for _ in range(times)][-1]
        finally:
            await client.aclose()

    with teaching(behaviour) as server:
        answer = asyncio.run(work())
    return answer, read_page_answer(answer), server


def always(sent):
    return lambda *_: sent


# ---- answers that can be used ------------------------------------------------------------------


@pytest.mark.parametrize(
    "sent",
    [
        reply(said("yes")),
        reply(said(True)),
        reply(said("Relevant.")),
        reply(f"```json\n{said('yes')}\n```"),
        reply(f"Here is my answer:\n{said('yes')}\nI hope that helps {{really}}."),
        reply(f"<think>maybe {said('no')}</think>{said('yes')}"),
        reply([{"type": "text", "text": said("yes")}]),
        reply(None, message={"tool_calls": [{"function": {"name": "answer", "arguments": said("yes")}}]}),
        reply(None, message={"function_call": {"name": "answer", "arguments": json.loads(said("yes"))}}),
        streamed(said("yes")),
        streamed(said("yes"), done=False),
        reply(said("yes"), usage=None),
    ],
    ids=[
        "schema", "boolean", "other-word", "fence", "chatter", "thinking", "parts", "tool-call", "function-call",
        "stream", "stream-cut-after", "no-usage",
    ],
)  # fmt: skip
def test_answers_of_all_forms_are_understood(sent):
    _, answer, _ = ask(always(sent))
    assert (answer.relevant, answer.cause) == (True, "")


def test_tokens_are_taken_from_whole_and_streamed_replies():
    assert ask(always(reply(said("no"))))[0].tokens == (100, 20)
    assert ask(always(streamed(said("no"))))[0].tokens == (90, 9)
    assert (
        ask(always(reply(said("no"), usage={"prompt_tokens": -5, "completion_tokens": "x"})))[0].tokens
        is None
    )


def test_unsure_is_an_answer():
    for word in ("unsure", None, "maybe"):
        answer = ask(always(reply(said(word))))[1]
        assert (answer.relevant, answer.cause) == (None, "")


# ---- answers that cannot -----------------------------------------------------------------------

DEEP = '{"a":' * 100_000

BROKEN = {
    "not JSON": (reply("The page is relevant."), "not JSON"),
    "empty": (reply(""), "empty"),
    "nothing at all": (Sent(b""), "empty"),
    "cut off by tokens": (reply('{"relevant": "ye', finish="length"), "breaks off"),
    "only thoughts": (reply("", finish="length"), "limit of tokens"),
    "refusal": (reply(None, message={"refusal": "I cannot help with that."}), "refused: I cannot help"),
    "refusal in words": (reply("I'm sorry, I can't."), "not JSON"),
    "filtered": (reply("", finish="content_filter"), "filter"),
    "wrong keys": (reply('{"label": "yes"}'), "does not say"),
    "wrong word": (reply(said("purple")), "neither yes, no nor unsure"),
    "number": (reply(said(0.7)), "neither yes, no nor unsure"),
    "list": (reply('["yes"]'), "not JSON"),
    "two answers": (reply(said("yes") + said("no")), "several answers"),
    "deep nesting": (reply(DEEP), "breaks off"),
    "HTML": (
        Sent(b"<html>login</html>", headers={"Content-Type": "text/html"}),
        "not JSON; check that teach.url",
    ),
    "no choices": (Sent(b'{"choices": []}'), "holds no answer"),
    "another protocol": (Sent(b'{"response": "yes"}'), "holds no answer"),
    "a list": (Sent(b"[1, 2]"), "not an answer of a model"),
    "error with status 200": (Sent(b'{"error": {"message": "out of memory"}}'), "out of memory"),
    "stream that breaks": (
        Sent(b'data: {"choices": [{"delta": {"content": "{\\"rel'),
        "limit of tokens|empty",
    ),
    "server error": (error(500, "out of memory"), "failed \\(500\\): out of memory"),
    "too large": (Sent(b" " * 9_000_000), "larger than"),
    "connection cut": (Sent(b"x" * 1000, cut=500), "broke"),
}


@pytest.mark.parametrize(("sent", "cause"), BROKEN.values(), ids=BROKEN)
def test_broken_answers_are_values_with_causes(sent, cause):
    raw, answer, server = ask(always(sent))
    assert answer.relevant is None
    assert re.search(cause, answer.cause)
    assert not raw.fatal
    assert len(server.asked) <= 3


def test_a_slow_server_is_given_up_and_may_have_charged():
    answer, _, _ = ask(always(Sent(reply(said("yes")).body, delay=2.0)), timeout=0.3)
    assert "no answer within 0.3 s" in answer.cause
    assert "teach" not in answer.cause  # this client has the default keys
    assert answer.charged


def test_nobody_listens():
    async def work():
        client = ChatClient(url="http://127.0.0.1:9/v1", model="m", client=HttpClient())
        return await client.ask(PROMPT)

    assert "nothing answers at" in asyncio.run(work()).cause


# ---- servers that differ -----------------------------------------------------------------------


def test_a_format_that_a_server_does_not_know_is_left_out_from_then_on():
    def only_plain(request, _):
        return error(400, "unknown field") if "response_format" in request else reply(said("no"))

    def only_objects(request, _):
        kind = request.get("response_format", {}).get("type")
        return reply(said("no")) if kind == "json_object" else error(422, "bad type")

    _, answer, server = ask(only_plain, times=2)
    assert answer.relevant is False
    kinds = [each.get("response_format", {}).get("type") for each in server.asked]
    assert kinds == ["json_schema", "json_object", None, None]
    _, answer, server = ask(only_objects, times=2)
    assert answer.relevant is False
    assert [each["response_format"]["type"] for each in server.asked] == [
        "json_schema",
        "json_object",
        "json_object",
    ]


def test_parameters_that_a_model_does_not_take_are_left_out():
    def particular(request, _):
        if "max_tokens" in request:
            return error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        if "temperature" in request:
            return error(400, "Unsupported value: 'temperature' does not support 0.")
        return reply(said("yes"))

    raw, answer, server = ask(particular)
    assert answer.relevant is True
    assert len(server.asked) == 3
    assert server.asked[-1]["max_completion_tokens"] == PROMPT.max_tokens
    assert raw.text


def test_a_server_that_refuses_everything_is_not_asked_for_ever():
    raw, _, server = ask(always(error(400, "temperature max_completion_tokens format")))
    assert raw.cause.startswith("it failed (400)")
    assert len(server.asked) == 5


@pytest.mark.parametrize(
    ("status", "cause"), [(401, "key"), (402, "paid"), (403, "key"), (404, "teach.model")]
)
def test_what_no_other_call_can_mend_is_fatal(status, cause):
    raw, _, _ = ask(always(error(status, f"bad key {KEY}")))
    assert raw.fatal
    assert cause in raw.cause
    assert KEY not in raw.cause
    assert not raw.charged


def test_a_busy_server_is_asked_again_after_the_rest_it_wants():
    def busy(_, number):
        return error(429, "slow down", Retry_After="1") if number < 3 else reply(said("yes"))

    raw, answer, server = ask(busy)
    assert answer.relevant is True
    assert len(server.asked) == 3
    assert raw.seconds >= 2


def test_a_server_that_stays_busy_or_wants_a_long_rest_is_given_up():
    raw, _, server = ask(always(error(429, "slow down", Retry_After="1")))
    assert len(server.asked) == 3
    assert not raw.charged
    raw, _, server = ask(always(error(503, "loading", Retry_After="3600")))
    assert len(server.asked) == 1
    assert raw.wait == 3600
    assert "3,600 s" in raw.cause


# ---- secrets -----------------------------------------------------------------------------------


def test_the_key_is_sent_and_removed_from_all_that_comes_back():
    answer, _, server = ask(always(reply(f"your key is {KEY}")))
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in answer.text
    assert "***" in answer.text
    client = ChatClient(url="http://a.test", model="m", key=KEY, client=HttpClient())
    assert KEY not in repr(client)


def test_a_passage_that_is_not_on_the_page_is_left_out():
    answer = ChatAnswer(text=said("yes", passage="The  lamp, turns!"))
    assert read_page_answer(answer, "At night the lamp turns.").passage == "The lamp, turns!"
    assert read_page_answer(answer, "Soup.").passage == ""
