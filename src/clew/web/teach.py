"""Teach: the pages whose labels help most, labels with their effect, and the terms that were learned."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import Field

from clew import config as configuration
from clew.cli.shard_feedback import store_in_shards
from clew.errors import ConfigError
from clew.insight.live_state import read_live, read_notes
from clew.insight.preflight.folder_check import lock_holder
from clew.judge.term_list import write_terms
from clew.services.labels import LabelQuestion, ask, find_pages, store_answers
from clew.services.labels.listener import TERMS_CHANGED
from clew.services.labels.training_pages import (
    ProposedTerm,
    collect_training_pages,
    merge_terms,
    set_weight,
    term_list_path,
    toggle_terms,
)
from clew.store.crawl_stats import count_labels, has_links
from clew.store.label_reader import SqliteLabelReader, read_ids
from clew.store.page_columns import read_page_rows
from clew.web.operations import Call, Changes, Nothing, Operation, WebPage
from clew.web.overview import status_of
from clew.web.pages import keep_of, labels_of
from clew.web.server_state import ServerState
from clew.web.teacher import teacher_of

QUESTIONS = 30
"""Pages chosen at once; after some answers they are chosen anew."""

TERMS = 40
APPLY_SECONDS = 60.0
"""Seconds to wait for a process that learns labels and fetches nothing."""

EFFECT_SECONDS = 3.0
"""Seconds to wait for a running crawl to report what a label has changed: it applies one within a second."""

TEXT_CHARACTERS = 30_000
TELLING = 24


class QuestionQuery(Nothing):
    """How many pages to ask about."""

    number: int = Field(default=10, ge=1, le=QUESTIONS, description="Pages at most.")


class OneLabel(Changes):
    """A label on one URL; `good` null removes it."""

    url: str = Field(max_length=8_000)
    good: bool | None = None


class LabelBody(Changes):
    """Labels to store. With `wait`, the answer has the effect that a running crawl reports."""

    labels: list[OneLabel] = Field(min_length=1, max_length=10_000)
    wait: bool = True


class TermBody(Changes):
    """Terms to strike, to restore, and to add with a weight from -10 to 10."""

    strike: list[str] = Field(default=[], max_length=500)
    restore: list[str] = Field(default=[], max_length=500)
    add: dict[str, float] = Field(default={}, max_length=500)


def questions(call: Call) -> dict[str, Any]:
    """Return the pages to ask about, with their texts and the words that tell."""
    folder = call.folder
    if not has_links(folder):
        return {"questions": [], "labels": [0, 0], "terms": []}
    keep = keep_of(folder)
    chosen = call.server.cached("questions", folder, lambda: ask_with_ids(folder, keep)).value(5.0)
    known = {label.url for label in SqliteLabelReader(folder).latest_labels()}
    terms = telling_words(call.server, folder)
    open_ = [pair for pair in chosen if pair[0].url not in known][: call.query.number]
    pages = read_page_rows(folder, [id for _, id in open_], head=TEXT_CHARACTERS)
    texts = {page["id"]: str(page["text"]) for page in pages}
    rows = [
        {**question.as_dict(), "text": texts.get(id, question.excerpt), "keep": keep}
        for question, id in open_
    ]
    return {"questions": rows, "labels": list(count_labels(folder)), "terms": terms}


def ask_with_ids(folder: Path, keep: float) -> list[tuple[LabelQuestion, int]]:
    """Return the questions with the ids of their pages."""
    chosen = ask(folder, QUESTIONS, keep=keep)
    pages = read_page_rows(folder, read_ids(folder, [each.url for each in chosen]), head=0)
    ids = {page["url"]: int(page["id"]) for page in pages}
    return [(each, ids.get(each.url, 0)) for each in chosen]


def telling_words(server: ServerState, folder: Path) -> list[tuple[str, bool]]:
    """Return the terms that speak most for and against relevance, to be marked in texts."""
    try:
        listed = term_list(server, folder)
    except ConfigError:
        return []
    strong = sorted(
        (each for each in listed if each.term.use != "strike"), key=lambda each: -abs(each.term.weight)
    )
    return [(each.term.term, each.term.weight >= 0) for each in strong[:TELLING]]


def term_list(server: ServerState, folder: Path) -> list[ProposedTerm]:
    """Return the terms learned from examples, labels and topic, with the user's changes."""

    def read() -> list[ProposedTerm]:
        config = configuration.load_folder(folder)
        return merge_terms(folder, config, collect_training_pages(folder, config), TERMS)

    return server.cached("terms", folder, read).value(3.0)


# ---- labels ------------------------------------------------------------------------------------


def list_labels(call: Call) -> dict[str, Any]:
    """Return every labelled URL."""
    labels = labels_of(call.server, call.folder)
    return {"labels": [{"url": url, "good": good} for url, good in labels.items()]}


def add_labels(call: Call) -> dict[str, Any]:
    """Store labels, and say what they have changed."""
    body: LabelBody = call.body
    folder = call.folder
    config = configuration.load_folder(folder)
    began = time.time()
    pairs = [(label.url, label.good) for label in body.labels]
    answers = find_pages(folder, pairs, config.scope.drop_params)
    if call.divided:
        store_in_shards(call.divided, answers)
    else:
        store_answers(folder, answers)
    call.server.forget("terms", folder)
    urls = {answer.url for answer in answers}
    effect = None
    if body.wait and is_live(folder):
        effect = wait_for_note(folder, began, lambda note: bool(urls & set(note.get("labels") or ())))
    what = answers[0].effect() if len(answers) == 1 else f"{len(answers):,} labels saved"
    return {
        "saved": [{"url": answer.url, "good": answer.good, "known": answer.known} for answer in answers],
        "effect": effect,
        "running": bool(lock_holder(folder)),
        "message": effect_text(effect) or later(folder, what),
        "labels": list(count_labels(folder)),
    }


