# cython: language_level=3, boundscheck=False, wraparound=False
"""Words that begin with given terms, compiled: what `begun_words` does in plain Python."""

from cpython.unicode cimport Py_UNICODE_ISALNUM
from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memset

from clew.domain.text._words cimport has_no_signs

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    void *PyUnicode_DATA(object text)
    int PyUnicode_KIND(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)

ctypedef fused Letter:
    uint8_t
    uint16_t
    uint32_t

cdef enum:
    LATIN = 256
    MOST = 64  # terms
    UNDERSCORE = 95


cdef struct Term:
    const uint8_t *letters
    Py_ssize_t length
    Py_ssize_t count


cdef inline uint32_t _lower(uint32_t letter) noexcept:
    return letter + 32 if 65 <= letter <= 90 else letter


cdef inline bint _begins(const Letter *text, Py_ssize_t length, const Term *term) noexcept:
    """Tell whether a text begins with a term, or with it as a whole word if it is a single letter."""
    cdef Py_ssize_t at
    if length < term.length:
        return False
    for at in range(1, term.length):
        if _lower(text[at]) != term.letters[at]:
            return False
    return term.length > 1 or length == 1 or not Py_UNICODE_ISALNUM(text[1])


cdef uint8_t[2][LATIN] OUTSIDE  # bytes that do not belong to words; in the second row the underscore is one of them


cdef void _fill_outside() noexcept:
    cdef int letter
    for letter in range(LATIN):
        OUTSIDE[1][letter] = not Py_UNICODE_ISALNUM(letter)
        OUTSIDE[0][letter] = OUTSIDE[1][letter] and letter != UNDERSCORE


_fill_outside()


cdef void _count(const Letter *text, Py_ssize_t length, const uint8_t *outsides, const uint8_t *initials, Term *terms,
                 int many) noexcept:
    cdef Py_ssize_t at
    cdef uint8_t outside = 1  # the letter before
    cdef uint32_t letter
    cdef int each
    for at in range(length):
        letter = text[at]
        if letter >= LATIN:
            outside = not Py_UNICODE_ISALNUM(letter)
            continue
        if not outside & initials[letter]:  # one branch for both, which is rarely taken
            outside = outsides[letter]
            continue
        outside = outsides[letter]
        letter = _lower(letter)
        for each in range(many):
            if terms[each].letters[0] == letter and _begins(text + at, length - at, &terms[each]):
                terms[each].count += 1


def count_begun(str text, tuple terms, bint is_folded, bint after_underscore):
    """Count the words of a text that begin with each term; None if the text must be folded first."""
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(text)
    cdef const void *data = PyUnicode_DATA(text)
    cdef Term[MOST] found
    cdef uint8_t[LATIN] initials
    cdef int each, many = len(terms)
    if not is_folded and not (PyUnicode_IS_COMPACT_ASCII(text) and has_no_signs(<const uint8_t *>data, length)):
        return None
    if many > MOST:
        return None if not is_folded else [count_begun(text, (term,), True, after_underscore)[0] for term in terms]
    memset(initials, 0, LATIN)
    for each in range(many):
        term = terms[each]
        if not term or not PyUnicode_IS_COMPACT_ASCII(term):
            raise ValueError("a term is not in ASCII")
        found[each] = Term(<const uint8_t *>PyUnicode_DATA(term), len(term), 0)
        initials[found[each].letters[0]] = 1
        if 97 <= found[each].letters[0] <= 122:
            initials[found[each].letters[0] - 32] = 1
    if PyUnicode_KIND(text) == 1:
        _count(<const uint8_t *>data, length, OUTSIDE[after_underscore], initials, found, many)
    elif PyUnicode_KIND(text) == 2:
        _count(<const uint16_t *>data, length, OUTSIDE[after_underscore], initials, found, many)
    else:
        _count(<const uint32_t *>data, length, OUTSIDE[after_underscore], initials, found, many)
    return [found[each].count for each in range(many)]
