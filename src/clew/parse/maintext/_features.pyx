# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Fill the matrix of features, compiled: what `features` computes with numpy, block by block.

Tests compare the two.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int64_t, uint8_t

from libc.string cimport memset

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    int PyUnicode_KIND(object text)
    void *PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_READ(int kind, void *data, Py_ssize_t index)

cdef enum:
    WIDTH = 8
    PARENT = 0
    TAG = 1
    OWN = 2
    CHAIN = 3
    DEPTH = 4
    BEGIN = 5
    END = 6
    SIZE = 0  # sums
    LINKED = 1
    STOPS = 2
    MASS = 3
    ONE = 4
    SUMS = 5
    CONTAINER = 7


cdef struct Counted:
    double size, linked, stops, mass
    int64_t words
    bint ends, long_


cdef void _count_ascii(const uint8_t *text, Py_ssize_t length, int64_t *blanks, int64_t *stops) noexcept:
    """Count blanks and ends of sentences: in bytes, as many at once as the processor can."""
    cdef Py_ssize_t at, begin = 0, end
    cdef uint8_t some_blanks, full_stops, exclamations, questions  # one sum of three is not done at once
    while begin < length:
        end = min(begin + 255, length)
        some_blanks = full_stops = exclamations = questions = 0
        for at in range(begin, end):
            some_blanks += text[at] == 0x20
            full_stops += text[at] == 0x2E
            exclamations += text[at] == 0x21
            questions += text[at] == 0x3F
        blanks[0] += some_blanks
        stops[0] += <int64_t> full_stops + exclamations + questions
        begin = end


cdef Counted _counted(str text, int64_t linked, double long_from, const uint8_t *is_end):
    """Count a text: its size, that of its links, ends of sentences, words."""
    cdef Counted found = Counted(0, 0, 0, 0, 1, False, False)
    cdef int kind = PyUnicode_KIND(text)
    cdef void *data = PyUnicode_DATA(text)
    cdef Py_ssize_t length = len(text), at, length_read
    cdef Py_UCS4 letter = 0
    cdef int64_t size = 0, stops = 0
    if PyUnicode_IS_ASCII(text):
        _count_ascii(<const uint8_t *> data, length, &found.words, &stops)
        size, letter = 2 * length, (<const uint8_t *> data)[length - 1]
        length_read = length
    else:
        length_read = 0
    for at in range(length_read, length):
        letter = PyUnicode_READ(kind, data, at)
        if letter <= 0x7F:
            size += 2
            if letter == 0x20:
                found.words += 1
            elif letter == 0x2E or letter == 0x21 or letter == 0x3F:
                stops += 1
            continue
        if 0xD800 <= letter <= 0xDFFF:  # half of a pair counts as a question mark
            letter = 0x3F
            stops += 1
            size += 2
            continue
        if letter > 0xFFFF:
            letter = 0xFFFF
        size += 3 + (letter > 0x7FF) + (letter == 0xFFFF)
        stops += letter == 0x3002 or letter == 0xFF01 or letter == 0xFF1F
    found.size, found.stops, found.ends = size / 2.0, stops, is_end[letter]
    found.linked = linked * (found.size / length)
    found.long_ = found.size > long_from and stops > 0 and found.linked < found.size * 0.5
    found.mass = found.size if found.long_ else 0.0
    return found


cdef struct Alike:  # blocks of one look
    int64_t look
    int64_t count
    double size, linked


