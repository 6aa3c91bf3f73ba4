"""Files for programs that are tables but no statistics: settings, codes, symbols, checksums."""

import random
from collections.abc import Callable

from bench.data_makers import ADJECTIVES, FAMILY, NOUNS, TOWNS, Rows, digits, hexes, phrase


def settings(rng: random.Random) -> Rows:
    """Keys and values of a program."""
    return [
        rng.choice(
            [
                ["key", "value"],
                ["parameter", "default", "description"],
                ["name", "type", "unit", "default", "description", "status"],
            ]
        ),
        *(
            [
                f"{rng.choice(NOUNS)}_{rng.choice(ADJECTIVES)}",
                rng.choice(["true", "false", str(rng.randint(0, 100)), rng.choice(NOUNS)]),
                phrase(rng, 2, 9),
            ]
            for _ in range(rng.randint(10, 120))
        ),
    ]


def translations(rng: random.Random) -> Rows:
    """Words of a program in several languages."""
    return [
        ["key", "en", "de", "fr"][: rng.randint(3, 4)],
        *(
            [f"{rng.choice(NOUNS)}.{rng.choice(NOUNS)}.label", *(phrase(rng, 1, 8) for _ in range(3))]
            for _ in range(rng.randint(20, 200))
        ),
    ]


def words(rng: random.Random) -> Rows:
    """Words with their meaning, part of speech, or a number."""
    head = rng.choice(
        [
            ["word", "pos", "definition"],
            ["term", "translation"],
            ["lemma", "tag", "count"],
            ["kanji", "reading", "meaning"],
        ]
    )
    return [
        head,
        *(
            [
                rng.choice(NOUNS + ADJECTIVES) + rng.choice("abcdefgh"),
                rng.choice(["noun", "verb", "adj"]),
                str(rng.randint(1, 900)) if head[-1] == "count" else phrase(rng, 1, 10),
            ][: len(head)]
            for _ in range(rng.randint(30, 250))
        ),
    ]


def lookup(rng: random.Random) -> Rows:
    """Codes and what they stand for."""
    head = rng.choice(
        [
            ["code", "name"],
            ["alpha2", "alpha3", "numeric", "name"],
            ["id", "parent_id", "label", "description"],
            ["EPSG", "name", "area_code", "deprecated"],
        ]
    )
    rows = [head]
    for at in range(rng.randint(15, 220)):
        cells = [
            f"{rng.choice('ABCDEFG')}{digits(rng, rng.randint(1, 3))}",
            rng.choice(["", f"{rng.choice('ABC')}{digits(rng, 2)}"]),
            str(at),
            phrase(rng, 1, 7),
        ]
        rows.append(
            [*cells[: len(head) - 1], cells[-1]]
            if len(head) < 4
            else rng.sample(cells, 4)
            if rng.random() < 0.3
            else cells
        )
    return rows


def manifest(rng: random.Random) -> Rows:
    """Files with their checksums and sizes."""
    rows = [
        [
            f"{rng.choice(NOUNS)}/{rng.choice(NOUNS)}{digits(rng, 2)}.{rng.choice(['py', 'js', 'png', 'txt'])}",
            f"sha256={hexes(rng, 32)}",
            str(rng.randint(10, 90000)),
        ]
        for _ in range(rng.randint(15, 220))
    ]
    return rows if rng.random() < 0.6 else [["path", "hash", "size"], *rows]


def vectors(rng: random.Random) -> Rows:
    """Numbers for a program: weights, test vectors, pixels."""
    if rng.random() < 0.5:
        return [
            ["dtype", "input", "output", "ulperror"],
            *(
                ["np.float32", f"0x{hexes(rng, 8)}", f"0x{hexes(rng, 8)}", str(rng.randint(1, 4))]
                for _ in range(rng.randint(30, 250))
            ),
        ]
    width = rng.randint(16, 40)
    pixels = rng.random() < 0.5
    return [
        [str(rng.randint(0, 255)) if pixels else f"{rng.gauss(0, 1):.8f}" for _ in range(width)]
        for _ in range(rng.randint(20, 120))
    ]


def colours(rng: random.Random) -> Rows:
    """Colours and symbols with their codes."""
    return [
        ["name", "hex", "r", "g", "b"],
        *(
            [
                f"{rng.choice(ADJECTIVES)}{rng.choice(NOUNS)}",
                f"#{hexes(rng, 6)}",
                *(str(rng.randint(0, 255)) for _ in range(3)),
            ]
            for _ in range(rng.randint(20, 160))
        ),
    ]


def moved(rng: random.Random) -> Rows:
    """Addresses of pages: old and new, or a list to fetch."""
    return [
        ["from", "to", "code"],
        *(
            [
                f"/{rng.choice(NOUNS)}/{digits(rng, 4)}",
                f"https://www.{rng.choice(TOWNS).lower()}.org/{rng.choice(NOUNS)}",
                "301",
            ]
            for _ in range(rng.randint(15, 200))
        ),
    ]


def symbols(rng: random.Random) -> Rows:
    """Symbols with codes and names."""
    return [
        ["codepoint", "name", "category", "block"],
        *(
            [
                f"U+{hexes(rng, 4).upper()}",
                phrase(rng, 2, 5).upper(),
                rng.choice(["Lu", "Ll", "So", "Nd"]),
                rng.choice(["Latin", "Greek", "Arrows"]),
            ]
            for _ in range(rng.randint(30, 250))
        ),
    ]


def codebook(rng: random.Random) -> Rows:
    """Names of variables with what they mean: about data, but no data."""
    head = rng.choice(
        [
            ["variable", "description"],
            ["Code", "Label", "Values"],
            ["column", "type", "meaning"],
            ["field", "label"],
        ]
    )
    subjects = [
        "Median household income",
        "Population 25 to 64 years",
        "Total number of births",
        "Mean temperature (°C)",
        "Share of women (%)",
        "Rate per 1,000",
        "Age of the respondent",
    ]
    rows = [head]
    for _ in range(rng.randint(8, 120)):
        cells = [
            rng.choice(
                [f"B{digits(rng, 5)}", f"v{digits(rng, 2)}", f"{rng.choice(NOUNS)}_{rng.choice(NOUNS)}"]
            ),
            f"{rng.choice(subjects)}{rng.choice(['', ': standard error', ', ' + phrase(rng, 1, 5)])}",
            rng.choice(["numeric", "1=yes 2=no", "factor", "integer"]),
        ]
        rows.append(cells if len(head) > 2 else cells[:2])
    return rows


def compared(rng: random.Random) -> Rows:
    """What products can do, with yes and no."""
    makes = [f"{rng.choice(FAMILY)} {rng.randint(100, 999)}" for _ in range(rng.randint(2, 7))]
    return [
        ["Feature", *makes],
        *(
            [
                phrase(rng, 1, 4),
                *(rng.choice(["yes", "no", "✓", "", f"{rng.randint(1, 64)} GB"]) for _ in makes),
            ]
            for _ in range(rng.randint(8, 60))
        ),
    ]


FAMILIES: dict[str, Callable[[random.Random], Rows]] = {
    made.__name__: made
    for made in (
        settings,
        translations,
        words,
        lookup,
        manifest,
        vectors,
        colours,
        moved,
        symbols,
        codebook,
        compared,
    )
}
