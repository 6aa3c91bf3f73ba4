# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Rows of token ids, compiled: what `token_rows` does with numpy."""

from libc.stdint cimport int64_t, uint8_t, uint32_t


def fill_ids(const uint32_t[:, :] hashes, const uint32_t[::1] bins, const uint8_t[::1] mapped, uint32_t first,
             bint once, uint32_t[:, :] out):
    """Write the ids of hashed tokens; `once`: rows with several words of the goal have each id once."""
    cdef Py_ssize_t row, column, other, kept, columns = hashes.shape[1]
    cdef uint32_t hash, id, size = <uint32_t>bins.shape[0] - first
    cdef int goal
    if out.shape[0] != hashes.shape[0] or out.shape[1] != columns:
        raise ValueError("rows and tokens differ in number")
    for row in range(hashes.shape[0]):
        goal = 0
        for column in range(columns):
            hash = hashes[row, column]
            id = bins[first + hash % size] if hash else bins[0]
            goal += mapped[id]
            out[row, column] = id
        if not once or goal < 2:
            continue
        kept = 0
        for column in range(columns):
            id = out[row, column]
            if id == 0:
                continue
            for other in range(kept):
                if out[row, other] == id:
                    break
            else:
                out[row, kept] = id
                kept += 1
        for column in range(kept, columns):
            out[row, column] = 0


def compare_terms(const uint32_t[:, ::1] tokens, const uint32_t[::1] terms, uint8_t[:, ::1] present,
                  int64_t[::1] distinct):
    """Write which terms are in each row, and how many different tokens it has."""
    cdef Py_ssize_t row, column, other, columns = tokens.shape[1]
    cdef uint32_t token
    cdef int64_t found
    for row in range(tokens.shape[0]):
        found = 0
        for column in range(columns):
            token = tokens[row, column]
            if token == 0:
                continue
            for other in range(column):
                if tokens[row, other] == token:
                    break
            else:
                found += 1
                for other in range(terms.shape[0]):
                    if terms[other] == token:
                        present[row, other] = 1
        distinct[row] = found


def unchecked(const uint32_t[::1] hashes, const uint8_t[::1] checked, uint32_t first):
    """Return the positions of tokens that were not checked yet."""
    cdef Py_ssize_t at
    cdef uint32_t size = <uint32_t>checked.shape[0] - first
    found = []
    for at in range(hashes.shape[0]):
        if hashes[at] and not checked[first + hashes[at] % size]:
            found.append(at)
    return found
