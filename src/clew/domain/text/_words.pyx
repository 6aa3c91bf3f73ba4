# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Split texts into words and look up their numbers, compiled.

The same results as the functions of `word_table` in plain Python, which say what is computed; this module only
does it without an object for every word. Tests compare the two.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_GET_LENGTH
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    void *PyUnicode_DATA(object text)

cdef uint64_t FNV_START = 0xCBF29CE484222325ULL
cdef uint64_t FNV_FACTOR = 0x100000001B3ULL

DEF LONGEST = 4096  # bytes of a word; the rest of a longer one is dropped before it is looked up
DEF LONG_NUMBER = 5
DEF MAX_LETTERS = 40

cdef uint32_t[256] CRC_TABLE


cdef void _fill_crc_table() noexcept:
    cdef uint32_t value
    cdef int at, bit
    for at in range(256):
        value = at
        for bit in range(8):
            value = (value >> 1) ^ (0xEDB88320U if value & 1 else 0)
        CRC_TABLE[at] = value


_fill_crc_table()


cdef uint32_t _crc32(uint32_t seed, const uint8_t *data, Py_ssize_t length) noexcept nogil:
    cdef uint32_t value = seed ^ 0xFFFFFFFFU
    cdef Py_ssize_t at
    for at in range(length):
        value = CRC_TABLE[(value ^ data[at]) & 0xFF] ^ (value >> 8)
    return value ^ 0xFFFFFFFFU


cdef struct Entry:
    uint64_t hash  # of the word, never 0: an entry with 0 is free
    uint64_t number
    uint32_t stamp