cdef class _Page:
    """Sums over the blocks of a page, and over those of each holder."""

    cdef double *sums  # for each block, what was before it; five numbers side by side
    cdef double *inside  # for each holder
    cdef int64_t *up  # the next holder above that has more blocks
    cdef Counted *blocks
    cdef Alike *alike  # blocks that look alike, in the order of the first of them
    cdef int64_t *alike_of  # for each block, the number of those
    cdef uint8_t *repeated  # for each block, whether its text was on the page before
    cdef int64_t *places  # a hash table, with numbers from 1
    cdef Py_ssize_t count, holders, mask

    def __cinit__(self, Py_ssize_t count, Py_ssize_t holders):
        self.count, self.holders = count, holders
        self.sums = <double *> PyMem_Malloc((count + 1) * SUMS * sizeof(double))
        self.inside = <double *> PyMem_Malloc(holders * SUMS * sizeof(double))
        self.up = <int64_t *> PyMem_Malloc(2 * holders * sizeof(int64_t))
        self.blocks = <Counted *> PyMem_Malloc(count * sizeof(Counted))
        self.alike = <Alike *> PyMem_Malloc(count * sizeof(Alike))
        self.alike_of = <int64_t *> PyMem_Malloc(count * sizeof(int64_t))
        self.repeated = <uint8_t *> PyMem_Malloc(count)
        self.mask = 63
        while self.mask < 2 * count:
            self.mask = 2 * self.mask + 1
        self.places = <int64_t *> PyMem_Malloc((self.mask + 1) * sizeof(int64_t))
        if (self.sums == NULL or self.inside == NULL or self.up == NULL or self.blocks == NULL or self.alike == NULL
                or self.alike_of == NULL or self.repeated == NULL or self.places == NULL):
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.sums)
        PyMem_Free(self.inside)
        PyMem_Free(self.up)
        PyMem_Free(self.blocks)
        PyMem_Free(self.alike)
        PyMem_Free(self.alike_of)
        PyMem_Free(self.repeated)
        PyMem_Free(self.places)

    cdef void find_alike(self, const int64_t[::1] rows, const int64_t[::1] held) noexcept:
        """Sum up the blocks of each look."""
        cdef Py_ssize_t at, place, found = 0
        cdef int64_t look
        cdef Alike *alike
        memset(self.places, 0, (self.mask + 1) * sizeof(int64_t))
        for at in range(self.count):
            look = rows[held[at] * WIDTH + WIDTH - 1]
            place = (look ^ look >> 32) & self.mask
            while self.places[place] and self.alike[self.places[place] - 1].look != look:
                place = (place + 1) & self.mask
            if not self.places[place]:
                self.alike[found] = Alike(look, 0, 0.0, 0.0)
                found += 1
                self.places[place] = found
            alike = &self.alike[self.places[place] - 1]
            alike.count += 1
            alike.size += self.blocks[at].size
            alike.linked += self.blocks[at].linked
            self.alike_of[at] = self.places[place] - 1

    cdef int find_repeated(self, list texts) except -1:
        """Find the texts that were on the page before: only those of one size and as many words are compared."""
        cdef Py_ssize_t at, place, other
        cdef const Counted *block
        memset(self.places, 0, (self.mask + 1) * sizeof(int64_t))
        for at in range(self.count):
            block = &self.blocks[at]
            place = (<int64_t> (2 * block.size) * 31 + block.words * 7 + <int64_t> block.stops) & self.mask
            self.repeated[at] = False
            while self.places[place]:
                other = self.places[place] - 1
                if (self.blocks[other].size == block.size and self.blocks[other].words == block.words
                        and <str> texts[other] == <str> texts[at]):
                    self.repeated[at] = True
                    break
                place = (place + 1) & self.mask
            if not self.repeated[at]:
                self.places[place] = at + 1
        return 0

    cdef int count_all(self, list texts, const int64_t[::1] linked, double long_from, const uint8_t *is_end) except -1:
        cdef Py_ssize_t at, which
        cdef Counted found
        cdef double *row = self.sums
        for which in range(SUMS):
            row[which] = 0
        for at in range(self.count):
            found = self.blocks[at] = _counted(texts[at], linked[at], long_from, is_end)
            row[SUMS + SIZE] = row[SIZE] + found.size
            row[SUMS + LINKED] = row[LINKED] + found.linked
            row[SUMS + STOPS] = row[STOPS] + found.stops
            row[SUMS + MASS] = row[MASS] + found.mass
            row[SUMS + ONE] = row[ONE] + 1
            row += SUMS
        return 0

    cdef void sum_holders(self, const int64_t[::1] rows) noexcept:
        cdef Py_ssize_t holder, which, parent
        cdef int64_t begin, end
        cdef int64_t *top = self.up + self.holders
        for holder in range(self.holders):
            begin, end = rows[holder * WIDTH + BEGIN], rows[holder * WIDTH + END]
            for which in range(SUMS):
                self.inside[holder * SUMS + which] = self.sums[end * SUMS + which] - self.sums[begin * SUMS + which]
            parent = rows[holder * WIDTH + PARENT]
            top[holder] = top[parent] if holder and self._blocks(rows, parent) == end - begin else holder
            self.up[holder] = rows[top[holder] * WIDTH + PARENT]

    cdef inline int64_t _blocks(self, const int64_t[::1] rows, Py_ssize_t holder) noexcept:
        return rows[holder * WIDTH + END] - rows[holder * WIDTH + BEGIN]

    cdef Py_ssize_t deepest(self, const int64_t[::1] rows, double share) noexcept:
        """Return the deepest holder that has this share of the mass."""
        cdef double all_ = self.inside[MASS]
        cdef Py_ssize_t holder, best = -1
        if all_ <= 0:
            return 0
        for holder in range(self.holders):
            if self.inside[holder * SUMS + MASS] >= share * all_ and (
                best < 0 or rows[holder * WIDTH + DEPTH] > rows[best * WIDTH + DEPTH]
            ):
                best = holder
        return best

    cdef inline void put_container(self, float[:, ::1] out, Py_ssize_t row, Py_ssize_t at, Py_ssize_t holder,
                                   double whole, double whole_mass) noexcept:
        cdef const double *inside = self.inside + holder * SUMS
        cdef double mass = max(inside[SIZE], 1.0), blocks = max(inside[ONE], 1.0)
        out[row, at] = <float> (inside[SIZE] / whole)
        out[row + 1, at] = <float> (inside[MASS] / whole_mass)
        out[row + 2, at] = <float> (inside[MASS] / mass)
        out[row + 3, at] = <float> (inside[LINKED] / mass)
        out[row + 4, at] = <float> (inside[STOPS] / mass)
        out[row + 5, at] = <float> blocks
        out[row + 6, at] = <float> (inside[SIZE] / blocks)


