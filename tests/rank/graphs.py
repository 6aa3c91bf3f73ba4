"""Small synthetic pages and links, for tests whose right order is known."""

from dataclasses import replace

import numpy as np

from clew import urls
from clew.testing import sample_page
from clew.types import Kind, Links, Outcome, Verdict


def links(*rows):
    """Make links from (URL, anchor, context, tag path); missing parts are empty."""
    full = [(*row, "", "", "")[:4] if isinstance(row, tuple) else (row, "", "", "") for row in rows]
    addresses, anchors, contexts, paths = (list(column) for column in zip(*full, strict=True))
    return replace(
        Links.plain(addresses, Kind.PAGE), anchors=anchors, contexts=contexts, paths=paths
    )  # fmt: skip


def outcome(url, value, text="", title=""):
    return Outcome(sample_page(url, text=text, title=title), Verdict(value))


def visit(ranker, url, value, *rows):
    """Let a ranker learn one page and score its links, in the order of the engine."""
    page = outcome(url, value)
    ranker.learn(page)
    changed = ranker.rerank() if hasattr(ranker, "rerank") else None
    scores = ranker.score(page, links(*rows)) if rows else np.empty(0, np.float32)
    return scores, changed


class Frontier:
    """The scores of all links as the engine stores them: the best so far, until they are reranked."""

    def __init__(self, ranker):
        self.ranker = ranker
        self.scores = {}
        self.order = []

    def process(self, url, value, *rows):
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
