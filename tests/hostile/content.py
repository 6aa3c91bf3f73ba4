"""What honest pages are made of: prose that differs from page to page, links, and codings."""

import gzip
import html
import random
import zlib

WORDS = [
    "river",
    "garden",
    "stone",
    "bridge",
    "market",
    "winter",
    "letter",
    "window",
    "harbour",
    "forest",
    "engine",
    "teacher",
    "copper",
    "morning",
    "island",
    "village",
    "painter",
    "meadow",
    "railway",
    "lantern",
    "kitchen",
    "mountain",
    "orchard",
    "library",
    "carpenter",
    "shadow",
    "fountain",
    "soldier",
    "canal",
    "theatre",
    "pepper",
    "violin",
    "chimney",
    "voyage",
    "blossom",
    "cottage",
    "feather",
    "journal",
    "kettle",
    "lemon",
    "mirror",
    "needle",
    "oyster",
    "palace",
    "quarry",
    "ribbon",
    "saddle",
    "temple",
    "umbrella",
    "valley",
    "walnut",
    "yellow",
    "zebra",
    "anchor",
    "barley",
    "candle",
    "dragon",
    "elbow",
    "falcon",
    "glacier",
    "hammer",
    "iron",
    "jacket",
    "kingdom",
    "ladder",
    "magnet",
    "nectar",
    "olive",
    "pigeon",
    "quilt",
    "rabbit",
    "silver",
    "tailor",
    "unicorn",
    "velvet",
    "whistle",
    "yarrow",
    "almond",
    "basket",
    "cedar",
    "desert",
    "ember",
    "flute",
    "ginger",
    "hazel",
    "ivory",
    "jasmine",
]


def prose(seed: object, words: int = 120) -> str:
    """Return sentences that are the same for the same seed and unlike those of any other."""
    dice = random.Random(str(seed))
    made = []
    while words > 0:
        length = min(words, dice.randint(7, 14))
        made.append(" ".join(dice.choice(WORDS) for _ in range(length)).capitalize() + ".")
        words -= length
    return " ".join(made)


def anchors(*targets: str) -> str:
    """Return links to the targets, one a list item, with unlike anchor texts."""
    return "".join(f'<li><a href="{html.escape(t)}">{prose(t, 3)}</a></li>' for t in targets)


def page(
    title: str,
    *links: str,
    head: str = "",
    body: str = "",
    words: int = 120,
    doctype: str = "<!doctype html>",
) -> bytes:
    """Return a whole HTML page with a title, prose of its own and links."""
    return (
        f'{doctype}<html lang="en"><head><title>{html.escape(title)}</title>{head}</head><body>'
        f"<h1>{html.escape(title)}</h1><p>{prose(title, words)}</p>{body}<ul>{anchors(*links)}</ul></body></html>"
    ).encode()


def gzipped(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def zeros_gzipped(mebibytes: int, filler: bytes = b"\0") -> bytes:
    """Return a gzip member that unpacks to so many MiB of one byte."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = filler * 2**20
    return b"".join([*(packer.compress(block) for _ in range(mebibytes)), packer.flush()])


def urlset(*urls: str) -> bytes:
    """Return a sitemap."""
    rows = "".join(f"<url><loc>{html.escape(u)}</loc></url>" for u in urls)
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'.encode()


def rss(*urls: str) -> bytes:
    """Return an RSS feed."""
    rows = "".join(f"<item><title>{prose(u, 4)}</title><link>{html.escape(u)}</link></item>" for u in urls)
    return (
        f'<?xml version="1.0"?><rss version="2.0"><channel><title>news</title>{rows}</channel></rss>'.encode()
    )
