# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Join blocks to plain text, compiled: what `plain_text` in `rendering` does for texts in ASCII. Tests compare the two."""

from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    str PyUnicode_New(Py_ssize_t size, Py_UCS4 highest)

cdef enum:
    WIDTH = 8  # numbers of a holder, as in `blocks`
    TAG = 1
    ASCII = 127


def ascii_text(list texts, const int64_t[::1] held, const int64_t[::1] rows, list chosen, int64_t row_tag, tuple cells):
    """Return some blocks as text, None if they are not plain ASCII without control characters."""
    cdef Py_ssize_t size = 0, used, at, length
    cdef int64_t holder, parent, row = -1, first_cell, second_cell
    cdef uint8_t *out
    cdef uint8_t control = 0
    cdef str text, joined
    first_cell, second_cell = cells
    for number in chosen:
        text = texts[number]
        if not PyUnicode_IS_COMPACT_ASCII(text):
            return None
        size += PyUnicode_GET_LENGTH(text) + 3
    if not size:
        return ""
    joined = PyUnicode_New(size, ASCII)
    out = <uint8_t *> PyUnicode_DATA(joined)
    used = 0
    for number in chosen:
        at = number
        holder = held[at]
        parent = rows[holder * WIDTH]
        if ((rows[holder * WIDTH + TAG] == first_cell or rows[holder * WIDTH + TAG] == second_cell)
                and rows[parent * WIDTH + TAG] == row_tag):
            if parent == row:
                memcpy(out + used, b" | ", 3)
                used += 2
            else:
                out[used] = 0x0A
            row = parent
        else:
            out[used] = 0x0A
            row = -1
        used += 1
        text = texts[at]
        length = PyUnicode_GET_LENGTH(text)
        memcpy(out + used, PyUnicode_DATA(text), length)
        used += length
    for at in range(used):
        control |= ((out[at] < 0x20) & (out[at] != 0x0A)) | (out[at] == ASCII)
    if control:
        return None
    at = 0
    while at < used and (out[at] == 0x20 or out[at] == 0x0A):
        at += 1
    while used > at and (out[used - 1] == 0x20 or out[used - 1] == 0x0A):
        used -= 1
    return joined[at:used]
