# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Split texts into words, look up their numbers and count them, compiled.

The same results as the functions of `word_table` in plain Python, which say what is computed; this module only
does it without an object for every word. Tests compare the two.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_GET_LENGTH
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcpy, memset

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    void *PyUnicode_DATA(object text)

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
    STEP = 8  # bytes that are hashed at once
    PIECE = 1_024  # bytes of a text that are split before their words are looked up
    BLANK = 32
    SOFT_HYPHEN = 0xAD
    DIGIT = 11  # bits of an id that are sorted at once

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15ULL
cdef uint64_t STIR = 0xD6E8FEB86659FD93ULL
cdef uint64_t[STEP + 1] FIRST_BYTES


cdef void _fill_first_bytes() noexcept:
    """Make masks that keep the first bytes of eight, whatever the order of bytes of this machine is."""
    cdef int count
    for count in range(STEP + 1):
        FIRST_BYTES[count] = 0
        memset(&FIRST_BYTES[count], 0xFF, count)


_fill_first_bytes()


cdef inline uint64_t _hashed(const uint8_t *word, Py_ssize_t length) noexcept nogil:
    """Return the hash of a word, never 0. Up to seven bytes behind it are read, and do not count."""
    cdef uint64_t hash = length * STIR, part
    while length > STEP:
        memcpy(&part, word, STEP)
        hash = (hash ^ part) * FACTOR
        hash ^= hash >> 32
        word += STEP
        length -= STEP
    memcpy(&part, word, STEP)
    hash = (hash ^ (part & FIRST_BYTES[length])) * FACTOR
    hash = (hash ^ (hash >> 29)) * STIR
    hash ^= hash >> 32
    return hash or FACTOR


cdef bint has_no_signs(const uint8_t *text, Py_ssize_t length) noexcept:
    """Tell that a text in ASCII has none of the signs that are part of names: ++, # and .net."""
    cdef const uint8_t *end = text + length
    cdef const uint8_t *at = text
    if memchr(text, 35, length) != NULL:
        return False
    while True:
        at = <const uint8_t *> memchr(at, 43, end - at)
        if at == NULL or at + 1 >= end:
            break
        if at[1] == 43:
            return False
        at += 1
    at = text
    while True:
        at = <const uint8_t *> memchr(at, 46, end - at)
        if at == NULL or at + 3 >= end:
            return True
        if (at[1] | 32) == 110 and (at[2] | 32) == 101 and (at[3] | 32) == 116:
            return False
        at += 1


