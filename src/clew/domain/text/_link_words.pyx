# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Look up the words in and around links, compiled: what `LinkScanner` in `word_table` does in plain Python.

Tests compare the two.
"""

from array import array

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_GET_LENGTH
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy

from clew.domain.text._words cimport Entry, Word, WordTable, has_no_signs

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    void *PyUnicode_DATA(object text)

cdef enum:
    LONG_NUMBER = 5
    MAX_LETTERS = 40
    MOST_FOLDERS = 20_000

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
    return memchr(text, 39, length) == NULL and memchr(text, 0, length) == NULL and has_no_signs(text, length)


cdef inline bint _is_long_number(const Word *word) noexcept:
    cdef Py_ssize_t at
    if word.length < LONG_NUMBER:
        return False
    for at in range(word.length):
        if word.letters[at] > 57:
            return False
    return True


cdef class FolderNumbers:
    """The numbers of a folder as packed 64-bit numbers: of its directories, and of its words."""

    cdef bytes own, above
    cdef list words
    cdef uint32_t clears  # of the table, when the words were reported last

    def __cinit__(self, list own, list above, list words):
        self.own, self.above = array("Q", own).tobytes(), array("Q", above).tobytes()
        self.words = words


cdef int _put_all(Row *row, bytes packed) noexcept:
    cdef const uint64_t *numbers = <const uint64_t *> PyBytes_AS_STRING(packed)
    cdef Py_ssize_t at
    for at in range(PyBytes_GET_SIZE(packed) // sizeof(uint64_t)):
        _put(row, numbers[at])
    return 0


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
    cdef FolderNumbers folder  # of the last folder
    cdef dict folders

    def __cinit__(
        self, WordTable table, words_of, url_parts, folder_of, uint32_t text_seed, uint32_t url_seed,
        int characters, bint repeat=True,
    ):
        self.table, self.words_of, self.url_parts, self.folder_of = table, words_of, url_parts, folder_of
        self.text_seed, self.url_seed, self.characters, self.repeat = text_seed, url_seed, characters, repeat
        self.last_folder, self.folders = None, {}

    def __reduce__(self):
        return LinkScanner, (
            self.table, self.words_of, self.url_parts, self.folder_of, self.text_seed, self.url_seed,
            self.characters, self.repeat,
        )

    cdef inline uint64_t _number(self, const Word *word, Entry *entry) except? 7:
        """Return the number of a word, and report it if it is new."""
        cdef uint32_t stamp = self.table.call if self.repeat else 1
        cdef uint32_t *last = &self.table.stamps[entry - self.table.entries]
        if last[0] != stamp:
            last[0] = stamp
            self.reported.append((<char *> word.letters)[:word.length].decode("utf-8", "replace"))
            self.reported_ids.append(<uint32_t> entry.number)
        return entry.number

    cdef uint64_t _long_number(self, const Word *word) noexcept:
        cdef Py_ssize_t length = min(word.length, <Py_ssize_t> MAX_LETTERS)
        return (
            <uint64_t> (_crc32(self.url_seed, word.letters, length) or 1) << 32
            | (_crc32(self.text_seed, word.letters, length) or 1)
        )

    cdef int _scan(self, const uint8_t *text, Py_ssize_t size, Row *row) except -1:
        cdef Py_ssize_t at
        cdef Word *word
        for at in range(self.table.split(text, size)):
            word = &self.table.words[at]
            if _is_long_number(word):
                _put(row, self._long_number(word))
            else:
                _put(row, self._number(word, self.table.find(word.letters, word.length, word.hash)))
        return 0

    cdef uint64_t _number_of(self, str word) except? 7:
        cdef bytes encoded
        cdef Word split
        if PyUnicode_GET_LENGTH(word) >= LONG_NUMBER and word.isdecimal():
            return self.table.number_of(word)
        encoded = word.encode("utf-8", "replace")
        split = Word(<const uint8_t *> PyBytes_AS_STRING(encoded), len(encoded), 0)
        return self._number(&split, self.table.find_bytes(encoded))

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

    cdef inline bint _is_last_folder(self, const uint8_t *folder, Py_ssize_t size) noexcept:
        return (
            self.last_folder is not None
            and PyBytes_GET_SIZE(self.last_folder) == size
            and not memcmp(PyBytes_AS_STRING(self.last_folder), folder, size)
        )

    cdef int _use_folder(self, bytes encoded) except -1:
        """Load the numbers of a folder; report its words."""
        cdef FolderNumbers folder
        if self.last_folder is not None and encoded == self.last_folder:
            return 0
        folder = self.folders.get(encoded)
        if folder is None:
            if len(self.folders) >= MOST_FOLDERS:
                self.folders.clear()
            folder = self.folders[encoded] = FolderNumbers(*self.folder_of(encoded.decode("utf-8")))
            folder.clears = self.table.clears - 1
        if self.repeat or folder.clears != self.table.clears:
            for word in folder.words:
                self._number_of(word)
            folder.clears = self.table.clears
        self.last_folder, self.folder = encoded, folder
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
                if not self._is_last_folder(data + start, slash - start):
                    self._use_folder((<char *> data)[start:slash])
                _put_all(row, self.folder.own)
                if ending:
                    letters = <int> min(name_end - dot - 1, 8)
                    suffix[0] = 46
                    for step in range(letters):
                        suffix[step + 1] = self.table.lower[data[dot + 1 + step]]
                    _put(row, <uint64_t> (_crc32(self.url_seed, suffix, letters + 1) or 1) << 32)
                self._scan(data + slash + 1, (dot if ending else name_end) - slash - 1, row)
                if question >= 0:
                    self._scan(data + question, query_end - question, row)
                _put_all(row, self.folder.above)
                return 0
        folder, ending_number, words = self.url_parts(url)
        self._use_folder(folder.encode("utf-8", "replace"))
        _put_all(row, self.folder.own)
        _put(row, ending_number)
        for word in words:
            _put(row, self._number_of(word))
        _put_all(row, self.folder.above)
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
        self.table.clear_if_full()
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
