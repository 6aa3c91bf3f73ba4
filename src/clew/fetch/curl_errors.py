"""Map libcurl's error codes to short phrases for `Response.error`.

Two tables, because the same code means different things before and after the header block arrived:
a reset connection is "no response" first and "half a response" later.
"""

import errno
import re

import pycurl

BAD_ADDRESS = "bad address"
BAD_CHUNK = "bad chunk"
BAD_HEADER = "bad header"
CLOSED = "connection closed"
HEADERS_TOO_LARGE = "headers too large"
INCOMPLETE_BODY = "incomplete body"
INCOMPLETE_HEADERS = "incomplete headers"
NOT_HTTP = "not http"
NO_PROGRESS = "no progress"
NO_PROXY = "proxy out of reach"
RESET = "connection reset"
STOPPED = "stopped"
SWITCHED = "switched protocols"
TIMEOUT = "timeout"
TOO_MANY_FILES = "too many open files"
TOO_MANY_INTERIM = "too many interim answers"
TOO_MANY_PIECES = "too many tiny pieces"

WEIRD_REPLY = 8  # CURLE_WEIRD_SERVER_REPLY; pycurl names it after FTP
TOO_LARGE = 100  # CURLE_TOO_LARGE: one header line of more than 100 KiB

BEFORE = {
    pycurl.E_BAD_CONTENT_ENCODING: BAD_HEADER,  # a transfer coding we did not request
    pycurl.E_COULDNT_CONNECT: "connection failed",
    pycurl.E_COULDNT_RESOLVE_HOST: "dns: name not found",
    pycurl.E_COULDNT_RESOLVE_PROXY: "proxy: name not found",
    pycurl.E_GOT_NOTHING: CLOSED,
    pycurl.E_LOGIN_DENIED: BAD_ADDRESS,  # a user name in the URL
    pycurl.E_OPERATION_TIMEDOUT: TIMEOUT,
    pycurl.E_PARTIAL_FILE: INCOMPLETE_HEADERS,
    pycurl.E_PEER_FAILED_VERIFICATION: "tls: certificate not trusted",
    pycurl.E_RECV_ERROR: CLOSED,
    pycurl.E_SEND_ERROR: CLOSED,
    pycurl.E_SSL_CONNECT_ERROR: "tls: handshake failed",
    pycurl.E_UNSUPPORTED_PROTOCOL: "only http and https",
    pycurl.E_URL_MALFORMAT: BAD_ADDRESS,
    TOO_LARGE: HEADERS_TOO_LARGE,
    WEIRD_REPLY: NOT_HTTP,
}
"""What a code means before the header block is complete."""

AFTER = {
    pycurl.E_OPERATION_TIMEDOUT: TIMEOUT,
    pycurl.E_PARTIAL_FILE: INCOMPLETE_BODY,
    pycurl.E_RECV_ERROR: INCOMPLETE_BODY,
    pycurl.E_SEND_ERROR: INCOMPLETE_BODY,
    TOO_LARGE: HEADERS_TOO_LARGE,  # a trailer
    WEIRD_REPLY: BAD_CHUNK,
}
"""What a code means after the header block is complete: the body is cut."""

CERTIFICATES = {
    9: "not yet valid",
    10: "expired",
    18: "self-signed",
    19: "self-signed",
    20: "issuer unknown",
    21: "issuer unknown",
    23: "revoked",
    62: "for another host",
    64: "for another address",
}
"""OpenSSL's X509_V_ERR numbers, as CURLINFO_SSL_VERIFYRESULT gives them."""

SYSTEM = {
    errno.ECONNREFUSED: "connection refused",
    errno.ECONNRESET: RESET,
    errno.EHOSTUNREACH: "host unreachable",
    errno.ENETUNREACH: "network unreachable",
    errno.ETIMEDOUT: TIMEOUT,
}
"""Reasons of the operating system, as CURLINFO_OS_ERRNO gives them."""

_UNPRINTABLE = re.compile(r"[^ -~]+")


def phrase(curl: pycurl.Curl, code: int, message: str, *, sent: bool, begun: bool, whole: bool) -> str:
    """Return the error phrase of a finished transfer.

    `sent` says that the request was sent, `begun` that a header line arrived, `whole` that all did.
    """
    if whole:
        chunk = code == pycurl.E_RECV_ERROR and "chunk" in message.lower()
        return BAD_CHUNK if chunk else AFTER.get(code) or _tidy(message)
    known = BEFORE.get(code) or _tidy(message)
    if code == pycurl.E_PEER_FAILED_VERIFICATION:
        return _certificate(curl.getinfo(pycurl.SSL_VERIFYRESULT), message)
    if code in (pycurl.E_COULDNT_CONNECT, pycurl.E_RECV_ERROR, pycurl.E_SEND_ERROR, pycurl.E_GOT_NOTHING):
        status = 0 if sent else curl.getinfo(pycurl.HTTP_CONNECTCODE)
        if status:
            return f"proxy: answered {status}"
        return INCOMPLETE_HEADERS if begun else SYSTEM.get(curl.getinfo(pycurl.OS_ERRNO), known)
    if sent and code in (pycurl.E_UNSUPPORTED_PROTOCOL, WEIRD_REPLY):
        return BAD_HEADER if begun else NOT_HTTP
    return known


def _certificate(result: int, message: str) -> str:
    if "subject name" in message or "does not match" in message:
        return "tls: certificate for another host"
    return f"tls: certificate {CERTIFICATES.get(result, 'not trusted')}"


def _tidy(message: str) -> str:
    """Return curl's own message as a log phrase: printable, short, never empty."""
    text = _UNPRINTABLE.sub(" ", message).strip()[:120]
    return text[:1].lower() + text[1:] if text else "failed"
