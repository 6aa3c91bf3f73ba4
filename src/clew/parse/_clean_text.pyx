# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Clean short texts in ASCII, compiled: what `line` in `safe_text` does. Tests compare the two."""

from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.stdint cimport uint8_t

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)

cdef enum:
    MOST = 4_096  # characters of a text that is cleaned here
    TIMES = 8  # as many times the limit are read
    BLANK = 0x20
    DELETE = 0x7F


cdef bint _is_clean(const uint8_t *text, Py_ssize_t length) noexcept:
    """Tell that nothing has to be changed: in a loop without a branch."""
    cdef uint8_t other = 0
    cdef Py_ssize_t at
    if not length:
        return True
    if text[0] == BLANK or text[length - 1] <= BLANK or text[length - 1] == DELETE:
        return False
    for at in range(length - 1):
        other |= (text[at] < BLANK) | (text[at] == DELETE) | ((text[at] == BLANK) & (text[at + 1] == BLANK))
    return not other


cdef str _cleaned(const uint8_t *text, Py_ssize_t length, Py_ssize_t limit):
    cdef uint8_t[MOST] out
    cdef Py_ssize_t at, used = 0
    cdef bint gap = False
    while length and text[length - 1] == BLANK:
        length -= 1
    while length and text[0] == BLANK:
        text += 1
        length -= 1
    if length <= limit and _is_clean(text, length):
        return PyUnicode_DecodeASCII(<const char *> text, length, NULL)
    for at in range(length):
        if text[at] == BLANK or 0x09 <= text[at] <= 0x0D or 0x1C <= text[at] <= 0x1F:
            gap = True
        elif text[at] > BLANK and text[at] != DELETE:
            if gap and used:
                out[used] = BLANK
                used += 1
            gap = False
            out[used] = text[at]
            used += 1
    if used > limit:
        used = limit
        while used and out[used - 1] == BLANK:
            used -= 1
    return PyUnicode_DecodeASCII(<char *> out, used, NULL)


def clean_each(list texts, Py_ssize_t limit):
    """Return every text as one clean line of at most `limit` characters, and the places of those that are not ASCII.

    Those are left as they are. A text that is clean stays the same object, and so do neighbours that are the same.
    """
    cdef Py_ssize_t count = PyList_GET_SIZE(texts), at, length
    cdef list found = [], others = []
    cdef PyObject *before = NULL
    cdef const uint8_t *data
    cdef object text, clean = None
    for at in range(count):
        text = <object> PyList_GET_ITEM(texts, at)
        if <PyObject *> text != before:
            before = <PyObject *> text
            length = PyUnicode_GET_LENGTH(text)
            data = <const uint8_t *> PyUnicode_DATA(text)
            if not PyUnicode_IS_COMPACT_ASCII(text) or (length > MOST and TIMES * limit > MOST):
                clean = None
            elif length <= limit and _is_clean(data, length):
                clean = text
            else:
                clean = _cleaned(data, min(length, TIMES * limit), limit)
        if clean is None:
            others.append(at)
        found.append(text if clean is None else clean)
    return found, others