def is_live(folder: Path) -> bool:
    """Return whether a process that reports its notes crawls in a folder."""
    holder = lock_holder(folder)
    return bool(holder) and str(read_live(folder).get("pid")) == holder


def wait_for_note(
    folder: Path, began: float, wanted: Callable[[dict[str, Any]], bool]
) -> dict[str, Any] | None:
    """Return the first note of its kind that a running crawl writes; None if it takes longer."""
    until = time.monotonic() + EFFECT_SECONDS
    while time.monotonic() < until:
        for note in read_notes(folder, began - 0.001):
            if wanted(note):
                return note
        time.sleep(0.05)
    return None


def effect_text(effect: dict[str, Any] | None) -> str:
    """Return the effect of labels as one short sentence.

    >>> effect_text({"up": 412, "down": 98, "judged": 3})
    '412 links up, 98 down, 3 pages changed'
    """
    if effect is None:
        return ""
    up = effect.get("up") or 0
    pages = pages_changed(effect.get("judged"))
    return f"{up:,} link{'s' * (up != 1)} up, {effect.get('down') or 0:,} down, {pages}"


def pages_changed(judged: int | None) -> str:
    """Return how many stored pages changed sides; None while they are being judged again."""
    return (
        "pages are being judged again" if judged is None else f"{judged:,} page{'s' * (judged != 1)} changed"
    )


def later(folder: Path, what: str) -> str:
    """Return when a label takes effect that was not reported at once."""
    if lock_holder(folder):
        return f"saved ({what}); the running crawl applies it"
    return f"saved ({what}); the next run applies it"


def apply_now(call: Call) -> dict[str, Any]:
    """Let judge and policy learn the labels of a crawl that does not run, without fetching a page."""
    folder = call.folder
    status = status_of(call.server, folder, APPLY_SECONDS)
    pages = status.read.pages if status else 0
    if not pages:
        msg = "nothing was read yet; start the crawl"
        raise ConfigError(msg)
    began = time.time()
    call.server.processes.start(folder, int(pages))
    until = time.monotonic() + APPLY_SECONDS
    while time.monotonic() < until and lock_holder(folder):
        time.sleep(0.1)
    if lock_holder(folder):
        return {"message": "it takes longer; the overview shows when it has ended"}
    notes = [note for note in read_notes(folder, began) if "labels" in note or "label" in str(note["note"])]
    if not notes:
        return {"message": "done; nothing new to learn"}
    return {"message": str(notes[-1]["note"]), "effect": notes[-1]}


# ---- terms -------------------------------------------------------------------------------------


def list_terms(call: Call) -> dict[str, Any]:
    """Return the terms with their weights."""
    return {"terms": [each.as_dict() for each in term_list(call.server, call.folder)]}


def change_terms(call: Call) -> dict[str, Any]:
    """Strike, restore and add terms."""
    body: TermBody = call.body
    folder = call.folder
    began = time.time()
    config = configuration.load_folder(folder)
    listed = merge_terms(folder, config, collect_training_pages(folder, config), TERMS)
    struck = {each.term.term for each in listed if each.term.use == "strike"}
    toggled = {word for word in body.strike if word not in struck} | {
        word for word in body.restore if word in struck
    }
    listed = toggle_terms(listed, [at for at, each in enumerate(listed) if each.term.term in toggled])
    for word, weight in body.add.items():
        if not word.strip() or not -10 <= weight <= 10:  # noqa: PLR2004
            msg = f"{word}: write a word, and a weight from -10 to 10"
            raise ConfigError(msg)
        listed = set_weight(listed, word.strip().lower(), weight)
    write_terms(term_list_path(folder), (each.term for each in listed))
    call.server.forget("terms", folder)
    effect = None
    if is_live(folder):
        effect = wait_for_note(folder, began, lambda note: str(note["note"]).startswith(TERMS_CHANGED))
    message = pages_changed(effect.get("judged")) if effect else later(folder, "term list")
    return {"terms": [each.as_dict() for each in listed], "message": message}


def teach_page(call: Call) -> dict[str, Any]:
    """Return the page; the questions come by the REST interface."""
    folder = call.folder
    try:
        terms = [each.as_dict() for each in term_list(call.server, folder)] if has_links(folder) else []
    except ConfigError:
        terms = []
    good, bad = count_labels(folder) if has_links(folder) else (0, 0)
    judge = configuration.load_folder(folder).goal.judge
    return {
        "terms": terms,
        "good": good,
        "bad": bad,
        "running": bool(lock_holder(folder)),
        "judge": judge,
        "uses_terms": judge in ("auto", "examples"),
        "teacher": teacher_of(folder),
    }


OPERATIONS = (
    Operation(
        method="GET",
        path="/crawls/{name}/questions",
        summary="The pages whose labels help most.",
        run=questions,
        query=QuestionQuery,
    ),
    Operation(method="GET", path="/crawls/{name}/labels", summary="All labels on pages.", run=list_labels),
    Operation(
        method="POST",
        path="/crawls/{name}/labels",
        summary="Label pages; returns the effect.",
        run=add_labels,
        body=LabelBody,
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/apply",
        summary="Apply labels of a crawl that does not run.",
        run=apply_now,
        body=Changes,
        whole=True,
    ),
    Operation(
        method="GET", path="/crawls/{name}/terms", summary="The terms that were learned.", run=list_terms
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/terms",
        summary="Strike, restore and add terms.",
        run=change_terms,
        body=TermBody,
    ),
)
PAGES = (
    WebPage(
        path="/crawls/{name}/teach", template="teach.html", title="Teach", run=teach_page, of_shards=True
    ),
)
