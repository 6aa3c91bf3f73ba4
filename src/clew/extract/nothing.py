"""No extraction: the goal is pages, not rows."""

from clew.types import Label, Page, Record


class NoExtractor:
    """Take no records out of any page."""

    def extract(self, page: Page) -> tuple[Record, ...]:  # noqa: ARG002
        return ()

    def learn(self, label: Label, page: Page) -> None:
        """Ignore labels."""
