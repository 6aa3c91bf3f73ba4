"""Check the contact of a crawl: a URL or e-mail address where site owners reach its operator."""

import re
from urllib.parse import urlsplit

_PLACEHOLDERS = re.compile(
    r"(^|[.@])(example\.(com|org|net|edu)|[^.]+\.example|[^.]+\.(invalid|test|localhost|local)|localhost"
    r"|(your|my)[-_]?(domain|site|company|mail|email|org)[^.]*\.\w+|domain\.(com|tld)|site\.com|mail\.com|email\.com)$",
    re.IGNORECASE,
)
_MAIL = re.compile(r"[^\s@()<>,;\"\\]+@[^\s@()<>,;\"\\]+\.[^\s@()<>,;\"\\]+")

_BARE = re.compile(r"((?:[\w-]+\.)+[A-Za-z]{2,})(?:/\S*)?$")  # a URL without its scheme


def checked_contact(value: object) -> str:
    """Return a contact fit for the User-Agent header, or raise `ValueError` with what to write instead."""
    text = value.strip() if isinstance(value, str) else ""
    if not text:
        msg = "a contact is required: a URL or e-mail address where site owners reach you"
        raise ValueError(msg)
    if not text.isascii() or not text.isprintable() or any(c in text for c in "()"):
        msg = "it may contain only printable ASCII without parentheses, as a request header"
        raise ValueError(msg)
    address = text.removeprefix("mailto:")
    if "://" not in address and _MAIL.fullmatch(address):
        host = address.rpartition("@")[2]
    else:
        parts = urlsplit(text)
        host = parts.hostname or ""
        if parts.scheme not in ("http", "https") or not host:
            bare = _BARE.match(text)
            hint = f"; did you mean https://{text} ?" if bare and not _PLACEHOLDERS.search(bare[1]) else ""
            msg = f"give a URL (https://…) or an e-mail address (name@host){hint}"
            raise ValueError(msg)
        if parts.username is not None:
            msg = "every site would see the user name or password before its host; leave it out"
            raise ValueError(msg)
    if _PLACEHOLDERS.search(host) or ("." not in host and ":" not in host):
        msg = f"{host} is a placeholder; give a real URL or e-mail address where site owners reach you"
        raise ValueError(msg)
    return text


def user_agent(agent: str, version: str, contact: str) -> str:
    """Return the header that names tool and owner: `clew/1.0 (+https://…)`."""
    return f"{agent}/{version} (+{contact})"
