"""Keep the crawler out of private networks: check the address a socket is about to connect to.

A link, a redirect or a name server may send us to `127.0.0.1`, to a router or to a cloud's metadata
service. Names prove nothing, so the guard checks the address itself where the socket is opened.

The tables are written out, because `ipaddress.is_global` is not strict enough: in Python 3.11
multicast is "global", and so is an IPv6 address that carries a private IPv4 address inside.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias

Network: TypeAlias = IPv4Network | IPv6Network

CLOSED_V4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # behind a carrier's NAT; some clouds have their metadata service here
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # Azure's host agent: a public address, reachable inside only
        "169.254.0.0/16",  # link-local, and the metadata service of most clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays, retired
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
"""IPv4 ranges that are not the public web (IANA special-purpose registry)."""

OPEN_V6 = IPv6Network("2000::/3")
"""The only part of IPv6 that is handed out for the public internet."""

CLOSED_V6 = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID
        "2001:db8::/32",  # documentation
        "3fff::/20",  # documentation
    )
)
"""Ranges inside `OPEN_V6` that are not the public web."""

NAT64 = IPv6Network("64:ff9b::/96")
SIX_TO_FOUR = IPv6Network("2002::/16")


class AddressGuard:
    """Decide whether a socket may be opened to an address.

    Everything that is not globally routable is refused unless it lies in one of the `allow` networks.

    >>> AddressGuard().permits("93.184.215.14"), AddressGuard().permits("::ffff:127.0.0.1")
    (True, False)
    >>> AddressGuard(allow=[IPv4Network("127.0.0.0/8")]).permits("::ffff:127.0.0.1")
    True
    """

    def __init__(self, *, allow: Sequence[Network] = ()) -> None:
        self.allow = allow

    def permits(self, address: str) -> bool:
        """Return whether `address` (without port; a zone such as `%eth0` is ignored) may be reached."""
        try:
            number = ip_address(address.partition("%")[0])
        except ValueError:
            return False
        if isinstance(number, IPv6Address) and number.ipv4_mapped is not None:
            number = number.ipv4_mapped  # the kernel connects to the IPv4 address
        if any(number in network for network in self.allow):
            return True
        return _public_v4(number) if isinstance(number, IPv4Address) else _public_v6(number)

    def permits_host(self, host: str) -> bool:
        """Return whether the host of a URL may be requested through a proxy.

        An IP address is checked like any other. A name cannot be, because the proxy resolves it; only
        `localhost`, which means loopback everywhere, is checked as that.
        """
        name = host.strip("[]").rstrip(".").lower()
        if name == "localhost" or name.endswith(".localhost"):
            return self.permits("127.0.0.1")
        try:
            ip_address(name.partition("%")[0])
        except ValueError:
            return True
        return self.permits(name)


def _public_v4(number: IPv4Address) -> bool:
    return not any(number in network for network in CLOSED_V4)


def _public_v6(number: IPv6Address) -> bool:
    if number in NAT64:  # a gateway connects to the IPv4 address in the last four bytes
        return _public_v4(IPv4Address(number.packed[12:]))
    if number in SIX_TO_FOUR:
        return _public_v4(IPv4Address(number.packed[2:6]))
    return number in OPEN_V6 and not any(number in network for network in CLOSED_V6)
