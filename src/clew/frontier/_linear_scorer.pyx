# cython: language_level=3, boundscheck=False, wraparound=False
"""Sums of weights by feature group, compiled: what `linear_scorer` does with numpy."""

from libc.stdint cimport uint32_t

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
    AHEAD = 3  # rows


def group_sums(const uint32_t[:, :] rows, Py_ssize_t first, const Py_ssize_t[::1] sizes,
               const float[::1] table, const float[:, ::1] offsets, float most, float[:, ::1] out):
    """Write the log-odds of each group in each row, between `-most` and `most`, with their sign changed.

    `first` is the first column with a feature, `sizes` are the columns of the groups. Features beyond the end of
    the table count as its last one.
    """
    cdef Py_ssize_t row, group, column, begin, last = table.shape[0] - 1, ahead
    cdef uint32_t id
    cdef float value
    if out.shape[0] != sizes.shape[0] or out.shape[1] != rows.shape[0] or offsets.shape[0] != sizes.shape[0]:
        raise ValueError("rows and groups differ in number")
    begin = first
    for group in range(sizes.shape[0]):
        begin += sizes[group]
    if begin != rows.shape[1]:
        raise ValueError("the groups have other columns than the rows")
    for row in range(rows.shape[0]):
        begin, ahead = first, row + AHEAD
        if ahead < rows.shape[0]:  # the weights are far apart in memory: they are asked for early
            for column in range(first, rows.shape[1]):
                id = rows[ahead, column]
                CLEW_FETCH_EARLY(&table[id if id < <uint32_t>last else last])
        for group in range(sizes.shape[0]):
            value = 0
            for column in range(begin, begin + sizes[group]):
                id = rows[row, column]
                value += table[id if id < <uint32_t>last else last]
            begin += sizes[group]
            value += offsets[group, 0]
            if value < -most:
                value = -most
            elif value > most:
                value = most
            out[group, row] = -value


def add_parts(float[:, ::1] values, const float[:, ::1] weights, float[::1] scores):
    """Turn exponentials of log-odds into the parts of scores, and write their sums, in the order of the groups."""
    cdef Py_ssize_t row, group
    cdef float part
    if weights.shape[0] != values.shape[0] or scores.shape[0] != values.shape[1]:
        raise ValueError("values, weights and scores differ in number")
    for row in range(scores.shape[0]):
        scores[row] = 0
    for group in range(values.shape[0]):
        for row in range(scores.shape[0]):
            part = weights[group, 0] / (values[group, row] + 1)
            values[group, row] = part
            scores[row] += part
