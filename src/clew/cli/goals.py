"""`--goal`: what pages must hold, as the name of the judge that looks for it."""

from difflib import get_close_matches

from clew.errors import ConfigError
from clew.places import COUNTRIES, checked_country


def judge_of(goal: str, about: str) -> str:
    """Return the judge for a goal such as `place=jp`; with a topic, both must be met.

    >>> judge_of("place=jp", ""), judge_of("place=de", "lighthouses")
    ('place:jp', 'all:place:de,words')
    """
    kind, _, of = (part.strip() for part in goal.partition("="))
    if kind != "place":
        near = get_close_matches(kind, ["place", *COUNTRIES], n=1)
        meant = f"place={near[0]}" if near and near[0] in COUNTRIES else "place=jp"
        hint = f"did you mean {meant}?" if near else f"there is: {meant} (pages with an address)"
        msg = f"--goal {goal}: there is no such goal; {hint}"
        raise ConfigError(msg)
    if not of:
        msg = f"--goal {goal}: say of which country, for example place=jp; known: {', '.join(COUNTRIES)}"
        raise ConfigError(msg)
    try:
        country = checked_country(of)
    except ConfigError as error:
        msg = f"--goal {goal}: {error}"
        raise ConfigError(msg) from None
    return f"all:place:{country},words" if about else f"place:{country}"
