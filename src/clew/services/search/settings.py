"""What the search service searches for, and how."""

from dataclasses import dataclass, field

from clew.config.tables import SeekTable
from clew.urls import Canon


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """What is searched for and how: the topic, `[seek]` of clew.toml, the page budget, the random seed.

    `has_examples` says that the user gave relevant and irrelevant pages for the judge.
    """

    seek: SeekTable
    topic: str
    canon: Canon = field(default_factory=Canon)
    pages: int = 0
    seed: int = 0
    has_examples: bool = False
