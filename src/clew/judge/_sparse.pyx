# cython: language_level=3, boundscheck=False, wraparound=False
"""Sparse matrices and sorted ids, compiled: what `sparse` does with numpy."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t

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
    AHEAD = 6  # ids


def dot(const int64_t[::1] starts, const int32_t[::1] columns, const double[::1] values, const double[::1] vector,
        double[::1] out):
    """Write the sum of each row's values times those of the vector at their columns."""
    cdef Py_ssize_t row, at
    cdef double total
    if starts.shape[0] != out.shape[0] + 1:
        raise ValueError("rows and results differ in number")
    for row in range(out.shape[0]):
        total = 0
        for at in range(starts[row], starts[row + 1]):
            total += values[at] * vector[columns[at]]
        out[row] = total


def transposed_dot(const int64_t[::1] starts, const int32_t[::1] columns, const double[::1] values,
                   const double[::1] vector, double[::1] out):
    """Add the values of each row, times its number in the vector, to their columns of `out`."""
    cdef Py_ssize_t row, at
    cdef double factor
    if starts.shape[0] != vector.shape[0] + 1:
        raise ValueError("rows and numbers differ in number")
    for row in range(vector.shape[0]):
        factor = vector[row]
        for at in range(starts[row], starts[row + 1]):
            out[columns[at]] += values[at] * factor


def curved(const int64_t[::1] starts, const int32_t[::1] columns, const double[::1] values, const double[::1] vector,
           double bias, const double[::1] curvature, double[::1] bent, double[::1] out):
    """Do both in one pass over the rows: write `bent`, the curvature of each row times its sum and the bias."""
    cdef Py_ssize_t row, at
    cdef double total
    if not starts.shape[0] - 1 == curvature.shape[0] == bent.shape[0]:
        raise ValueError("rows and curvatures differ in number")
    for row in range(curvature.shape[0]):
        total = 0
        for at in range(starts[row], starts[row + 1]):
            total += values[at] * vector[columns[at]]
        total = curvature[row] * (total + bias)
        bent[row] = total
        for at in range(starts[row], starts[row + 1]):
            out[columns[at]] += values[at] * total


def match(const uint32_t[::1] known, const int64_t[::1] starts, int shift, const uint32_t[::1] wanted,
          int64_t[::1] rows, int64_t[::1] hits):
    """Write where each wanted id that is known is among both; return how many there are.

    Both are in ascending order; `starts[i]` is the first known id that is at least `i << shift`.
    """
    cdef Py_ssize_t at, count = 0
    cdef int64_t row, end
    cdef uint32_t id
    for at in range(wanted.shape[0]):
        id = wanted[at]
        row, end = starts[id >> shift], starts[(id >> shift) + 1]
        while row < end and known[row] < id:
            row += 1
        if row < end and known[row] == id:
            rows[count] = row
            hits[count] = at
            count += 1
    return count


def weigh(const uint32_t[::1] known, const int64_t[::1] starts, int shift, const double[:, ::1] table,
          const uint32_t[::1] ids, const uint16_t[::1] text, const uint16_t[::1] title,
          const uint16_t[::1] margin, int title_weight, const double[::1] damped, int64_t[::1] hits,
          double[::1] values, double[::1] parts):
    """Write the value of each id that is known, and that times its weight; return how many there are.

    A row of `table` holds the rarity and the weight of a known id, `damped` the value of a count.
    """
    cdef Py_ssize_t at, count = 0, size = ids.shape[0]
    cdef int64_t row, end
    cdef uint32_t id
    if not ids.shape[0] == text.shape[0] == title.shape[0] == margin.shape[0]:
        raise ValueError("ids and counts differ in number")
    for at in range(size):
        if at + 2 * AHEAD < size:  # known ids are far apart in memory: they are asked for early
            CLEW_FETCH_EARLY(&starts[ids[at + 2 * AHEAD] >> shift])
        if at + AHEAD < size:
            row = starts[ids[at + AHEAD] >> shift]
            if row < known.shape[0]:
                CLEW_FETCH_EARLY(&known[row])
                CLEW_FETCH_EARLY(&table[row, 0])
        id = ids[at]
        row, end = starts[id >> shift], starts[(id >> shift) + 1]
        while row < end and known[row] < id:
            row += 1
        if row < end and known[row] == id:
            hits[count] = at
            values[count] = damped[text[at] + title_weight * title[at] + margin[at]] * table[row, 0]
            parts[count] = values[count] * table[row, 1]
            count += 1
    return count
