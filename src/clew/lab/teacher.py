"""A teacher made from the labels of a world, with errors: what labels are worth, measured without a model."""

from dataclasses import dataclass, field, replace

import numpy as np
import xxhash

from clew import urls
from clew.contracts import JudgedPage, LabelCandidate, Store
from clew.engine.engine import Engine
from clew.errors import ConfigError
from clew.lab.task import RELEVANT, TaskTruth
from clew.lab.world import World
from clew.services.labels import choose, learn_pages, revise_page
from clew.services.teacher.pace import labels_due
from clew.types import Label, Page, PageResult, Verdict

ORDERS = ("helpful", "random", "surest", "every")


@dataclass(frozen=True, slots=True, kw_only=True)
class TeacherSpec:
    """How a teacher labels: how many pages, how often wrongly, and which pages it is asked about.

    Args:
        labels: the number of labels.
        error: share of labels that are wrong.
        bias: from -1 to 1; with 1 all errors are a wrong yes, twice as often, with -1 a wrong no.
        order: `helpful` asks about the pages of `clew label --ask`, `random` about any, `surest` about those
            whose verdict is farthest from the line; with `every` the teacher is the judge of all pages,
            whatever `labels` says.

    >>> TeacherSpec.parse("labels=40,error=0.1")
    TeacherSpec(labels=40, error=0.1, bias=0.0, order='helpful')
    """

    labels: int = 40
    error: float = 0.0
    bias: float = 0.0
    order: str = "helpful"

    @classmethod
    def parse(cls, text: str) -> "TeacherSpec":
        """Read a spec such as `labels=40,error=0.1,bias=0.5,order=random`."""
        pairs = [part.strip().partition("=") for part in text.split(",") if part.strip()]
        given = {name.strip(): value.strip() for name, _, value in pairs}
        try:
            spec = cls(
                labels=int(given.pop("labels", 40)), error=float(given.pop("error", 0)),
                bias=float(given.pop("bias", 0)), order=given.pop("order", ORDERS[0]),
            )  # fmt: skip
        except ValueError:
            raise _invalid(text) from None
        if given or spec.order not in ORDERS or not 0 <= spec.error <= 1 or not -1 <= spec.bias <= 1:
            raise _invalid(text)
        return spec

    def label(self, url: str, relevant: bool, seed: int) -> bool:
        """Return the label of a page: the same for the same page and seed, however often it is asked for."""
        chance = xxhash.xxh3_64_intdigest(url.encode(), seed) / 2**64
        wrong = self.error * (1 - self.bias if relevant else 1 + self.bias)
        return relevant != (chance < wrong)


def _invalid(text: str) -> ConfigError:
    return ConfigError(
        f"teacher {text!r}: write labels=40,error=0.1,bias=0,order=helpful; "
        "order may be random, surest or every"
    )


@dataclass(frozen=True, slots=True)
class TeacherJudge:
    """A judge that asks the teacher about every page: what labels can bring at most."""

    truth: TaskTruth
    world: World
    spec: TeacherSpec
    seed: int = 0

    def judge(self, page: Page) -> Verdict:
        label = self.spec.label(page.url, _is_relevant(self.truth, self.world, page), self.seed)
        return Verdict(float(label), ("the teacher says so",))

    def learn(self, label: Label, page: Page) -> None:
        """Learn nothing."""


@dataclass(slots=True, kw_only=True)
class LabTeacher:
    """Label pages during a trial, at the pace of the product, and let the engine learn each label at once."""

    engine: Engine
    store: Store
    truth: TaskTruth
    world: World
    spec: TeacherSpec
    pages: int
    seed: int = 0
    labels: dict[str, bool] = field(default_factory=dict)
    _read: dict[int, JudgedPage] = field(default_factory=dict)
    _candidates: dict[int, LabelCandidate] = field(default_factory=dict)

    async def start(self) -> None:
        """Do nothing: there is nothing to label yet."""

    async def close(self) -> None:
        """Do nothing: nothing is open."""

    def on_result(self, result: PageResult) -> None:
        """Keep a page that can be labelled; label one if that is due."""
        if not result.is_page or result.verdict is None or result.duplicate_of:
            return
        self._keep(result, result.verdict)
        while len(self.labels) < labels_due(len(self._read), self.spec.labels, self.pages):
            chosen = self._choose()
            if chosen is None:
                return
            self._label(chosen)

    def _keep(self, result: PageResult, verdict: Verdict) -> None:
        page, new = result.page, result.new_links
        id = page.link.id
        rows = [row for row, rule in enumerate(new.refused) if not rule] if new else []
        ids = np.array([new.first + row for row in rows] if new else [], np.int64)
        kept = replace(
            page,
            response=replace(page.response, body=b"", head=b"", request=b""),
            links=new.links.take(rows) if new and rows else page.links.take([]),
        )
        self._read[id] = JudgedPage(
            page=kept, verdict=verdict.value, relevant=result.relevant, why="", link_ids=ids
        )
        self._candidates[id] = LabelCandidate(
            id, page.url, urls.fingerprint(page.link.origin), page.link.score, verdict.value,
            page.fingerprint, 0, labelled=page.url in self.engine.evaluation.labels,
        )  # fmt: skip

    def _choose(self) -> int | None:
        """Return the id of the next page to label; None if there is none."""
        if self.spec.order == "random":
            ids = [id for id, page in self._candidates.items() if not page.labelled]
            rng = np.random.default_rng((self.seed, len(self.labels)))
            return ids[int(rng.integers(len(ids)))] if ids else None
        keep = self.engine.evaluation.relevance.keep
        if self.spec.order == "surest":
            open = [page for page in self._candidates.values() if not page.labelled]
            return max(open, key=lambda page: abs(page.verdict - keep)).id if open else None
        judged = [replace(page, open_links=len(self._open(id))) for id, page in self._candidates.items()]
        chosen = choose(judged, 1, keep)
        return chosen[0].page.id if chosen else None

    def _open(self, id: int) -> list[int]:
        """Return the rows of the links of a page that are still queued."""
        ids = self._read[id].link_ids
        return np.flatnonzero(self.engine.frontier.is_queued(ids)).tolist() if len(ids) else []

    def _label(self, id: int) -> None:
        stored, evaluation = self._read[id], self.engine.evaluation
        page, rows = stored.page, self._open(id)
        self.labels[page.url] = self.spec.label(
            page.url, _is_relevant(self.truth, self.world, page), self.seed
        )
        verdict = float(self.labels[page.url])
        self._candidates[id] = replace(self._candidates[id], labelled=True, verdict=verdict)
        evaluation.set_labels(evaluation.labels | {page.url: self.labels[page.url]})
        now = replace(stored, page=replace(page, links=page.links.take(rows)), link_ids=stored.link_ids[rows])
        learn_pages(self.engine, self.store, [now])
        self._judge_again(id)

    def _judge_again(self, labelled: int) -> None:
        """Judge all pages that were read again, as a crawl does after a label."""
        for id, stored in self._read.items():
            if id == labelled:
                continue
            verdict, relevant = revise_page(self.engine, self.store, stored)
            if verdict.value != stored.verdict:
                self._read[id] = replace(stored, verdict=verdict.value, relevant=relevant)
                self._candidates[id] = replace(self._candidates[id], verdict=verdict.value)
        self.engine.scoring.refresh_weights()


def _is_relevant(truth: TaskTruth, world: World, page: Page) -> bool:
    row = world.pages.find(page.url)
    return truth.grade(world.pages.url(row)) >= RELEVANT if row >= 0 else False