cdef class WordTable:
    """Numbers of words, each asked of `number_of` once; at most `most` words are remembered.

    `lower` has for every byte the byte it counts as in a word, or a space between words. `encoding` is that of
    the bytes. A word is known by its 64-bit hash alone: two of 200,000 words are the same with a chance of one
    in a billion, and then count as one.
    """

    cdef readonly object number_of
    cdef readonly str encoding
    cdef readonly Py_ssize_t most
    cdef uint8_t[256] lower
    cdef Entry *entries
    cdef Py_ssize_t mask, count
    cdef uint32_t call

    def __cinit__(self, bytes lower, number_of, str encoding="utf-8", Py_ssize_t most=100_000):
        self.number_of, self.encoding, self.most = number_of, encoding, most
        memcpy(self.lower, PyBytes_AS_STRING(lower), 256)
        self.mask = (1 << 12) - 1
        self.entries = <Entry *> calloc(self.mask + 1, sizeof(Entry))
        if self.entries == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.entries)

    def __len__(self):
        return self.count

    def __reduce__(self):
        """A copy begins empty."""
        return WordTable, ((<char *> self.lower)[:256], self.number_of, self.encoding, self.most)

    cdef int _clear_if_full(self) except -1:
        if self.count >= self.most:
            memset(self.entries, 0, (self.mask + 1) * sizeof(Entry))
            self.count = 0
        return 0

    cdef int _grow(self) except -1:
        cdef Py_ssize_t mask = 2 * self.mask + 1, at, old
        cdef Entry *entries = <Entry *> calloc(mask + 1, sizeof(Entry))
        if entries == NULL:
            raise MemoryError
        for old in range(self.mask + 1):
            if self.entries[old].hash:
                at = self.entries[old].hash & mask
                while entries[at].hash:
                    at = (at + 1) & mask
                entries[at] = self.entries[old]
        free(self.entries)
        self.entries, self.mask = entries, mask
        return 0

    cdef Entry *_find(self, const uint8_t *word, Py_ssize_t length, uint64_t hash) except NULL:
        """Return the entry of a word; it is made on first use."""
        cdef Py_ssize_t at
        cdef Entry *entry
        hash = hash or FNV_START
        at = hash & self.mask
        while True:
            entry = &self.entries[at]
            if entry.hash == hash:
                return entry
            if not entry.hash:
                return self._add(word, length, hash)
            at = (at + 1) & self.mask

    cdef Entry *_add(self, const uint8_t *word, Py_ssize_t length, uint64_t hash) except NULL:
        cdef uint64_t number = self.number_of((<char *> word)[:length].decode(self.encoding, "replace"))
        cdef Py_ssize_t at
        if 2 * (self.count + 1) > self.mask:
            self._grow()
        at = hash & self.mask
        while self.entries[at].hash:
            at = (at + 1) & self.mask
        self.entries[at] = Entry(hash, number, 0)
        self.count += 1
        return &self.entries[at]

    def numbers(self, bytes data):
        """Return the numbers of the words of a text, in order, as packed 32-bit numbers; soft hyphens vanish."""
        cdef const uint8_t *text = <const uint8_t *> PyBytes_AS_STRING(data)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(data), at, length = 0, found = 0
        cdef uint8_t letter
        cdef uint8_t[LONGEST] word
        cdef uint64_t hash = FNV_START
        cdef uint32_t *out = <uint32_t *> malloc((size // 2 + 2) * sizeof(uint32_t))
        if out == NULL:
            raise MemoryError
        try:
            self._clear_if_full()
            for at in range(size + 1):
                letter = self.lower[text[at]] if at < size else 32
                if letter != 32:
                    if at < size and text[at] == 0xAD:
                        continue
                    if length < LONGEST:
                        word[length] = letter
                        length += 1
                        hash = (hash ^ letter) * FNV_FACTOR
                elif length and not (at < size and text[at] == 0xAD):
                    out[found] = <uint32_t> self._find(word, length, hash).number
                    found += 1
                    length, hash = 0, FNV_START
            return PyBytes_FromStringAndSize(<char *> out, found * sizeof(uint32_t))
        finally:
            free(out)


cdef struct Row:
    uint64_t *ids
    int used
    int most


cdef inline void _put(Row *row, uint64_t number) noexcept:
    """Add a number to a row if it has room and does not hold it yet."""
    cdef int at
    if not number or row.used >= row.most:
        return
    for at in range(row.used):
        if row.ids[at] == number:
            return
    row.ids[row.used] = number
    row.used += 1


cdef bint _is_plain(const uint8_t *text, Py_ssize_t length) noexcept:
    """Return whether a text in ASCII has none of the signs that are part of names, nor an apostrophe."""
    cdef Py_ssize_t at
    cdef uint8_t letter
    for at in range(length):
        letter = text[at]
        if letter > 46:
            continue
        if letter == 39 or letter == 35 or letter == 0:
            return False
        if letter == 43 and at + 1 < length and text[at + 1] == 43:
            return False
        if letter == 46 and at + 3 < length:
            if (text[at + 1] | 32) == 110 and (text[at + 2] | 32) == 101 and (text[at + 3] | 32) == 116:
                return False
    return True


cdef class LinkScanner:
    """Rows of tokens of links, from their texts, URLs and surroundings.

    `words_of`, `url_parts` and `folder_of` are the functions in plain Python for what is rare: texts that are
    not plain ASCII, URLs with percent-encoding, and folders that were not met lately. With `repeat` false a
    word is reported once, not once for each page.
    """

    cdef readonly WordTable table
    cdef readonly object words_of, url_parts, folder_of
    cdef readonly bint repeat
    cdef readonly int characters
    cdef uint32_t text_seed, url_seed
    cdef list reported, reported_ids
    cdef bytes last_folder
    cdef uint64_t[64] own
    cdef uint64_t[256] above
    cdef int own_count, above_count

    def __cinit__(
        self, WordTable table, words_of, url_parts, folder_of, uint32_t text_seed, uint32_t url_seed,
        int characters, bint repeat=True,
    ):
        self.table, self.words_of, self.url_parts, self.folder_of = table, words_of, url_parts, folder_of
        self.text_seed, self.url_seed, self.characters, self.repeat = text_seed, url_seed, characters, repeat
        self.last_folder = None

    def __reduce__(self):
        return LinkScanner, (
            self.table, self.words_of, self.url_parts, self.folder_of, self.text_seed, self.url_seed,
            self.characters, self.repeat,
        )

    cdef uint64_t _number(self, const uint8_t *word, Py_ssize_t length, uint64_t hash, bint digits) except? 7:
        """Return the number of a word, and report it if it is new."""
        cdef Entry *entry
        cdef uint32_t stamp
        if digits and length >= LONG_NUMBER:
            if length > MAX_LETTERS:
                length = MAX_LETTERS
            return (
                <uint64_t> (_crc32(self.url_seed, word, length) or 1) << 32
                | (_crc32(self.text_seed, word, length) or 1)
            )
        entry = self.table._find(word, length, hash)
        stamp = self.table.call if self.repeat else 1
        if entry.stamp != stamp:
            entry.stamp = stamp
            self.reported.append((<char *> word)[:length].decode("utf-8", "replace"))
            self.reported_ids.append(<uint32_t> entry.number)
        return entry.number

    cdef int _scan(self, const uint8_t *text, Py_ssize_t size, Row *row) except -1:
        cdef uint8_t[LONGEST] word
        cdef Py_ssize_t at, length = 0
        cdef uint8_t letter
        cdef uint64_t hash = FNV_START
        cdef bint digits = True
        for at in range(size + 1):
            letter = self.table.lower[text[at]] if at < size else 32
            if letter != 32:
                if length < LONGEST:
                    word[length] = letter
                    length += 1
                    hash = (hash ^ letter) * FNV_FACTOR
                    if letter > 57:
                        digits = False
            elif length:
                _put(row, self._number(word, length, hash, digits))
                length, hash, digits = 0, FNV_START, True
        return 0

    cdef uint64_t _number_of(self, str word) except? 7:
        cdef Py_ssize_t size, at
        cdef bytes encoded = word.encode("utf-8", "replace")
        cdef const uint8_t *data = <const uint8_t *> PyBytes_AS_STRING(encoded)
        cdef uint64_t hash = FNV_START
        if PyUnicode_GET_LENGTH(word) >= LONG_NUMBER and word.isdecimal():
            return self.table.number_of(word)
        size = PyBytes_GET_SIZE(encoded)
        for at in range(size):
            hash = (hash ^ data[at]) * FNV_FACTOR
        return self._number(data, size, hash, False)

    cdef int _scan_any(self, str text, Row *row) except -1:
        """Put the words of a text in a row, at most so many of its characters."""
        cdef Py_ssize_t size = PyUnicode_GET_LENGTH(text)
        cdef const uint8_t *data
        if size > self.characters:
            size = self.characters
        if PyUnicode_IS_COMPACT_ASCII(text):
            data = <const uint8_t *> PyUnicode_DATA(text)
            if _is_plain(data, size):
                return self._scan(data, size, row)
        for word in self.words_of(text[:size]):
            _put(row, self._number_of(word))
        return 0

    cdef int _use_folder(self, bytes encoded) except -1:
        """Load the numbers of a folder: of its directories, and of its words."""
        cdef int at
        if self.last_folder is not None and encoded == self.last_folder:
            return 0
        own, above, words = self.folder_of(encoded.decode("utf-8"))
        self.own_count = min(len(own), 64)
        for at in range(self.own_count):
            self.own[at] = own[at]
        self.above_count = min(len(above), 256)
        for at in range(self.above_count):
            self.above[at] = above[at]
        for word in words:
            self._number_of(word)
        self.last_folder = encoded
        return 0

    cdef int _scan_url(self, str url, Row *row) except -1:
        cdef const uint8_t *data
        cdef Py_ssize_t size, at, start = -1, slash = -1, question = -1, dot = -1, name_end, query_end
        cdef bint plain = PyUnicode_IS_COMPACT_ASCII(url), ending
        cdef uint8_t[9] suffix
        cdef int letters, step
        if plain:
            size = PyUnicode_GET_LENGTH(url)
            data = <const uint8_t *> PyUnicode_DATA(url)
            for at in range(size):
                if data[at] == 37:
                    plain = False
                    break
                if data[at] == 58 and start < 0 and at + 2 < size and data[at + 1] == 47 and data[at + 2] == 47:
                    start = at + 3
                elif start >= 0 and at >= start:
                    if data[at] == 63 and question < 0:
                        question = at
                    elif data[at] == 47 and question < 0:
                        slash = at
        if plain and start >= 0 and slash >= start:
            query_end = size
            name_end = question if question >= 0 else size
            if name_end - slash - 1 > self.characters:
                name_end = slash + 1 + self.characters
            if question >= 0 and size - question - 1 > self.characters:
                query_end = question + 1 + self.characters
            for at in range(slash + 1, name_end):
                if data[at] == 46:
                    dot = at
            ending = dot > slash + 1 and name_end > dot + 1
            if ending:
                for at in range(dot + 1, name_end):
                    if self.table.lower[data[at]] == 32:
                        ending = False
                        break
            if _is_plain(data + slash + 1, (dot if ending else name_end) - slash - 1) and (
                question < 0 or _is_plain(data + question, query_end - question)
            ):
                self._use_folder((<char *> data)[start:slash])
                for step in range(self.own_count):
                    _put(row, self.own[step])
                if ending:
                    letters = <int> min(name_end - dot - 1, 8)
                    suffix[0] = 46
                    for step in range(letters):
                        suffix[step + 1] = self.table.lower[data[dot + 1 + step]]
                    _put(row, <uint64_t> (_crc32(self.url_seed, suffix, letters + 1) or 1) << 32)
                self._scan(data + slash + 1, (dot if ending else name_end) - slash - 1, row)
                if question >= 0:
                    self._scan(data + question, query_end - question, row)
                for step in range(self.above_count):
                    _put(row, self.above[step])
                return 0
        folder, ending_number, words = self.url_parts(url)
        self._use_folder(folder.encode("utf-8", "replace"))
        for step in range(self.own_count):
            _put(row, self.own[step])
        _put(row, ending_number)
        for word in words:
            _put(row, self._number_of(word))
        for step in range(self.above_count):
            _put(row, self.above[step])
        return 0

    def columns(self, anchors, urls, contexts, int text_columns, int url_columns, int context_columns):
        """Return the rows of texts, URLs and contexts as packed 32-bit numbers, the words and their numbers."""
        cdef Py_ssize_t count = len(urls), around = len(contexts), at
        cdef uint64_t[64] buffer
        cdef Row row
        cdef bytes texts = PyBytes_FromStringAndSize(NULL, count * text_columns * 4)
        cdef bytes addresses = PyBytes_FromStringAndSize(NULL, count * url_columns * 4)
        cdef bytes surroundings = PyBytes_FromStringAndSize(NULL, around * context_columns * 4)
        cdef uint32_t *out
        cdef int step
        cdef str text, before = None
        self.table._clear_if_full()
        self.table.call += 1
        self.last_folder = None
        self.reported, self.reported_ids = [], []
        row.ids = buffer
        out = <uint32_t *> PyBytes_AS_STRING(texts)
        for at in range(count):
            row.used, row.most = 0, text_columns
            self._scan_any(anchors[at], &row)
            for step in range(text_columns):
                out[step] = <uint32_t> buffer[step] if step < row.used else 0
            out += text_columns
        out = <uint32_t *> PyBytes_AS_STRING(addresses)
        for at in range(count):
            row.used, row.most = 0, url_columns
            self._scan_url(urls[at], &row)
            for step in range(url_columns):
                out[step] = <uint32_t> (buffer[step] >> 32) if step < row.used else 0
            out += url_columns
        out = <uint32_t *> PyBytes_AS_STRING(surroundings)
        for at in range(around):
            text = contexts[at]
            if at and text is before:
                memcpy(out, out - context_columns, context_columns * sizeof(uint32_t))
            else:
                row.used, row.most = 0, context_columns
                self._scan_any(text, &row)
                for step in range(context_columns):
                    out[step] = <uint32_t> buffer[step] if step < row.used else 0
            out += context_columns
            before = text
        return texts, addresses, surroundings, " ".join(self.reported), self.reported_ids
