# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The fingerprint of a text, compiled: what `simhash` computes with numpy. Tests compare the two."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_GET_LENGTH
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    void *PyUnicode_DATA(object text)

cdef enum:
    RUN = 6
    WINDOW = 1_000
    ENOUGH = 1_000
    MOST_LETTERS = 8_000  # of 4,000 characters that are two code units each
    MOST_IN_BYTE = 255

cdef uint64_t CHOSEN = 0x5555555555555555ULL
cdef uint64_t SPREAD = 0x9E3779B97F4A7C15ULL
cdef uint64_t STIR = 0xD6E8FEB86659FD93ULL
cdef uint32_t FACTOR = 0x9E3779B1U
cdef uint64_t[256] BITS_AS_BYTES


cdef void _fill_bits() noexcept:
    """Make for each byte the eight bytes that are its bits, as they lie in memory."""
    cdef uint8_t[8] bits
    cdef int value, bit
    for value in range(256):
        for bit in range(8):
            bits[bit] = value >> bit & 1
        memcpy(&BITS_AS_BYTES[value], bits, 8)


_fill_bits()


cdef Py_ssize_t _letters(const uint8_t *text, Py_ssize_t length, uint16_t *out, Py_ssize_t used) noexcept:
    """Put the letters of a text in ASCII behind others, in lower case; return how many there are then."""
    cdef Py_ssize_t at
    cdef uint8_t letter
    for at in range(length):
        letter = text[at] | 32
        out[used] = letter
        used += 97 <= letter <= 122
    return used


cdef Py_ssize_t _any_letters(str text, bytes folding, uint16_t *out) except -1:
    """Put the letters of any text in a row, folded by the table; return how many there are."""
    cdef Py_ssize_t length = len(text), middle = length // 2, used = 0, at
    cdef const uint16_t *table = <const uint16_t *> PyBytes_AS_STRING(folding)
    cdef const uint8_t *units
    cdef bytes encoded
    cdef uint16_t letter
    if PyBytes_GET_SIZE(folding) != 2 << 16:
        raise ValueError("the table of letters has the wrong size")
    if length > 4 * WINDOW:
        text = text[:WINDOW] + text[middle:middle + WINDOW] + text[length - WINDOW:]
    encoded = text.encode("utf-16-le", "replace")
    units = <const uint8_t *> PyBytes_AS_STRING(encoded)
    for at in range(0, PyBytes_GET_SIZE(encoded), 2):
        letter = table[units[at] | units[at + 1] << 8]
        out[used] = letter
        used += letter != 0
    return used


def simhash(str text, bytes folding):
    """Return the fingerprint of a text, 0 for one without letters.

    `folding` has for each code unit the letter it counts as; a text in ASCII needs none.
    """
    cdef const uint8_t *data
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(text), used, at, runs, chosen = 0
    cdef uint16_t[MOST_LETTERS + 1] letters
    cdef uint64_t[8] sums
    cdef uint32_t[64] ones
    cdef uint32_t mixed = 0, oldest = 1
    cdef uint64_t hash, found = 0
    cdef int step, in_bytes = 0
    data = <const uint8_t *> PyUnicode_DATA(text)
    if not PyUnicode_IS_COMPACT_ASCII(text):
        used = _any_letters(text, folding, letters)
    elif length > 4 * WINDOW:
        used = _letters(data, WINDOW, letters, 0)
        used = _letters(data + length // 2, WINDOW, letters, used)
        used = _letters(data + length - WINDOW, WINDOW, letters, used)
    else:
        used = _letters(data, length, letters, 0)
    if not used:
        return 0
    for at in range(used, RUN):  # a short text is repeated
        letters[at] = letters[at - used]
    runs = max(used, RUN) - RUN + 1
    for step in range(RUN):
        oldest *= FACTOR
    for at in range(RUN - 1):
        mixed = mixed * FACTOR + letters[at]
    memset(sums, 0, sizeof(sums))
    memset(ones, 0, sizeof(ones))
    for at in range(runs):
        # A polynomial of six letters: the next one enters, the one before the first leaves.
        mixed = mixed * FACTOR + letters[at + RUN - 1]
        if at:
            mixed -= letters[at - 1] * oldest
        hash = mixed * SPREAD
        if runs > ENOUGH and hash >= CHOSEN:
            continue
        hash ^= hash >> 29
        hash *= STIR
        hash ^= hash >> 32
        for step in range(8):
            sums[step] += BITS_AS_BYTES[hash >> 8 * step & 0xFF]
        chosen += 1
        in_bytes += 1
        if in_bytes == MOST_IN_BYTE:
            _add_up(sums, ones)
            in_bytes = 0
    _add_up(sums, ones)
    for step in range(64):
        if 2 * ones[step] > chosen:
            found |= <uint64_t> 1 << step
    return found or 1


cdef void _add_up(uint64_t *sums, uint32_t *ones) noexcept:
    """Add sums of single bytes to those for each bit, before they leave their bytes."""
    cdef const uint8_t *bytes_ = <const uint8_t *> sums
    cdef int at
    for at in range(64):
        ones[at] += bytes_[at]
    memset(sums, 0, 64)
