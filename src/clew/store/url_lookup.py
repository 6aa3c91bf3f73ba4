"""Find the URL that a user means by a part of it: schemes, slashes and more may be missing."""

from difflib import get_close_matches
from pathlib import Path

from clew import urls
from clew.store.reading import read_sql

_LIKE = """SELECT url FROM links WHERE kind = 0 AND url LIKE ? ESCAPE '\\'
ORDER BY state = 1 DESC, id LIMIT 200"""


def url_variants(text: str, canon: urls.Canon) -> list[str]:
    """Return the URL in canonical form, then with the other scheme, with and without a final slash."""
    found: list[str] = []
    for scheme in [""] if "://" in text else ["https://", "http://"]:
        if url := canon(f"{scheme}{text}"):
            other = f"http{url[5:]}" if url.startswith("https:") else f"https{url[4:]}"
            for form in (url, other):
                found += [form, form.rstrip("/") if form.endswith("/") else f"{form}/"]
    return list(dict.fromkeys(found))


def find_urls(folder: Path, text: str) -> list[str]:
    """Return URLs of a crawl that contain a text, fetched ones first."""
    quoted = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return [url for (url,) in read_sql(folder, _LIKE, f"%{quoted}%")]


def find_similar_urls(folder: Path, address: str) -> list[str]:
    """Return known URLs of the same host that differ little from an unknown one."""
    host = urls.host(address) if "://" in address else ""
    return get_close_matches(address, find_urls(folder, f"://{host}"), n=5, cutoff=0.9) if host else []