def fill(float[:, ::1] out, double[::1] sizes, list texts, blocks, const uint8_t[::1] is_end, const int64_t[::1] levels,
         const int64_t[::1] tag_columns, const int64_t[::1] share_rows, const double[::1] facts, *,
         double long_from, int flags, int groups, int reach, int64_t h1, Py_ssize_t titled):
    """Fill `out`, with a row for each feature and a column for each block, and the sizes of blocks.

    `titled` is the first block that is in the title, or -1; `facts` is what the head says of the page.
    """
    cdef const int64_t[::1] held = blocks.held, rows = blocks.rows, links = blocks.links
    cdef Py_ssize_t count = len(texts), holders = rows.shape[0] // WIDTH
    cdef Py_ssize_t at, row = 0, holder, nearest, wider, which, main, half, low, high, last_h1 = 0, first_h1 = -1
    cdef _Page page = _Page(count, holders)
    cdef Counted *block
    cdef double *sums
    cdef const Alike *alike
    cdef double whole, whole_mass, share, density
    cdef int64_t tag, level, above = -1, above_level = 0, outside, longs = 0, headings = 0, chain, own
    cdef float weight
    page.count_all(texts, blocks.linked, long_from, &is_end[0])
    page.sum_holders(rows)
    sums = page.sums
    whole, whole_mass = max(sums[count * SUMS + SIZE], 1.0), max(sums[count * SUMS + MASS], 1.0)
    main, half = page.deepest(rows, 0.7), page.deepest(rows, 0.5)
    for at in range(count):
        if rows[held[at] * WIDTH + TAG] == h1:
            last_h1 = at
            if first_h1 < 0:
                first_h1 = at
    if titled < 0:
        titled = max(first_h1, 0)
    page.find_alike(rows, held)
    page.find_repeated(texts)
    for at in range(count):
        block = &page.blocks[at]
        holder = held[at]
        nearest = page.up[holder] if page.inside[holder * SUMS + ONE] <= 1 else holder
        wider = page.up[nearest]
        tag, chain = rows[holder * WIDTH + TAG], rows[holder * WIDTH + CHAIN]
        level = levels[tag]
        density = block.linked / block.size
        sizes[at] = block.size
        longs += block.long_
        headings += level != 0
        out[0, at] = <float> block.size
        out[1, at] = <float> block.words
        out[2, at] = <float> block.stops
        out[3, at] = block.ends
        out[4, at] = <float> links[at]
        out[5, at] = <float> density
        out[6, at] = <float> (block.stops / block.size)
        out[7, at] = <float> level
        row = 8
        for which in range(tag_columns.shape[0]):
            out[row, at] = tag == tag_columns[which]
            row += 1
        for which in range(flags + groups):
            out[row, at] = chain >> which & 1
            row += 1
        own = (rows[holder * WIDTH + OWN] | rows[nearest * WIDTH + OWN]) >> flags
        for which in range(groups):
            out[row, at] = own >> which & 1
            row += 1
        outside = max(max(rows[half * WIDTH + BEGIN] - at, at - rows[half * WIDTH + END] + 1), 0)
        out[row, at] = <float> rows[holder * WIDTH + DEPTH]
        out[row + 1, at] = <float> (sums[at * SUMS + SIZE] / whole)
        out[row + 2, at] = <float> (<double> at / count)
        out[row + 3, at] = rows[main * WIDTH + BEGIN] <= at < rows[main * WIDTH + END]
        out[row + 4, at] = outside == 0
        out[row + 5, at] = <float> outside
        if level > 0:
            above, above_level = at, level
        out[row + 6, at] = <float> (at - last_h1)
        out[row + 7, at] = <float> (at - titled)
        out[row + 8, at] = <float> (at - above)
        out[row + 9, at] = <float> above_level
        alike = &page.alike[page.alike_of[at]]
        out[row + 10, at] = <float> alike.count
        out[row + 11, at] = <float> (alike.size / whole)
        out[row + 12, at] = <float> (alike.linked / alike.size)
        out[row + 13, at] = page.repeated[at]
        row += 14
        page.put_container(out, row, at, nearest, whole, whole_mass)
        page.put_container(out, row + CONTAINER, at, wider, whole, whole_mass)
        page.put_container(out, row + 2 * CONTAINER, at, page.up[wider], whole, whole_mass)
        row += 3 * CONTAINER
        for which in range(3):
            out[row + which, at] = -1
        if at:
            out[row, at - 1] = out[0, at]
            out[row + 1, at - 1] = out[5, at]
            out[row + 2, at - 1] = out[2, at]
        low, high = max(at - reach, 0), min(at + reach + 1, count)
        out[row + 3, at] = <float> ((sums[high * SUMS + LINKED] - sums[low * SUMS + LINKED])
                                    / (sums[high * SUMS + SIZE] - sums[low * SUMS + SIZE]))
        row += 4
    cdef const double *in_half = page.inside + half * SUMS
    cdef const double *all_ = sums + count * SUMS
    page_values = [
        whole, count, max(all_[LINKED], 1.0) / whole, max(all_[STOPS], 1.0) / whole, max(all_[MASS], 1.0) / whole,
        in_half[SIZE] / whole, page.inside[main * SUMS + SIZE] / whole, longs, headings,
        in_half[LINKED] / max(in_half[SIZE], 1.0),
    ]
    for which in range(share_rows.shape[0]):
        share = 0
        for at in range(count):
            weight = <float> (page.blocks[at].size / whole)
            share += out[share_rows[which], at] * weight
        page_values.append(share)
    page_values.extend(facts)
    for value in page_values:
        weight = value
        for at in range(count):
            out[row, at] = weight
        row += 1
    if row != out.shape[0]:
        raise AssertionError("rows are missing")
