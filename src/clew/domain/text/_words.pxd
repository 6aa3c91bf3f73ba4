# The compiled table of words, for other compiled modules.

from libc.stdint cimport uint8_t, uint32_t, uint64_t


cdef struct Entry:
    uint64_t hash  # of the word, never 0: an entry with 0 is free
    uint64_t number


cdef struct Word:
    const uint8_t *letters  # in the memory of the table, until the next text is split
    Py_ssize_t length
    uint64_t hash


cdef class WordTable:
    cdef readonly object number_of
    cdef readonly str encoding
    cdef readonly Py_ssize_t most
    cdef uint8_t[256] lower
    cdef Entry *entries
    cdef uint32_t *stamps  # of entries, for those who look up words
    cdef Py_ssize_t mask, count
    cdef uint32_t call
    cdef uint32_t clears  # how often it was full and all words were forgotten
    cdef uint8_t *letters
    cdef uint32_t *bounds
    cdef Word *words
    cdef Py_ssize_t room

    cdef int clear_if_full(self) except -1
    cdef int grow(self) except -1
    cdef int make_room(self, Py_ssize_t size) except -1
    cdef Py_ssize_t split(self, const uint8_t *text, Py_ssize_t size) except -1
    cdef Entry *find(self, const uint8_t *word, Py_ssize_t length, uint64_t hash) except NULL
    cdef Entry *find_bytes(self, bytes word) except NULL
    cdef Entry *add(self, const uint8_t *word, Py_ssize_t length, uint64_t hash) except NULL
    cdef bytes found_numbers(self, const uint8_t *text, Py_ssize_t size)


cdef bint has_no_signs(const uint8_t *text, Py_ssize_t length) noexcept
