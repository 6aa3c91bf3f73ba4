"""Rules of the user that limit hosts, as words: `delay=5` seconds between requests, `pages=100` at most."""

from clew.errors import ConfigError

DELAY, PAGES = "delay", "pages"
MAX_DELAY, MAX_PAGES = 3_600.0, 10**9


def limit_verb(kind: str, value: float) -> str:
    """Return the verb of a rule that limits hosts; 0 takes the limit away.

    >>> limit_verb("delay", 5), limit_verb("pages", 100)
    ('delay=5', 'pages=100')
    """
    most = {DELAY: MAX_DELAY, PAGES: MAX_PAGES}[kind]
    if not 0 <= value <= most:
        msg = f"{kind}: give a number from 0 to {most:,.0f}"
        raise ConfigError(msg)
    return f"{kind}={value:g}" if kind == DELAY else f"{kind}={int(value)}"


def parse_limit(verb: str) -> tuple[str, float] | None:
    """Return kind and value of a verb that limits hosts, None for any other verb."""
    kind, equals, text = verb.partition("=")
    if not equals or kind not in (DELAY, PAGES):
        return None
    try:
        return kind, max(0.0, float(text))
    except ValueError:
        return None
