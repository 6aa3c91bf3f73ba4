"""Online clustering of tag paths by cosine similarity."""

from collections import Counter
from itertools import pairwise
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

BINS = 1 << 12
"""Bins that pairs of path steps are hashed into; as many as in the authors' program."""

CACHE_SIZE = 65_536
"""Paths whose cluster is cached; when it is full the cache is cleared."""


class TagPathClusters:
    """Assign tag paths to clusters, one after the other.

    A path is a bag of pairs of neighbouring steps. It joins the cluster with the most similar mean if the
    cosine is at least `likeness`; otherwise it starts a new one. When there are `most` clusters, each new
    path joins the nearest one.

    >>> clusters = TagPathClusters()
    >>> clusters.cluster_of("body/nav/ul/li/a"), clusters.cluster_of("body/div/main/ul.hits/li/a")
    (0, 1)
    >>> clusters.cluster_of("body/div/div/main/ul.hits/li/a"), clusters.cluster_of("body/div/footer/p/a")
    (1, 2)
    """

    def __init__(self, *, likeness: float = 0.75, most: int = 1_024) -> None:
        self.likeness = likeness
        self.most = most
        self._known: dict[str, int] = {}
        self._size = 0
        self._sums = np.zeros((BINS, 16), np.float32)  # a column is the sum of a cluster's unit vectors
        self._squares = np.zeros(16, np.float32)  # their squared lengths

    def __len__(self) -> int:
        return self._size

    def cluster_of(self, path: str) -> int:
        """Return the cluster of a path."""
        cluster = self._known.get(path)
        if cluster is None:
            if len(self._known) >= CACHE_SIZE:
                self._known.clear()
            cluster = self._known[path] = self._join(*path_vector(path))
        return cluster

    def _join(self, bins: NDArray[np.intp], values: NDArray[np.float32]) -> int:
        similarities = (values @ self._sums[bins, : self._size]) / np.sqrt(self._squares[: self._size])
        nearest = int(similarities.argmax()) if self._size else -1
        if nearest < 0 or (similarities[nearest] < self.likeness and self._size < self.most):
            nearest = self._new_cluster()
        self._squares[nearest] += 1 + 2 * values @ self._sums[bins, nearest]
        self._sums[bins, nearest] += values
        return nearest

    def _new_cluster(self) -> int:
        """Add an empty cluster."""
        if self._size == len(self._squares):
            self._sums = np.concatenate((self._sums, np.zeros_like(self._sums)), axis=1)
            self._squares = np.concatenate((self._squares, np.zeros_like(self._squares)))
        self._size += 1
        return self._size - 1


def path_vector(path: str) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Return a tag path as bins and values of a vector of length one."""
    steps = path.split("/")
    grams = [f"{a}/{b}" for a, b in pairwise(steps)] or steps
    counts = Counter(crc32(gram.encode()) % BINS for gram in grams)
    values = np.fromiter(counts.values(), np.float32, len(counts))
    return np.fromiter(counts, np.intp, len(counts)), values / np.float32(np.sqrt(values @ values))
