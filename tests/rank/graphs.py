"""Tiny made-up pages and links, for tests that know the right order by hand."""

from dataclasses import replace

import numpy as np

from clew import urls
from clew.testing import sample_page
from clew.types import Kind, Links, Outcome, Verdict


def links(*rows):
    """Make links of (address, anchor, context, tag path); what is left out is empty."""
    full = [(*row, "", "", "")[:4] if isinstance(row, tuple) else (row, "", "", "") for row in rows]
    addresses, anchors, contexts, paths = (list(column) for column in zip(*full, strict=True))
    return replace(
        Links.plain(addresses, Kind.PAGE), anchors=anchors, contexts=contexts, paths=paths
    )  # fmt: skip


def outcome(url, value, text="", title=""):
    return Outcome(sample_page(url, text=text, title=title), Verdict(value))


def visit(ranker, url, value, *rows):
    """Let a ranker learn of one page and score its links, in the order the mind does it."""
    page = outcome(url, value)
    ranker.learn(page)
    changed = ranker.rerank() if hasattr(ranker, "rerank") else None
    scores = ranker.score(page, links(*rows)) if rows else np.empty(0, np.float32)
    return scores, changed


class Frontier:
    """The scores of all links as the house would hold them: the best so far, until thought of anew."""

    def __init__(self, ranker):
        self.ranker = ranker
        self.scores = {}
        self.order = []

    def walk(self, url, value, *rows):
        scores, changed = visit(self.ranker, url, value, *rows)
        self.scores.pop(urls.fingerprint(url), None)
        if changed is not None:
            for name, score in zip(changed[0].tolist(), changed[1].tolist(), strict=True):
                if name in self.scores:
                    self.scores[name] = score
        self.order.append(url)
        for row, score in zip(rows, scores.tolist(), strict=True):
            name = urls.fingerprint(row[0] if isinstance(row, tuple) else row)
            if (row[0] if isinstance(row, tuple) else row) not in self.order:
                self.scores[name] = max(score, self.scores.get(name, 0.0))

    def score(self, url):
        return self.scores[urls.fingerprint(url)]
