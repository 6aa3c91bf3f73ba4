# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""New links of a page, compiled: what `bulk_load` and `url_index` do in plain Python."""

from heapq import heappush

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

import numpy as np

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define CLEW_FETCH_EARLY(address) __builtin_prefetch(address)
    #else
    #define CLEW_FETCH_EARLY(address) ((void) (address))
    #endif
    """
    void CLEW_FETCH_EARLY(const void *address) noexcept nogil

cdef enum:
    ONE_BITS = 0x3F80_0000  # of the float 1.0
    ID_BITS = 30
    FEWEST = 1_024  # slots

cdef uint32_t CLOSED = 0xFFFF_FFFF


def push_links(hosts, list origins, const float[::1] scores, const uint8_t[::1] open, int64_t first,
               uint32_t[::1] ranks, uint32_t[::1] owners):
    """Push open links into the queues of their hosts, and write rank and owner of each; return the hosts."""
    cdef Py_ssize_t row, count = len(origins), pushed = 0
    cdef int32_t bits
    cdef float score
    cdef int64_t rank
    cdef uint32_t number = 0
    cdef dict known = {}
    cdef list heap = None
    if not count == scores.shape[0] == open.shape[0] == ranks.shape[0] == owners.shape[0]:
        raise ValueError("columns differ in length")
    last = host = None
    for row in range(count):
        origin = origins[row]
        if origin is not last:
            if pushed:
                host.open += pushed
            last, pushed, host = origin, 0, known.get(origin)
            if host is None:
                host = known[origin] = hosts.get(origin)
            heap, number = host.queue.heap, host.number
        owners[row] = number
        if not open[row]:
            ranks[row] = CLOSED
            continue
        score = scores[row] if scores[row] > 0 else 0  # not a number counts as 0
        score = score if score < 1 else 1
        memcpy(&bits, &score, 4)
        rank = ONE_BITS - bits
        ranks[row] = <uint32_t>rank
        heappush(heap, rank << ID_BITS | (first + row))
        pushed += 1
    if pushed:
        host.open += pushed
    return list(known.values())


cdef class UrlBuffer:
    """Map URL hashes to link ids: a table with open addressing, at most half full."""

    cdef uint64_t *hashes
    cdef uint32_t *ids  # 0 in a free slot
    cdef Py_ssize_t mask, count

    def __cinit__(self):
        self.make(FEWEST)

    def __dealloc__(self):
        free(self.hashes)
        free(self.ids)

    def __len__(self):
        return self.count

    cdef int make(self, Py_ssize_t slots) except -1:
        self.hashes, self.ids = <uint64_t *>calloc(slots, 8), <uint32_t *>calloc(slots, 4)
        if self.hashes == NULL or self.ids == NULL:
            raise MemoryError
        self.mask, self.count = slots - 1, 0
        return 0

    cdef inline Py_ssize_t slot(self, uint64_t hash) noexcept:
        """Return the slot that has this hash, or the free one that it would get."""
        cdef Py_ssize_t at = <Py_ssize_t>(hash & <uint64_t>self.mask)
        while self.ids[at] and self.hashes[at] != hash:
            at = (at + 1) & self.mask
        return at

    cdef int grow(self) except -1:
        cdef uint64_t *hashes = self.hashes
        cdef uint32_t *ids = self.ids
        cdef Py_ssize_t at, slot, mask = self.mask, count = self.count
        self.hashes, self.ids = NULL, NULL
        try:
            self.make(2 * (mask + 1))
        except MemoryError:
            free(self.hashes)
            free(self.ids)
            self.hashes, self.ids, self.mask, self.count = hashes, ids, mask, count
            raise
        for at in range(mask + 1):
            if ids[at]:
                slot = self.slot(hashes[at])
                self.hashes[slot], self.ids[slot] = hashes[at], ids[at]
        self.count = count
        free(hashes)
        free(ids)
        return 0

    def add(self, uint32_t first, const uint64_t[::1] hashes):
        """Register hashes of the links `first`, `first + 1` and so on; a known hash gets the new id."""
        cdef Py_ssize_t at, slot
        for at in range(hashes.shape[0]):
            if 2 * self.count >= self.mask:
                self.grow()
            slot = self.slot(hashes[at])
            self.count += self.ids[slot] == 0
            self.hashes[slot], self.ids[slot] = hashes[at], first + <uint32_t>at

    def find(self, const uint64_t[::1] hashes, int64_t[::1] found):
        """Write the id of each hash, 0 for unknown ones; return how many of these there are."""
        cdef Py_ssize_t at, slot, unknown = 0
        if hashes.shape[0] != found.shape[0]:
            raise ValueError("hashes and ids differ in number")
        for at in range(hashes.shape[0]):  # slots are far apart in memory: all are asked for, then waited for
            slot = <Py_ssize_t>(hashes[at] & <uint64_t>self.mask)
            CLEW_FETCH_EARLY(&self.ids[slot])
            CLEW_FETCH_EARLY(&self.hashes[slot])
        for at in range(hashes.shape[0]):
            found[at] = self.ids[self.slot(hashes[at])]
            unknown += found[at] == 0
        return unknown

    def pairs(self):
        """Return all hashes and their ids, in no order."""
        cdef Py_ssize_t at, used = 0
        hashes, ids = np.empty(self.count, np.uint64), np.empty(self.count, np.uint32)
        cdef uint64_t[::1] to_hashes = hashes
        cdef uint32_t[::1] to_ids = ids
        for at in range(self.mask + 1):
            if self.ids[at]:
                to_hashes[used], to_ids[used] = self.hashes[at], self.ids[at]
                used += 1
        return hashes, ids
