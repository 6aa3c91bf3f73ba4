"""Verdicts as people read them."""


def verdict_text(value: float, keep: float) -> str:
    """Return a verdict with two digits, or with three where two would hide on which side of `keep` it is.

    >>> verdict_text(0.498, 0.5), verdict_text(0.5, 0.5), verdict_text(0.731, 0.5)
    ('0.498', '0.500', '0.73')
    """
    return f"{value:.3f}" if f"{value:.2f}" == f"{keep:.2f}" else f"{value:.2f}"
