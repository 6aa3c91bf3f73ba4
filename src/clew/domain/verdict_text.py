"""Verdicts as people read them."""


def verdict_text(value: float, keep: float) -> str:
    """Return a verdict with two digits, or with three where two would hide on which side of `keep` it is.

    >>> verdict_text(0.498, 0.5), verdict_text(0.5, 0.5), verdict_text(0.731, 0.5)
    ('0.498', '0.500', '0.73')

    The third digit is never rounded up to the threshold:

    >>> verdict_text(0.4999, 0.5)
    '0.499'
    """
    if f"{value:.2f}" != f"{keep:.2f}":
        return f"{value:.2f}"
    return f"{value if value >= keep else min(value, keep - 0.001):.3f}"
