"""TLS is verified, and a proxy is only the one that was named."""

import socket
import threading

import pytest

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


def trust(monkeypatch, certificate):
    monkeypatch.setattr("certifi.where", lambda: str(certificate[0]))


def test_a_self_signed_certificate_is_refused(lab, tls):
    server = lab.serve(lab.say(OK), tls=tls)
    (visit,) = lab.get(server.url("/"))
    assert (visit.status, visit.error, visit.body) == (0, "tls: certificate self-signed", b"")
    assert server.requests == []


def test_a_trusted_certificate_is_taken(lab, tls, certificate, monkeypatch):
    trust(monkeypatch, certificate)
    server = lab.serve(lab.say(OK, then="keep"), tls=tls)
    visits = lab.get(server.url("/1"), server.url("/2"))
    assert [(v.status, v.body, v.error) for v in visits] == [(200, b"hi", "")] * 2
    assert server.connections == 1


def test_a_certificate_for_another_host_is_refused(lab, tls, certificate, monkeypatch):
    trust(monkeypatch, certificate)
    server = lab.serve(lab.say(OK), tls=tls)
    names = [f"other.example:{server.port}:127.0.0.1"]
    (visit,) = lab.get(f"https://other.example:{server.port}/", resolve=names)
    assert (visit.status, visit.error) == (0, "tls: certificate for another host")


def test_plain_http_on_a_tls_port_is_a_phrase(lab, tls):
    plain = lab.serve(lab.say(OK))
    (visit,) = lab.get(f"https://{plain.place}/", timeout=1)
    assert visit.status == 0
    assert visit.error in (
        "tls: handshake failed",
        "timeout",
    )  # the server waits for a request that never comes
    secure = lab.serve(lab.say(OK), tls=tls)
    (visit,) = lab.get(f"http://{secure.place}/", timeout=1)
    assert visit.status == 0
    assert visit.error in ("not http", "connection closed", "connection reset")


def test_tls_that_ends_without_goodbye_gives_the_page(lab, tls, certificate, monkeypatch):
    trust(monkeypatch, certificate)

    def talk(connection, _number):
        connection.sendall(b"HTTP/1.0 200 OK\r\n\r\nall of it")
        connection.shutdown(socket.SHUT_RDWR)  # the socket under it: no close_notify

    (visit,) = lab.get(lab.serve(talk, tls=tls).url("/"))
    assert (visit.status, visit.body, visit.error, visit.truncated) == (200, b"all of it", "", True)


def test_a_proxy_is_asked_in_absolute_form(lab):
    proxy = lab.serve(lab.say(OK, then="keep"))
    (visit,) = lab.get("http://site.example/a?b", proxy=f"http://{proxy.place}", allow=[])
    assert (visit.status, visit.body, visit.error) == (200, b"hi", "")
    assert proxy.requests[0].startswith(b"GET http://site.example/a?b HTTP/1.1\r\nHost: site.example\r\n")
    assert b"User-Agent: test/1" in proxy.requests[0]
    assert visit.address == proxy.place
    assert visit.request.startswith(b"GET /a?b HTTP/1.1\r\nHost: site.example\r\n")


def relay(server):
    """A proxy that connects every tunnel to `server`."""

    def talk(connection, _number):
        connection.sendall(b"HTTP/1.1 200 Connected\r\nX-Proxy: 1\r\n\r\n")
        with socket.create_connection((server.host, server.port)) as there:
            back = threading.Thread(target=pump, args=(there, connection))
            back.start()
            pump(connection, there)
            back.join()

    return talk


def pump(source, target):
    try:
        while data := source.recv(65_536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def test_https_goes_through_a_tunnel(lab, tls, certificate, monkeypatch):
    trust(monkeypatch, certificate)
    site = lab.serve(lab.say(OK), tls=tls)
    proxy = lab.serve(relay(site))
    (visit,) = lab.get(site.url("/secret"), proxy=f"http://{proxy.place}")
    assert (visit.status, visit.body, visit.error) == (200, b"hi", "")
    assert b"X-Proxy" not in visit.head
    assert proxy.requests[0].startswith(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\n" % site.port)
    assert b"secret" not in proxy.requests[0]
    assert b"test/1" not in proxy.requests[0]


def test_a_tunnel_refused_is_a_phrase(lab):
    proxy = lab.serve(lab.say(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"))
    (visit,) = lab.get("https://site.example/", proxy=f"http://{proxy.place}", allow=[])
    assert (visit.status, visit.error) == (0, "proxy: answered 403")


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    "host", ["10.0.0.1", "127.0.0.1", "169.254.169.254", "[::1]", "[::ffff:a00:1]", "2130706433", "localhost"]
)
def test_a_proxy_is_never_asked_for_a_private_address(lab, scheme, host):
    proxy = lab.serve(lab.say(OK))
    (visit,) = lab.get(f"{scheme}://{host}/", proxy=f"http://{proxy.place}", allow=[])
    assert visit.error.startswith("refused address ")
    assert proxy.connections == 0


def test_a_proxy_that_is_not_there(lab):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    (visit,) = lab.get("http://site.example/", proxy=f"http://127.0.0.1:{port}")
    assert (visit.status, visit.error) == (0, "proxy out of reach: connection refused")


def test_proxies_of_the_environment_are_ignored(lab, monkeypatch):
    proxy = lab.serve(lab.say(OK))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://{proxy.place}")
    site = lab.serve(lab.say(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsite"))
    (visit,) = lab.get(site.url("/"))
    assert (visit.body, proxy.connections) == (b"site", 0)


def test_the_named_proxy_is_used_whatever_the_environment_excepts(lab, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    proxy = lab.serve(lab.say(OK))
    (visit,) = lab.get("http://site.example/", proxy=f"http://{proxy.place}")
    assert (visit.body, proxy.connections) == (b"hi", 1)
