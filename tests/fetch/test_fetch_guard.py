"""The guard: every spelling of a private address is refused, public ones are not."""

import asyncio
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.fetch import AddressGuard, CurlFetcher

REFUSED = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.254
168.63.129.16 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1
198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
:: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::10.1.2.3 64:ff9b:1::1
100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::1
2002:c0a8:101::1 2002:a9fe:a9fe::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 4000::1
""".split()  # noqa: SIM905 - a table to be read

PERMITTED = """
1.1.1.1 8.8.8.8 11.0.0.1 93.184.215.14 100.63.255.255 100.128.0.1 128.0.0.1 168.63.129.17 172.15.255.255 172.32.0.1
192.0.1.1 198.17.255.255 198.20.0.1 223.255.255.255 2606:4700::1111 2a00:1450:4001::1 2001:4860:4860::8888
::ffff:8.8.8.8 64:ff9b::8.8.8.8 2002:808:808::1
""".split()  # noqa: SIM905 - a table to be read


@pytest.mark.parametrize("address", REFUSED)
def test_refuses_what_is_not_the_public_web(address):
    assert not AddressGuard().permits(address)


@pytest.mark.parametrize("address", PERMITTED)
def test_permits_the_public_web(address):
    assert AddressGuard().permits(address)


@pytest.mark.parametrize(
    "text", ["", "localhost", "127.1", "0x7f000001", "2130706433", "[::1]", "1.2.3.4:80"]
)
def test_refuses_what_is_no_address(text):
    assert not AddressGuard().permits(text)


def test_allow_opens_that_network_only_and_for_the_address_itself():
    guard = AddressGuard(allow=[ip_network("127.0.0.0/8")])
    assert guard.permits("127.0.0.1")
    assert guard.permits("::ffff:127.0.0.1")
    for other in ("10.0.0.1", "::1", "64:ff9b::7f00:1", "2002:7f00:1::1"):
        assert not guard.permits(other)
    assert AddressGuard(allow=[ip_network("::1/128")]).permits("::1")


@given(st.integers(0, 2**32 - 1))
def test_no_ipv4_address_that_python_calls_private_passes(number):
    address = IPv4Address(number)
    if address.is_private or address.is_multicast or address.is_reserved or address.is_unspecified:
        assert not AddressGuard().permits(str(address))


@given(st.integers(0, 2**32 - 1), st.sampled_from(["::ffff:0:0", "64:ff9b::"]))
def test_an_ipv4_address_inside_ipv6_is_judged_like_itself(number, prefix):
    inside = IPv6Address(int(ip_address(prefix)) + number)
    assert AddressGuard().permits(str(inside)) == AddressGuard().permits(str(IPv4Address(number)))


@given(st.integers(0, 2**128 - 1))
def test_no_ipv6_address_that_python_calls_private_passes(number):
    address = IPv6Address(number)
    if address.ipv4_mapped is None and not address.is_global:
        assert not AddressGuard().permits(str(address)) or address in ip_network("64:ff9b::/96")


def test_hosts_for_a_proxy():
    guard = AddressGuard()
    for host in (
        "127.0.0.1",
        "[::1]",
        "[::ffff:10.0.0.1]",
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "10.0.0.1",
    ):
        assert not guard.permits_host(host), host
    for host in ("example.org", "8.8.8.8", "[2606:4700::1111]", "localhost.example.org"):
        assert guard.permits_host(host), host
    assert AddressGuard(allow=[ip_network("127.0.0.0/8")]).permits_host("localhost")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "0.0.0.0", "2130706433", "0x7f.1", "127.1", "017700000001", "localhost"]
)
def test_no_socket_is_opened_to_loopback_in_any_spelling(lab, host):
    server = lab.serve(lab.say(b"HTTP/1.1 200 OK\r\n\r\nsecret"))
    (visit,) = lab.get(f"http://{host}:{server.port}/", allow=[])
    assert visit.error.startswith("refused address ")
    assert (visit.status, visit.body, visit.address, server.connections) == (0, b"", "", 0)


@pytest.mark.parametrize("host", ["[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::]"])
def test_no_socket_is_opened_to_loopback_in_ipv6(lab, host):
    server = lab.serve(lab.say(b"HTTP/1.1 200 OK\r\n\r\nsecret"), host="::1")
    (visit,) = lab.get(f"http://{host}:{server.port}/", allow=[])
    assert visit.error.startswith("refused address ")
    assert server.connections == 0


def test_a_name_is_judged_by_the_address_it_leads_to(lab):
    server = lab.serve(lab.say(b"HTTP/1.1 200 OK\r\n\r\nsecret"))
    names = [f"public.example:{server.port}:127.0.0.1"]
    (visit,) = lab.get(f"http://public.example:{server.port}/", allow=[], resolve=names)
    assert (visit.error, server.connections) == ("refused address 127.0.0.1", 0)
    (visit,) = lab.get(f"http://public.example:{server.port}/", resolve=names)
    assert (visit.status, visit.body, visit.address) == (200, b"secret", server.place)


def test_ipv6_that_is_allowed(lab):
    server = lab.serve(lab.say(b"HTTP/1.1 200 OK\r\n\r\nsix"), host="::1")
    (visit,) = lab.get(server.url("/"))
    assert (visit.status, visit.body, visit.address) == (200, b"six", f"[::1]:{server.port}")


def test_sockets_are_not_leaked_by_refusals(lab):
    def count():
        return len(list(Path("/proc/self/fd").iterdir()))

    async def many():
        fetcher = CurlFetcher()
        await fetcher.fetch(lab.link("http://127.0.0.1:9/"))
        before = count()
        for _ in range(20):
            await fetcher.fetch(lab.link("http://127.0.0.1:9/"))
        after = count()
        await fetcher.aclose()
        return before, after

    before, after = asyncio.run(many())
    assert after <= before
