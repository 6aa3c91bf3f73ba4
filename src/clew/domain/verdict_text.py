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


def chance_text(chance: float, single: tuple[float, float]) -> str:
    """Say how many pages with some verdict are relevant, over many webs and on single ones.

    >>> chance_text(0.912, (0.45, 1.0))
    'about 91% of pages with such a verdict are relevant, on single webs 45 to 100%'
    """
    low, high = single
    spread = f"{100 * low:.0f} to {high:.0%}"
    return f"about {chance:.0%} of pages with such a verdict are relevant, on single webs {spread}"
