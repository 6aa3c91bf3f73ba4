# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Evaluate an ensemble of symmetric trees, compiled: what `TreeEnsemble` computes with numpy. Tests compare the two."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy


def sum_leaves(const float[:, ::1] matrix, const int64_t[::1] rows, const float[:, ::1] thresholds,
               const int64_t[:, ::1] asked, const float[:, ::1] leaves, double[::1] total):
    """Add the leaves that each column of the matrix reaches to `total`, tree after tree.

    All loops but the last run over neighbouring bytes, so that the processor answers for many columns at once.
    """
    cdef Py_ssize_t count = matrix.shape[1], questions = rows.shape[0], at, question, tree, level
    cdef uint8_t *answers = <uint8_t *> PyMem_Malloc((questions + 1) * count)
    cdef uint8_t *leaf = answers + questions * count
    cdef uint8_t *answer
    cdef const float *values
    cdef const float *ends
    cdef float threshold
    if answers == NULL:
        raise MemoryError
    for question in range(questions):
        values, threshold, answer = &matrix[rows[question], 0], thresholds[question, 0], answers + question * count
        for at in range(count):
            answer[at] = values[at] > threshold
    for tree in range(leaves.shape[0]):
        memcpy(leaf, answers + asked[0, tree] * count, count)
        for level in range(1, asked.shape[0]):
            answer = answers + asked[level, tree] * count
            for at in range(count):
                leaf[at] |= answer[at] << level
        ends = &leaves[tree, 0]
        for at in range(count):
            total[at] += ends[leaf[at]]
    PyMem_Free(answers)
