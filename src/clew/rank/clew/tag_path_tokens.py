"""The tags around links as tokens: each path without its classes, with them, and on one host alone."""

import re

import numpy as np

from clew.rank.shared.link_tokens import NO_TOKEN, token_id
from clew.rank.shared.token_stats import TokenStats
from clew.types import Features

TAG_PATH = 3
"""Columns of a tag path."""

MAX_TAG_PATHS = 50_000
"""Tag paths that are registered with names and parents; further ones only count."""

_CLASSES = re.compile(r"\.[^/]*")
_CACHED_PATHS = 20_000


class TagPathTokens:
    """Turn tag paths into token ids, and register them with their parents.

    >>> stats = TokenStats()
    >>> row = TagPathTokens(stats).rows("a.test", ["body/ul.menu/a"])[0]
    >>> [stats.names[at][1] for at in row.tolist()]
    ['body/ul/a', 'body/ul.menu/a', 'body/ul.menu/a on a.test']
    """

    def __init__(self, stats: TokenStats) -> None:
        self.stats = stats
        self._registered = 0
        self._rows: dict[str, dict[str, bytes]] = {}  # by host and path
        self._cached = 0

    def rows(self, host: str, paths: list[str]) -> Features:
        """Return a row for each path on a page of a host."""
        rows, known = [], self._rows.setdefault(host, {})
        for path in paths:
            row = known.get(path)
            if row is None:
                row = np.array(self._row(host, path), np.uint32).tobytes()
                if self._cached >= _CACHED_PATHS:
                    known = {}
                    self._rows, self._cached = {host: known}, 0
                known[path] = row
                self._cached += 1
            rows.append(row)
        return np.frombuffer(b"".join(rows), np.uint32).reshape(len(paths), TAG_PATH)

    def _row(self, host: str, path: str) -> list[int]:
        plain, here = _CLASSES.sub("", path), f"{path} on {host}"
        if self._registered >= MAX_TAG_PATHS:
            return [
                token_id("place", plain),
                token_id("place", path) if path != plain else NO_TOKEN,
                token_id("place", here),
            ]
        self._registered += 1
        register = self.stats.register
        whole = register("place", path, plain) if path != plain else NO_TOKEN
        return [register("place", plain), whole, register("place", here, path)]
