"""`--goal`: what pages must hold, as the name of the judge that looks for it."""

from difflib import get_close_matches

from clew import capabilities, registry
from clew.config.judge_spec import JudgeName, JudgeSpec
from clew.domain.places import COUNTRIES, checked_country
from clew.errors import ConfigError

GOALS = {
    "place": ("jp", "pages with an address"),
    "data": ("", "links to statistical data files"),
    "files": ("pdf", "links to files of a kind"),
    "schema": ("Recipe", "pages that state a schema.org type"),
}
"""What may be looked for, an example of what may stand behind the equals sign, and what it means."""


def judge_of(goal: str, about: str) -> str:
    """Return the judge for a goal such as `place=jp`; with a topic, both must be met.

    >>> judge_of("place=jp", ""), judge_of("place=de", "lighthouses")
    ('place:jp', 'all:place:de,words')
    >>> judge_of("data", ""), judge_of("schema=Recipe", "")
    ('data', 'schema:Recipe')
    """
    kind, equals, of = (part.strip() for part in goal.partition("="))
    if kind not in GOALS:
        raise _unknown(goal, kind)
    if kind == "data" and equals:
        msg = f"--goal {goal}: data takes nothing behind it; for one kind of file write --goal files=csv"
        raise ConfigError(msg)
    if kind in ("files", "schema") and not of:
        msg = f"--goal {goal}: say of which, such as {kind}={GOALS[kind][0]}"
        raise ConfigError(msg)
    spec = JudgeSpec((JudgeName(kind, _country(goal, of) if kind == "place" else of),))
    _check(goal, str(spec))
    return str(spec.all_of("words") if about else spec)


def _country(goal: str, of: str) -> str:
    if not of:
        msg = f"--goal {goal}: say of which country, for example place=jp; known: {', '.join(COUNTRIES)}"
        raise ConfigError(msg)
    try:
        return checked_country(of)
    except ConfigError as error:
        msg = f"--goal {goal}: {error}"
        raise ConfigError(msg) from None


def _check(goal: str, judge: str) -> None:
    """Let the judge say now what is wrong with it."""
    made = registry.make("judge", judge)
    try:
        capabilities.prepare(made)
    except ConfigError as error:
        msg = f"--goal {goal}: {error}"
        raise ConfigError(msg) from None


def _unknown(goal: str, kind: str) -> ConfigError:
    near = get_close_matches(kind, [*GOALS, *COUNTRIES], n=1)
    if near:
        word = f"place={near[0]}" if near[0] in COUNTRIES else near[0]
        example = f"{word}={GOALS[word][0]}" if word in GOALS and GOALS[word][0] else word
        hint = f"did you mean {example}?"
    else:
        known = (
            f"{name}={of} ({means})" if of else f"{name} ({means})" for name, (of, means) in GOALS.items()
        )
        hint = f"there is: {', '.join(known)}"
    return ConfigError(f"--goal {goal}: there is no such goal; {hint}")
