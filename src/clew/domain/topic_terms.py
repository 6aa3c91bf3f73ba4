"""Topic terms: words with weights that point to the topic, in a file that the user may edit.

    # learned from 87 pages
    investiture	0.6092	en          a word, its value (0 to 1), its language
    bishop	0.4828	en
    # as learned 9c1f…              shows whether the lines above were edited since

A line that is taken out, or begins with `#`, is a word that no longer counts.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import xxhash

from clew.domain.atomic_file import write_atomically
from clew.domain.text import folded, nouns
from clew.errors import ConfigError

TERMS_FILE = "priority.tsv"
"""Its name in the folder `models/` of a crawl."""

_PAGES = re.compile(r"# learned from ([\d,]+) pages?")
_LEARNED = "# as learned "
_COMMON = "# say nothing here: "


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicTerms:
    """Words with their values, best first: the share of the topic's pages that contain them.

    `langs` are their languages, `pages` the number of pages learned from, `common` the words that pages
    around the topic contain in any case; `edited` whether the user has changed the file since.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    langs: Mapping[str, str] = field(default_factory=dict)
    pages: int = 0
    common: tuple[str, ...] = ()
    edited: bool = False

    def __len__(self) -> int:
        return len(self.values)

    def format_best(self, most: int = 5) -> str:
        """Format the first few with their values.

        >>> TopicTerms(values={"bishop": 0.5, "investiture": 0.625}).format_best()
        'bishop 0.50, investiture 0.62'
        """
        return ", ".join(f"{word} {value:.2f}" for word, value in list(self.values.items())[:most])

    def summary(self, most: int = 5) -> str:
        """Summarize what was learned in one line."""
        more = " …" if len(self) > most else ""
        return f"learned {self.size_text}: {self.format_best(most)}{more}"

    @property
    def size_text(self) -> str:
        """How many words there are, and where they come from, in words."""
        source = "as you edited them" if self.edited else f"from {_many(self.pages, 'page')}"
        return f"{_many(len(self), 'word')} {source}"


def write_topic_terms(path: Path, found: TopicTerms) -> None:
    """Write the words to a temporary file and move it into place."""
    rows = [f"{word}\t{value:.4f}\t{found.langs.get(word, '')}" for word, value in found.values.items()]
    lines = [
        "# Words that point the way: a link is worth the highest value among the words of its text.",
        "# A word, a tab, its value (0 to 1), a tab, its language. Edit freely, also while the crawl runs.",
        f"# learned from {_many(found.pages, 'page')}",
        *([f"{_COMMON}{' '.join(found.common)}"] if found.common else []),
        *rows,
        f"{_LEARNED}{_checksum(rows)}",
    ]
    write_atomically(path, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))


def read_topic_terms(path: Path) -> TopicTerms | None:
    """Read the words as they are now; None if there is no file. An invalid line is a `ConfigError`."""
    try:
        text = path.read_text("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError:
        msg = f"{path} is not UTF-8; save it as UTF-8 in your editor, or delete it to learn again"
        raise ConfigError(msg) from None
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; give yourself access to it"
        raise ConfigError(msg) from None
    lines = text.splitlines()
    rows = [line for line in lines if line.strip() and not line.startswith("#")]
    sums = [line.removeprefix(_LEARNED).strip() for line in lines if line.startswith(_LEARNED)]
    langs = Counter(cells[2].strip() for row in rows if len(cells := row.split("\t")) > 2)  # noqa: PLR2004
    usual = langs.most_common(1)[0][0] if langs else ""
    found: dict[str, tuple[float, str]] = {}
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            word, value, lang = _entry(path, number, line, usual)
            found[word] = max(found.get(word, (0.0, "")), (value, lang))
    pages = _PAGES.search(text)
    ordered = sorted(found, key=lambda word: -found[word][0])
    return TopicTerms(
        values={word: found[word][0] for word in ordered if found[word][0] > 0},
        langs={word: found[word][1] for word in ordered},
        pages=int(pages[1].replace(",", "")) if pages else 0,
        common=tuple(
            word for line in lines if line.startswith(_COMMON) for word in line[len(_COMMON) :].split()
        ),
        edited=not sums or sums[-1] != _checksum(rows),
    )


def _entry(path: Path, number: int, line: str, usual: str) -> tuple[str, float, str]:
    """Return word, value and language of a line; a word alone counts 1, in the usual language of the file."""
    word, value_text, lang, *_ = [*(cell.strip() for cell in line.split("\t")), "", ""]
    lang = lang or usual
    try:
        value = float(value_text.replace(",", ".")) if value_text else 1.0
    except ValueError:
        value = -1.0
    if not word or not 0 <= value <= 1:
        msg = f"{path}, line {number}: write a word, a tab and a value from 0 to 1, for example: bishop\t0.5"
        raise ConfigError(msg)
    plain = nouns(word, lang)
    return (plain[0] if len(plain) == 1 else folded(word)), value, lang


def _checksum(rows: list[str]) -> str:
    return xxhash.xxh3_64_hexdigest("\n".join(rows).encode("utf-8", "replace"))


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