cdef class WordTable:
    """Numbers of words, each asked of `number_of` once; at most `most` words are remembered.

    `lower` has for every byte the byte it counts as in a word, or a space between words. `encoding` is that of
    the bytes. A word is known by its 64-bit hash alone: two of 200,000 words are the same with a chance of one
    in a billion, and then count as one.
    """

    def __cinit__(self, bytes lower, number_of, str encoding="utf-8", Py_ssize_t most=100_000):
        self.number_of, self.encoding, self.most = number_of, encoding, most
        memcpy(self.lower, PyBytes_AS_STRING(lower), 256)
        self.mask = (1 << 12) - 1
        self.entries = <Entry *> calloc(self.mask + 1, sizeof(Entry))
        self.stamps = <uint32_t *> calloc(self.mask + 1, sizeof(uint32_t))
        if self.entries == NULL or self.stamps == NULL:
            raise MemoryError
        self.make_room(256)

    def __dealloc__(self):
        free(self.entries)
        free(self.stamps)
        free(self.letters)
        free(self.bounds)
        free(self.words)

    def __len__(self):
        return self.count

    def __reduce__(self):
        """A copy begins empty."""
        return WordTable, ((<char *> self.lower)[:256], self.number_of, self.encoding, self.most)

    cdef int clear_if_full(self) except -1:
        if self.count >= self.most:
            memset(self.entries, 0, (self.mask + 1) * sizeof(Entry))
            memset(self.stamps, 0, (self.mask + 1) * sizeof(uint32_t))
            self.count = 0
            self.clears += 1
        return 0

    cdef int grow(self) except -1:
        cdef Py_ssize_t mask = 2 * self.mask + 1, at, old
        cdef Entry *entries = <Entry *> calloc(mask + 1, sizeof(Entry))
        cdef uint32_t *stamps = <uint32_t *> calloc(mask + 1, sizeof(uint32_t))
        if entries == NULL or stamps == NULL:
            free(entries)
            free(stamps)
            raise MemoryError
        for old in range(self.mask + 1):
            if self.entries[old].hash:
                at = self.entries[old].hash & mask
                while entries[at].hash:
                    at = (at + 1) & mask
                entries[at], stamps[at] = self.entries[old], self.stamps[old]
        free(self.entries)
        free(self.stamps)
        self.entries, self.stamps, self.mask = entries, stamps, mask
        return 0

    cdef int make_room(self, Py_ssize_t size) except -1:
        """Have memory for the words of a text of this size."""
        cdef void *letters
        cdef void *bounds
        cdef void *words
        if size <= self.room:
            return 0
        if size > 1 << 30:
            raise MemoryError
        letters = realloc(self.letters, size + 1 + STEP)
        if letters != NULL:
            self.letters = <uint8_t *> letters
        bounds = realloc(self.bounds, (size + 2) * sizeof(uint32_t))
        if bounds != NULL:
            self.bounds = <uint32_t *> bounds
        words = realloc(self.words, (size // 2 + 1) * sizeof(Word))
        if words != NULL:
            self.words = <Word *> words
        if letters == NULL or bounds == NULL or words == NULL:
            raise MemoryError
        self.room = size
        return 0

    cdef Py_ssize_t split(self, const uint8_t *text, Py_ssize_t size) except -1:
        """Split a text into `words`, soft hyphens left out; return how many there are."""
        cdef Py_ssize_t at, used = 0, bound = 0, word
        cdef uint8_t *letters
        cdef uint32_t *bounds
        cdef uint8_t letter, before = BLANK
        self.make_room(size)
        letters, bounds = self.letters, self.bounds
        # Without a branch for each letter: where a word begins or ends, the number of bounds grows by one.
        for at in range(size):
            letter = self.lower[text[at]]
            letters[used] = letter
            bounds[bound] = <uint32_t> used
            if text[at] == SOFT_HYPHEN:
                continue
            bound += (letter == BLANK) != (before == BLANK)
            before = letter
            used += 1
        letters[used] = BLANK
        bounds[bound] = <uint32_t> used
        bound += before != BLANK
        for word in range(bound // 2):
            at = bounds[2 * word]
            self.words[word].letters = letters + at
            self.words[word].length = bounds[2 * word + 1] - at
            self.words[word].hash = _hashed(letters + at, bounds[2 * word + 1] - at)
            CLEW_FETCH_EARLY(&self.entries[self.words[word].hash & self.mask])
        return bound // 2

    cdef Entry *find(self, const uint8_t *word, Py_ssize_t length, uint64_t hash) except NULL:
        """Return the entry of a word; it is made on first use."""
        cdef Py_ssize_t at = hash & self.mask
        cdef Entry *entry
        while True:
            entry = &self.entries[at]
            if entry.hash == hash:
                return entry
            if not entry.hash:
                return self.add(word, length, hash)
            at = (at + 1) & self.mask

    cdef Entry *find_bytes(self, bytes word) except NULL:
        """Return the entry of a word that was not split from a text."""
        cdef Py_ssize_t size = PyBytes_GET_SIZE(word)
        self.make_room(size)
        memcpy(self.letters, PyBytes_AS_STRING(word), size)
        return self.find(self.letters, size, _hashed(self.letters, size))

    cdef Entry *add(self, const uint8_t *word, Py_ssize_t length, uint64_t hash) except NULL:
        cdef uint64_t number = self.number_of((<char *> word)[:length].decode(self.encoding, "replace"))
        cdef Py_ssize_t at
        if 4 * (self.count + 1) > 3 * self.mask:  # a smaller table stays in nearer memory
            self.grow()
        at = hash & self.mask
        while self.entries[at].hash:
            at = (at + 1) & self.mask
        self.entries[at] = Entry(hash, number)
        self.count += 1
        return &self.entries[at]

    cdef bytes found_numbers(self, const uint8_t *text, Py_ssize_t size):
        """Return the numbers of the words of a text: piece by piece, so that the words stay in the nearest memory."""
        cdef Py_ssize_t begin = 0, end, at, used = 0
        cdef bytes packed = PyBytes_FromStringAndSize(NULL, (size // 2 + 1) * sizeof(uint32_t))
        cdef uint32_t *out = <uint32_t *> PyBytes_AS_STRING(packed)
        cdef Word *word
        self.clear_if_full()
        while begin < size:
            end = min(begin + PIECE, size)
            while end < size and (self.lower[text[end]] != BLANK or text[end] == SOFT_HYPHEN):
                end += 1
            for at in range(self.split(text + begin, end - begin)):
                word = &self.words[at]
                out[used] = <uint32_t> self.find(word.letters, word.length, word.hash).number
                used += 1
            begin = end
        return packed[:used * sizeof(uint32_t)]

    def numbers(self, bytes data):
        """Return the numbers of the words of a text, in order, as packed 32-bit numbers; soft hyphens vanish."""
        return self.found_numbers(<const uint8_t *> PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))

    def plain_numbers(self, str text, Py_ssize_t most):
        """Return the same of the first characters of a text in ASCII without signs; None for all others."""
        cdef Py_ssize_t size = min(PyUnicode_GET_LENGTH(text), most)
        cdef const uint8_t *data
        if not PyUnicode_IS_COMPACT_ASCII(text):
            return None
        data = <const uint8_t *> PyUnicode_DATA(text)
        return self.found_numbers(data, size) if has_no_signs(data, size) else None


cdef struct Tally:
    uint32_t id
    uint32_t[3] counts


def tally(bytes text, bytes title, bytes margin):
    """Count packed ids in three fields: return the distinct ones in ascending order and their counts, packed.

    0 is no id. Counts stay at the most that 16 bits hold.
    """
    cdef Py_ssize_t total = (PyBytes_GET_SIZE(text) + PyBytes_GET_SIZE(title) + PyBytes_GET_SIZE(margin)) // 4
    cdef Py_ssize_t mask = 255, at, used = 0
    cdef int field
    cdef uint32_t id
    cdef const uint32_t *ids
    cdef Tally *found
    cdef uint32_t *places
    while mask < 2 * total:
        mask = 2 * mask + 1
    found = <Tally *> malloc(2 * (total + 1) * sizeof(Tally))
    places = <uint32_t *> calloc(mask + 1, sizeof(uint32_t))
    try:
        if found == NULL or places == NULL:
            raise MemoryError
        for field, part in enumerate((text, title, margin)):
            ids = <const uint32_t *> PyBytes_AS_STRING(part)
            for at in range(PyBytes_GET_SIZE(part) // 4):
                id = ids[at]
                if id:
                    used += _count(found, places, mask, used, id, field)
        return _sorted_columns(found, found + total + 1, used)
    finally:
        free(found)
        free(places)


cdef inline int _count(Tally *found, uint32_t *places, Py_ssize_t mask, Py_ssize_t used, uint32_t id, int field) noexcept:
    """Count an id; return 1 if it is a new one."""
    cdef Py_ssize_t place = (id * <uint32_t> 0x9E3779B1) >> 7 & mask
    while places[place] and found[places[place] - 1].id != id:
        place = (place + 1) & mask
    if places[place]:
        found[places[place] - 1].counts[field] += 1
        return 0
    places[place] = <uint32_t> used + 1
    found[used].id = id
    found[used].counts[0] = found[used].counts[1] = found[used].counts[2] = 0
    found[used].counts[field] = 1
    return 1


cdef tuple _sorted_columns(Tally *found, Tally *other, Py_ssize_t used):
    """Sort counts by their ids, eleven bits at a time; `other` is as much memory. Return them as columns."""
    cdef Py_ssize_t at, digit, start, size
    cdef Py_ssize_t[1 << DIGIT] places
    cdef int shift, field
    cdef bytes packed
    cdef uint32_t *ids
    cdef uint16_t *counts
    for shift in range(0, 32, DIGIT):
        memset(places, 0, sizeof(places))
        for at in range(used):
            places[found[at].id >> shift & ((1 << DIGIT) - 1)] += 1
        start = 0
        for digit in range(1 << DIGIT):
            size = places[digit]
            places[digit] = start
            start += size
        for at in range(used):
            digit = found[at].id >> shift & ((1 << DIGIT) - 1)
            other[places[digit]] = found[at]
            places[digit] += 1
        found, other = other, found
    packed = PyBytes_FromStringAndSize(NULL, used * 4)
    ids = <uint32_t *> PyBytes_AS_STRING(packed)
    for at in range(used):
        ids[at] = found[at].id
    columns = [packed]
    for field in range(3):
        packed = PyBytes_FromStringAndSize(NULL, used * 2)
        counts = <uint16_t *> PyBytes_AS_STRING(packed)
        for at in range(used):
            counts[at] = <uint16_t> min(found[at].counts[field], <uint32_t> 0xFFFF)
        columns.append(packed)
    return tuple(columns)
