"""The judge named in `goal.judge`, parsed: `auto`, `place:jp`, `files:pdf`, `all:place:jp,words`."""

from dataclasses import dataclass

COMBINATIONS = ("all", "any")
PLACE_DEFAULT = "jp"
FILES_DEFAULT = "pdf"


@dataclass(frozen=True, slots=True)
class JudgeName:
    """One judge by name, and what it is for: the country of `place:jp`, the type of `files:pdf`."""

    name: str
    of: str = ""

    def __str__(self) -> str:
        return f"{self.name}:{self.of}" if self.of else self.name


@dataclass(frozen=True, slots=True)
class JudgeSpec:
    """One judge, or several combined by `all` or `any`."""

    judges: tuple[JudgeName, ...]
    combination: str = ""

    @classmethod
    def parse(cls, text: str) -> "JudgeSpec":
        """Parse the value of `goal.judge`.

        >>> spec = JudgeSpec.parse("all: place:jp, words")
        >>> spec.combination, spec.judges[0]
        ('all', JudgeName(name='place', of='jp'))
        >>> str(JudgeSpec.parse("files:pdf"))
        'files:pdf'
        """
        head, colon, rest = text.strip().partition(":")
        if colon and head in COMBINATIONS:
            names = [name.strip() for name in rest.split(",")]
            return cls(tuple(_judge(name) for name in names if name), head)
        return cls((_judge(text.strip()),))

    def __str__(self) -> str:
        names = ",".join(map(str, self.judges))
        return f"{self.combination}:{names}" if self.combination else names

    def has(self, *names: str) -> bool:
        """Return whether one of these judges is named."""
        return any(judge.name in names for judge in self.judges)

    @property
    def is_topical(self) -> bool:
        """Whether this is a single judge that goes by the words of the topic."""
        return not self.combination and self.has("auto", "words")

    @property
    def countries(self) -> tuple[str, ...]:
        """The countries whose addresses pages must hold."""
        return tuple(judge.of or PLACE_DEFAULT for judge in self.judges if judge.name == "place")

    @property
    def extractor(self) -> str:
        """The extractor that goes with the goal: `data`, `places:jp` or `none`.

        >>> [JudgeSpec.parse(judge).extractor for judge in ("auto", "data", "any:words,place:de")]
        ['none', 'data', 'places:de']
        """
        if self.has("data"):
            return "data"
        return f"places:{self.countries[0]}" if self.countries else "none"

    def all_of(self, *more: str) -> "JudgeSpec":
        """Return a combination in which all these judges must agree."""
        return JudgeSpec((*self.judges, *map(_judge, more)), "all")


def _judge(text: str) -> JudgeName:
    name, _, of = text.partition(":")
    return JudgeName(name, of)
