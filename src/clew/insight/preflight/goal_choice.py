"""`--goal`: what relevant pages contain, translated to the name of a judge."""

import mimetypes
from difflib import get_close_matches

from clew import registry
from clew.config.judge_spec import JudgeName, JudgeSpec
from clew.domain.places import COUNTRIES, checked_country
from clew.errors import ConfigError
from clew.registry import capabilities

GOALS = {
    "place": ("jp", "pages with an address"),
    "data": ("", "links to statistical data files"),
    "files": ("pdf", "links to files of a kind"),
    "schema": ("Recipe", "pages that state a schema.org type"),
}
"""Each goal with an example value and its meaning."""

SCHEMA_TYPES = {
    "article": "Article", "book": "Book", "course": "Course", "dataset": "Dataset", "event": "Event",
    "film": "Movie", "job": "JobPosting", "movie": "Movie", "new": "NewsArticle",
    "organization": "Organization",
    "person": "Person", "product": "Product", "recipe": "Recipe", "restaurant": "Restaurant",
    "review": "Review", "video": "VideoObject",
}  # fmt: skip
"""Types of schema.org that pages often state, by the words people say for them (without the plural's s)."""


def judge_of(goal: str, about: str) -> str:
    """Return the judge for a goal such as `place=jp`; with a topic, both are required.

    >>> judge_of("place=jp", ""), judge_of("place=de", "lighthouses")
    ('place:jp', 'all:place:de,words')
    >>> judge_of("data", ""), judge_of("schema=Recipe", "")
    ('data', 'schema:Recipe')
    """
    kind, equals, value = (part.strip() for part in goal.partition("="))
    if kind not in GOALS:
        raise _unknown(goal, kind)
    if kind == "data" and equals:
        msg = f"--goal {goal}: data takes no value; for one file type write --goal files=csv"
        raise ConfigError(msg)
    if kind in ("files", "schema") and not value:
        msg = f"--goal {goal}: add a value, such as {kind}={GOALS[kind][0]}"
        raise ConfigError(msg)
    spec = JudgeSpec((JudgeName(kind, _country(goal, value) if kind == "place" else value),))
    _check(goal, str(spec))
    return str(spec.all_of("words") if about else spec)


def _country(goal: str, value: str) -> str:
    if not value:
        msg = f"--goal {goal}: add a country, such as place=jp; known: {', '.join(COUNTRIES)}"
        raise ConfigError(msg)
    try:
        return checked_country(value)
    except ConfigError as error:
        msg = f"--goal {goal}: {error}"
        raise ConfigError(msg) from None


def _check(goal: str, judge: str) -> None:
    """Raise if the judge cannot be used."""
    made_judge = registry.make("judge", judge)
    try:
        capabilities.prepare(made_judge)
    except ConfigError as error:
        msg = f"--goal {goal}: {error}"
        raise ConfigError(msg) from None


def _unknown(goal: str, kind: str) -> ConfigError:
    near = get_close_matches(kind, [*GOALS, *COUNTRIES], n=1)
    if mimetypes.guess_type(f"x.{kind.lower().lstrip('.')}")[0]:
        hint = f"for links to such files: --goal files={kind.lower().lstrip('.')}"
    elif schema := get_close_matches(kind.lower().rstrip("s"), SCHEMA_TYPES, n=1, cutoff=0.8):
        hint = f"for pages that state this schema.org type: --goal schema={SCHEMA_TYPES[schema[0]]}"
    elif near:
        name = f"place={near[0]}" if near[0] in COUNTRIES else near[0]
        example = f"{name}={GOALS[name][0]}" if name in GOALS and GOALS[name][0] else name
        hint = f"did you mean {example}?"
    else:
        known = (
            f"{name}={value} ({meaning})" if value else f"{name} ({meaning})"
            for name, (value, meaning) in GOALS.items()
        )
        hint = f"known: {', '.join(known)}"
    return ConfigError(f"--goal {goal}: unknown goal; {hint}")
