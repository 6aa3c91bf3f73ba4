# cython: language_level=3, boundscheck=False, wraparound=False
"""Products of a sparse matrix in coordinates with a vector, compiled: what `sparse` does with numpy."""

from libc.stdint cimport int64_t


def sums(const int64_t[::1] rows, const int64_t[::1] columns, const double[::1] values,
         const double[::1] vector, double[::1] out):
    """Add to each row of `out` its values times those of the vector at their columns."""
    cdef Py_ssize_t at
    for at in range(rows.shape[0]):
        out[rows[at]] += values[at] * vector[columns[at]]
