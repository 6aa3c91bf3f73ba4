# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Rows of token ids, compiled: what `token_rows` does with numpy."""

from libc.math cimport rint, sqrt
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)

cdef enum:
    CHECKED = 1  # flags of ids
    REPLACED = 2
    GOAL = 4
    WIDEST = 64  # tokens of a row that are compared
    BLANK = 32


cdef inline uint32_t _id(uint32_t hash, uint32_t first, uint32_t size, const uint8_t *flags, const uint32_t *ids,
                         int *goal) noexcept:
    """Return the id of a hashed token; add one to `goal` if others count as it."""
    cdef uint32_t id = first + hash % size
    if flags[id] & REPLACED:
        id = ids[id]
    goal[0] += (flags[id] & GOAL) != 0
    return id


def fill_ids(const uint32_t[:, :] hashes, const uint8_t[::1] flags, const uint32_t[::1] ids, uint32_t first,
             bint once, uint32_t[:, :] out):
    """Write the ids of hashed tokens; `once`: rows with several words of the goal have each id once."""
    cdef Py_ssize_t row, column, other, kept, columns = hashes.shape[1]
    cdef uint32_t hash, id, size = <uint32_t>flags.shape[0] - first
    cdef int goal
    if out.shape[0] != hashes.shape[0] or out.shape[1] != columns or ids.shape[0] != flags.shape[0]:
        raise ValueError("rows and tokens differ in number")
    for row in range(hashes.shape[0]):
        goal = 0
        for column in range(columns):
            hash = hashes[row, column]
            out[row, column] = _id(hash, first, size, &flags[0], &ids[0], &goal) if hash else 0
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


def compare(const uint32_t[:, :] text, const uint32_t[:, :] context, const uint8_t[::1] flags,
            const uint32_t[::1] ids, uint32_t first, const uint32_t[::1] terms, uint8_t[:, ::1] present, int64_t[::1] distinct):
    """Write which terms are among the ids of each row of both, and how many different ids it has."""
    cdef Py_ssize_t row, column, other, width = text.shape[1], columns = width + context.shape[1]
    cdef uint32_t hash, id, size = <uint32_t>flags.shape[0] - first
    cdef uint32_t[WIDEST] kept
    cdef uint64_t bit, seen
    cdef int64_t found
    cdef int goal = 0
    if columns > WIDEST or not text.shape[0] == context.shape[0] == distinct.shape[0]:
        raise ValueError("rows and tokens differ in number")
    if ids.shape[0] != flags.shape[0]:
        raise ValueError("flags and ids differ in number")
    if present.shape[0] != text.shape[0] or present.shape[1] != terms.shape[0]:
        raise ValueError("rows and terms differ in number")
    for row in range(text.shape[0]):
        found, seen = 0, 0
        for column in range(columns):
            hash = text[row, column] if column < width else context[row, column - width]
            if hash == 0:
                continue
            id = _id(hash, first, size, &flags[0], &ids[0], &goal)
            bit = <uint64_t>1 << (id & 63)
            if seen & bit:  # one of the ids may be the same
                for other in range(found):
                    if kept[other] == id:
                        break
                else:
                    kept[found] = id
                    found += 1
            else:
                kept[found] = id
                found += 1
            seen |= bit
        for other in range(terms.shape[0]):
            if seen >> (terms[other] & 63) & 1:
                for column in range(found):
                    if kept[column] == terms[other]:
                        present[row, other] = 1
                        break
        distinct[row] = found


def new_words(const uint32_t[::1] hashes, uint8_t[::1] flags, uint32_t first, str words, const uint8_t[::1] initials):
    """Return those of the words in ASCII whose tokens were not checked yet, and mark these tokens as checked.

    Words that do not begin with one of the `initials`, a flag for each letter, are left out. None is returned,
    and nothing is marked, if a word is not in ASCII.
    """
    cdef Py_ssize_t at, begin = 0, end, length = PyUnicode_GET_LENGTH(words)
    cdef uint32_t size = <uint32_t>flags.shape[0] - first
    cdef const uint8_t *letters
    if not PyUnicode_IS_COMPACT_ASCII(words):
        return None
    letters = <const uint8_t *>PyUnicode_DATA(words)
    found = []
    for at in range(hashes.shape[0]):
        end = begin
        while end < length and letters[end] != BLANK:
            end += 1
        if end > begin and initials[letters[begin]] and hashes[at] and not flags[first + hashes[at] % size] & CHECKED:
            found.append(words[begin:end])
        begin = end + 1
    for at in range(hashes.shape[0]):
        if hashes[at]:
            flags[first + hashes[at] % size] |= CHECKED
    return found


def similarity_steps(const uint8_t[:, ::1] present, const int64_t[::1] distinct, const double[::1] squares,
                     double other, double length, double highest, int most, int64_t[::1] out):
    """Write the similarity of each row to the goal in steps of `highest / most`, `most` at most.

    `squares` are the squared rarities of the goal's terms, `other` that of any other word, `length` is that of
    the goal.
    """
    cdef Py_ssize_t row, term
    cdef int64_t found
    cdef double shared
    if present.shape[1] != squares.shape[0] or not present.shape[0] == distinct.shape[0] == out.shape[0]:
        raise ValueError("rows and terms differ in number")
    for row in range(present.shape[0]):
        found, shared = 0, 0
        for term in range(squares.shape[0]):
            if present[row, term]:
                found += 1
                shared += squares[term]
        if found:
            found = distinct[row] - found if distinct[row] > found else 0
            shared = rint(shared / (sqrt(1 + shared + other * found) * length) / highest * most)
        out[row] = <int64_t>shared if shared < most else most
