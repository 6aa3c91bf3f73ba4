"""Which extractor made the stored texts: a crawl may go on for years, and with another version."""

import json
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace

EXTRACTORS = "text extractors"
"""The stored fact."""

_IMPORT = "import"


@dataclass(frozen=True, slots=True)
class ExtractorHistory:
    """Names and versions of extractors, each with the time (Unix seconds) from which on it was used.

    `imports` are those that took in archives, with the time of the last one: their pages may be older.

    >>> history = ExtractorHistory().with_run("clew-text/1", 100.0).with_run("clew-text/2", 200.0)
    >>> history.at(150.0), history.at(200.0), ExtractorHistory.of({EXTRACTORS: history.packed()}) == history
    ('clew-text/1', 'clew-text/2', True)
    >>> history.with_run("clew-text/2", 300.0) == history, history.at(50.0)
    (True, '')
    >>> history = history.with_import("clew-text/2", 250.0)
    >>> history.at(50.0), history.at(150.0), history.at(200.0)
    ('clew-text/2', '', 'clew-text/2')
    """

    since: tuple[tuple[float, str], ...] = ()
    imports: tuple[tuple[float, str], ...] = ()

    @classmethod
    def of(cls, facts: Mapping[str, str]) -> "ExtractorHistory":
        """Read what is stored; crawls of older versions have nothing."""
        entries = json.loads(facts.get(EXTRACTORS) or "[]")
        runs, imports = (
            tuple((float(at), str(name)) for at, name, *kind in entries if kind == wanted)
            for wanted in ([], [_IMPORT])
        )
        return cls(runs, imports)

    def packed(self) -> str:
        """Return it as the text of a fact."""
        return json.dumps([*self.since, *((*each, _IMPORT) for each in self.imports)])

    def with_run(self, name: str, at: float) -> "ExtractorHistory":
        """Return it with a run that begins now."""
        same = bool(self.since) and self.since[-1][1] == name
        return self if same else replace(self, since=(*self.since, (at, name)))

    def with_import(self, name: str, at: float) -> "ExtractorHistory":
        """Return it with an import that begins now."""
        others = (each for each in self.imports if each[1] != name)
        return replace(self, imports=(*others, (at, name)))

    def at(self, fetched: float) -> str:
        """Return what made the text of a page that was fetched then; empty if it is not known.

        That is so where it may be that of an import or of a run, and these used different extractors.
        """
        place = bisect_right([at for at, _ in self.since], fetched)
        names = {name for _, name in self.since[:place][-1:]}
        names |= {name for at, name in self.imports if at > fetched}
        return names.pop() if len(names) == 1 else ""
