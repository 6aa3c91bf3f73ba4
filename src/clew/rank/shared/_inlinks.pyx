# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Inlinks of URLs, compiled: what `inlinks` does with numpy. Verdicts are 16-bit floats, here as their bits."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define CLEW_FETCH_EARLY(address) __builtin_prefetch(address)
    #else
    #define CLEW_FETCH_EARLY(address) ((void) (address))
    #endif
    """
    void CLEW_FETCH_EARLY(const void *address) noexcept nogil


cdef inline float _float_of(uint16_t half) noexcept nogil:
    """Return a 16-bit float of 0 to 255 as a float of 32 bits."""
    cdef uint32_t bits
    cdef float value
    if half < 0x400:  # subnormal: a multiple of 2**-24
        return half * (1.0 / 16_777_216.0)
    bits = (<uint32_t>half + (112 << 10)) << 13
    memcpy(&value, &bits, 4)
    return value


cdef inline uint16_t _half_of(float value) noexcept nogil:
    """Return a float of 0 to 65,504 as 16 bits, rounded to the nearest, ties to even."""
    cdef uint32_t bits, scaled
    if value < 6.103515625e-05:  # subnormal
        value = value * 16_777_216.0
        scaled = <uint32_t>value
        value -= scaled
        if value > 0.5 or (value == 0.5 and scaled & 1):
            scaled += 1
        return <uint16_t>scaled
    memcpy(&bits, &value, 4)
    bits -= 112 << 23
    return <uint16_t>((bits + 0xFFF + (bits >> 13 & 1)) >> 13)


def count_page(const uint64_t[::1] hashes, uint8_t[::1] pages, uint16_t[::1] verdicts, uint16_t verdict,
               uint8_t most, int64_t[::1] slots):
    """Add a page to the URLs it links to, each slot once; `slots` is room for as many numbers."""
    cdef Py_ssize_t at, other, count = 0
    cdef uint64_t size = pages.shape[0]
    cdef int64_t slot
    cdef float more = _float_of(verdict)
    if slots.shape[0] != hashes.shape[0] or verdicts.shape[0] != pages.shape[0]:
        raise ValueError("columns differ in length")
    for at in range(hashes.shape[0]):  # slots are far apart in memory: all are asked for, then waited for
        slots[at] = <int64_t>(hashes[at] % size)
        CLEW_FETCH_EARLY(&pages[slots[at]])
        CLEW_FETCH_EARLY(&verdicts[slots[at]])
    for at in range(hashes.shape[0]):
        slot = slots[at]
        if pages[slot] < most:
            slots[count] = slot
            count += 1
    # In two steps, so that a slot which occurs twice is counted once: its old values are read first.
    for at in range(count):
        slot = slots[at]
        for other in range(at):
            if slots[other] == slot:
                break
        else:
            pages[slot] += 1
            verdicts[slot] = _half_of(_float_of(verdicts[slot]) + more)


def levels(const uint64_t[::1] hashes, const uint8_t[::1] pages, const uint16_t[::1] verdicts,
           const int64_t[::1] magnitudes, int most, int64_t[::1] out):
    """Write for each URL the level of its number of pages, times `most`, and of their mean verdict."""
    cdef Py_ssize_t at
    cdef uint64_t size = pages.shape[0], slot
    cdef int64_t level
    if out.shape[0] != hashes.shape[0] or verdicts.shape[0] != pages.shape[0]:
        raise ValueError("columns differ in length")
    for at in range(hashes.shape[0]):
        slot = hashes[at] % size
        level = <int64_t>(<double>_float_of(verdicts[slot]) / (pages[slot] if pages[slot] else 1) * most)
        out[at] = magnitudes[pages[slot]] * most + (level if level < most else most - 1)
