"""The `schema` judge: does the markup of a page state a schema.org type?"""

from clew.domain.text import printable
from clew.errors import ConfigError
from clew.types import Label, Page, Verdict

_MAX_NAMED = 5


class SchemaJudge:
    """Find pages that state a schema.org type in JSON-LD, microdata or RDFa: `schema:Recipe`.

    Several types are separated by a plus sign, and one of them is enough: `schema:Recipe+HowTo`. Case is
    ignored.

    >>> from clew.testing import sample_page
    >>> SchemaJudge(of="Recipe").judge(sample_page()).why
    ('no Recipe in its markup, which states no type',)
    """

    needs_whole_page = True
    """It needs more than the stored text of a page, so stored pages keep their verdicts."""

    def __init__(self, *, of: str = "") -> None:
        self.of = of

    def prepare(self) -> None:
        """Raise a ConfigError if no valid type is named."""
        if not all(name.strip().isalnum() for name in self.of.split("+")):
            msg = (
                f'judge "schema:{self.of}": name a type of schema.org, such as schema:Recipe or schema:Event'
            )
            raise ConfigError(msg)

    def judge(self, page: Page) -> Verdict:
        wanted = {name.strip().lower() for name in self.of.split("+")}
        stated = [kind for kind in page.kinds if kind.lower() in wanted]
        if stated:
            return Verdict(1.0, (f"its markup states {', '.join(stated[:_MAX_NAMED])}",))
        others = ", ".join(printable(kind, 30) for kind in page.kinds[:_MAX_NAMED]) or "no type"
        return Verdict(0.0, (f"no {self.of} in its markup, which states {others}",))

    def learn(self, label: Label, page: Page) -> None:
        """Ignore labels: what the markup states does not depend on them."""
