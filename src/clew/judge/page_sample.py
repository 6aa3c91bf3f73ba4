"""A sample of the pages that a crawl has read, as bags of terms: what a judge learns from without labels."""

import base64
import math
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from isal import isal_zlib

from clew.domain.learned_state import State, StateRead, packed, unpacked
from clew.domain.model_files import Model, ModelTable, damaged_model, read_model, write_model
from clew.types import TermBag

SAMPLE_FILE = "pages.tsv"
MAX_PAGES = 640
"""Pages of a full sample. When it is full, half of it is dropped, and half as many new pages are taken."""

_FIELDS = "ids", "text", "title", "margin"
_NAME, _VERSION, _COLUMNS = "page-sample", 1, ("page", "words", "terms")


@dataclass(frozen=True, slots=True)
class SampledPage:
    """The terms of a page, and the verdict of the goal's words on it (None where there are no words)."""

    bag: TermBag
    by_words: float | None


@dataclass(slots=True)
class PageSample:
    """Pages by URL; a page is in the sample if the hash of its URL is divisible by `step`.

    So it depends on the pages that were read alone; one that is judged again is not counted twice. `fitted`
    is the number of pages, the first ones, that the present model was fitted to: after a restart it is
    fitted to the same ones.

    >>> sample, none = PageSample(), np.zeros(0, np.uint16)
    >>> bag = TermBag(ids=np.zeros(0, np.uint32), text=none, title=none, margin=none)
    >>> for number in range(MAX_PAGES):
    ...     sample.add(f"https://a.test/{number}", SampledPage(bag, None))
    >>> sample.step, len(sample) < 0.6 * MAX_PAGES
    (2, True)
    """

    step: int = 1
    fitted: int = 0
    pages: dict[str, SampledPage] = field(default_factory=dict)
    _cells: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.pages)

    def takes(self, url: str) -> bool:
        """Tell whether a page is new and would be added."""
        return url not in self.pages and self._is_drawn(url)

    def add(self, url: str, page: SampledPage) -> None:
        """Add a page; halve the sample if it is full."""
        self.pages[url] = page
        while len(self.pages) >= MAX_PAGES:
            self.step *= 2
            self.pages = {each: page for each, page in self.pages.items() if self._is_drawn(each)}
            self._cells = {each: cell for each, cell in self._cells.items() if each in self.pages}

    def save(self, folder: Path) -> None:
        """Write the sample."""
        for url, page in self.pages.items():
            if url not in self._cells:
                self._cells[url] = packed_bag(page.bag)
        rows = [
            (url, "" if page.by_words is None else page.by_words, self._cells[url])
            for url, page in self.pages.items()
        ]
        facts = {"step": str(self.step), "fitted": str(self.fitted)}
        model = Model(name=_NAME, version=_VERSION, facts=facts, tables={"pages": ModelTable(_COLUMNS, rows)})
        write_model(folder / SAMPLE_FILE, model)

    def load(self, folder: Path) -> None:
        """Read a saved sample, if there is one."""
        path = folder / SAMPLE_FILE
        model = read_model(path, _NAME, _VERSION)
        if model is None:
            return
        try:
            self.step, self.fitted = int(model.facts["step"]), int(model.facts["fitted"])
            for url, words, cell in model.tables["pages"].rows:
                page = SampledPage(unpacked_bag(str(cell)), float(words) if words != "" else None)
                self.pages[str(url)] = page
        except (KeyError, ValueError, zlib.error) as error:
            raise damaged_model(path, f"it is not valid: {error}") from None

    def learned_state(self) -> State:
        """Return the sample as arrays."""
        sizes = np.array([len(page.bag) for page in self.pages.values()], np.int64)
        words = np.array(
            [math.nan if page.by_words is None else page.by_words for page in self.pages.values()]
        )
        bags = [page.bag for page in self.pages.values()]
        columns = {
            name: np.concatenate([getattr(bag, name) for bag in bags] or [np.empty(0, np.uint32)])
            for name in _FIELDS
        }
        facts = packed({"step": self.step, "fitted": self.fitted, "urls": list(self.pages)})
        return {"facts": facts, "sizes": sizes, "words": words, **columns}

    def restore_state(self, state: StateRead) -> None:
        """Continue with what `learned_state` returned."""
        facts, ends = unpacked(state["facts"]), np.cumsum(state["sizes"])[:-1]
        columns = [np.split(state[name], ends) for name in _FIELDS]
        self.step, self.fitted, self._cells = facts["step"], facts["fitted"], {}
        self.pages = {
            url: SampledPage(
                TermBag(ids=ids, text=text, title=title, margin=margin), None if math.isnan(words) else words
            )
            for url, words, ids, text, title, margin in zip(
                facts["urls"], state["words"].tolist(), *columns, strict=False
            )
        }

    def _is_drawn(self, url: str) -> bool:
        return zlib.crc32(url.encode("utf-8", "replace")) % self.step == 0


def packed_bag(bag: TermBag) -> str:
    """Return the terms of a page as text."""
    columns = b"".join(column.tobytes() for column in (bag.ids, bag.text, bag.title, bag.margin))
    return base64.b64encode(isal_zlib.compress(columns, 1)).decode("ascii")


def unpacked_bag(cell: str) -> TermBag:
    """Return the terms of a page that were packed."""
    data = zlib.decompress(base64.b64decode(cell))
    size = len(data) // 10
    ids, counts = np.frombuffer(data, np.uint32, size), np.frombuffer(data, np.uint16, 3 * size, 4 * size)
    return TermBag(ids=ids, text=counts[:size], title=counts[size : 2 * size], margin=counts[2 * size :])
