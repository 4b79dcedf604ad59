"""The set-up phase's way out: what is allowed, what is refused, and that bytes arrive."""

import hashlib
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import BoxSpec, Sandbox, SandboxEngine
from repo_tools.sandbox.egress_dial import dial_outside
from repo_tools.sandbox.egress_policy import AllowList, BadRequestError, is_entry, is_reachable, parse_request
from tests.support.boxes import LIMITS, MIB, python, sh
from tests.support.engine import unavailable

BIG = bytes(range(256)) * (40 * MIB // 256)


@pytest.mark.parametrize(
    ("entry", "host", "port", "allowed"),
    [
        ("pypi.org", "pypi.org", 443, True),
        ("pypi.org", "PyPI.org.", 80, True),
        ("pypi.org", "pypi.org", 22, False),
        ("pypi.org", "evil-pypi.org", 443, False),
        ("pypi.org", "pypi.org.evil.net", 443, False),
        ("pypi.org", "a.pypi.org", 443, False),
        ("*.example.org", "a.example.org", 443, True),
        ("*.example.org", "a.b.example.org", 443, True),
        ("*.example.org", "example.org", 443, False),
        ("*.example.org", "badexample.org", 443, False),
        ("*.0.0.1", "127.0.0.1", 443, False),
        ("mirror.example:8081", "mirror.example", 8081, True),
        ("mirror.example:8081", "mirror.example", 443, False),
        ("10.1.2.3", "10.1.2.3", 80, True),
        ("[fd12::1]:8080", "fd12::1", 8080, True),
        ("fd12::1", "fd12::1", 80, True),
        ("*", "pypi.org", 443, False),
        ("", "", 443, False),
    ],
)
def test_a_host_is_allowed_only_as_listed(entry: str, host: str, port: int, allowed: bool) -> None:
    assert AllowList([entry] if entry else []).allows(host, port) is allowed


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("pypi.org", True),
        ("*.example.org", True),
        ("mirror.example:8081", True),
        ("10.1.2.3", True),
        ("[fd12::1]:8080", True),
        ("fd12::1", True),
        ("https://pypi.org", False),
        ("pypi.org/simple", False),
        ("py pi.org", False),
        ("*", False),
        ("*.", False),
        ("a.*.org", False),
        ("pypi.org:0", False),
        ("pypi.org:99999", False),
        ("", False),
    ],
)
def test_what_an_allow_list_would_not_understand_is_no_entry(text: str, understood: bool) -> None:
    assert is_entry(text) is understood


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "127.8.9.1", "0.0.0.0", "0.1.2.3", "169.254.169.254", "169.254.1.1", "224.0.0.1", "255.255.255.255",
     "100.100.100.200", "168.63.129.16", "::1", "::", "fe80::1", "ff02::1", "fd00:ec2::254", "::ffff:127.0.0.1",
     "::ffff:169.254.169.254", "2002:7f00:1::", "::7f00:1", "64:ff9b::a9fe:a9fe", "2001:0:1:2:3:4:80ff:fffe",
     "64:ff9b:1:a9fe:a9:fe00:808:808", "64:ff9b:1:7f00:0:100::", "64:ff9b:1::",
     "64:ff9b:1::7f00:1", "::ffff:0:a9fe:a9fe", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42"],
)  # fmt: skip
def test_this_machine_links_and_metadata_are_never_reachable(address: str) -> None:
    assert not is_reachable(ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "64:ff9b:1:9765:0:df00::",
        "64:ff9b:1::9765:df",
        "151.101.0.223",
        "10.0.0.8",
        "192.168.1.1",
        "172.16.0.1",
        "fd12::1",
        "2a04:4e42::1",
    ],
)
def test_the_internet_and_private_mirrors_are_reachable(address: str) -> None:
    assert is_reachable(ip_address(address))


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "::1"])
def test_a_name_that_leads_to_this_machine_is_refused_whatever_its_list_says(address: str) -> None:
    with pytest.raises(PermissionError):
        dial_outside("listed.example", 80, resolve=lambda _host, port: [(address, port)])


def test_this_machines_own_outward_address_is_refused() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            unavailable("this machine has no address but loopback")
        own = probe.getsockname()[0]
    with pytest.raises(PermissionError):
        dial_outside("listed.example", 80, resolve=lambda _host, port: [(own, port)])


def test_a_tunnel_is_asked_for_by_host_and_port() -> None:
    request = parse_request(b"CONNECT pypi.org:443 HTTP/1.1\r\nHost: pypi.org:443")
    assert (request.host, request.port, request.head) == ("pypi.org", 443, b"")


def test_a_plain_request_goes_on_as_its_url_says() -> None:
    head = b"GET http://Mirror.example:8081/a/b?c=d HTTP/1.1\r\nHost: other\r\nProxy-Connection: x\r\nAccept: */*"
    request = parse_request(head)
    assert (request.host, request.port) == ("mirror.example", 8081)
    assert request.head == (
        b"GET /a/b?c=d HTTP/1.1\r\nHost: Mirror.example:8081\r\nAccept: */*\r\nConnection: close\r\n\r\n"
    )


@pytest.mark.parametrize(
    "head",
    [b"", b"GET / HTTP/1.1", b"CONNECT pypi.org HTTP/1.1", b"CONNECT a b:443 HTTP/1.1", b"GET ftp://a/ HTTP/1.1",
     b"CONNECT pypi.org\x00.evil:443 HTTP/1.1", b"GET http://user@a/ HTTP/1.1", b"GET http://[::1/ HTTP/1.1",
     b"GET http://a:99999/ HTTP/1.1", b"\xff\xfe", b"CONNECT " + b"a." * 150 + b"a:443 HTTP/1.1",
     b"CONNECT " + b"a" * 64 + b".example.org:443 HTTP/1.1", "CONNECT pypi.org:² HTTP/1.1".encode("latin-1"),
     b"CONNECT pypi.org:" + b"4" * 5_000 + b" HTTP/1.1"],
)  # fmt: skip
def test_anything_else_is_a_bad_request(head: bytes) -> None:
    with pytest.raises(BadRequestError):
        parse_request(head)


# In boxes


class Mirror(BaseHTTPRequestHandler):
    """A package mirror: a small file, a big one, an echo, and one that breaks off."""

    def do_GET(self) -> None:
        body = BIG if self.path == "/big" else self.headers["Host"].encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body) + (self.path == "/cut")))
        self.end_headers()
        with suppress(ConnectionError):  # some clients here go away early
            self.wfile.write(body)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(hashlib.sha1(body).hexdigest().encode())

    def log_message(self, format: str, *args: Any) -> None:
        pass


class MirrorServer(ThreadingHTTPServer):
    request_queue_size = 256  # what is beyond it is dropped and tried again by the kernel, seconds later


@pytest.fixture(scope="module")
def mirror_port() -> Iterator[int]:
    with MirrorServer(("127.0.0.1", 0), Mirror) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def setup_box(mirror_port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A set-up box whose allowed host is the mirror on this machine."""

    def dial(host: str, port: int) -> socket.socket:
        if host == "down.example":
            raise ConnectionRefusedError("it is down")
        assert (host, port) in (("mirror.example", 80), ("mirror.example", 443)), "only what was allowed"
        return socket.create_connection(("127.0.0.1", mirror_port))

    engine = BubblewrapEngine(tmp_path_factory.mktemp("data"), dial=dial)
    spec = BoxSpec(limits=LIMITS, writable_environment=True, allowed_hosts=("mirror.example", "down.example"))
    with engine.start(spec) as box:
        yield box


FETCH = """
import sys, urllib.request
print(urllib.request.urlopen({url!r}, {data}).read().decode())
"""


@pytest.mark.bubblewrap
def test_an_allowed_host_is_reached(setup_box: Sandbox) -> None:
    result = python(setup_box, FETCH.format(url="http://mirror.example/simple", data=None))
    assert (result.exit_code, result.output) == (0, b"mirror.example\n")


@pytest.mark.bubblewrap
def test_bytes_arrive_whole_in_both_directions(setup_box: Sandbox) -> None:
    program = (
        "import hashlib, urllib.request\nbig = urllib.request.urlopen('http://mirror.example/big').read()\n"
        "print(hashlib.sha1(big).hexdigest())\n"
        "print(urllib.request.urlopen('http://mirror.example/echo', big).read().decode())"
    )
    expected = hashlib.sha1(BIG).hexdigest()
    assert python(setup_box, program, timeout_seconds=60).output.decode().split() == [expected, expected]


@pytest.mark.bubblewrap
def test_a_tunnel_carries_what_it_is_given(setup_box: Sandbox) -> None:
    program = (
        "import socket\ns = socket.create_connection(('127.0.0.1', 3128))\n"
        "s.sendall(b'CONNECT mirror.example:443 HTTP/1.1\\r\\n\\r\\nGET /x HTTP/1.0\\r\\nHost: inner\\r\\n\\r\\n')\n"
        "data = b''\nwhile True:\n  part = s.recv(9999)\n  if not part: break\n  data += part\nprint(data.decode())"
    )
    output = python(setup_box, program).output
    assert output.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.0 200 OK")
    assert output.endswith(b"inner\n")


@pytest.mark.bubblewrap
def test_forty_connections_at_once_all_get_their_answer(setup_box: Sandbox) -> None:
    program = (
        "import urllib.request\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "def fetch(n): return urllib.request.urlopen('http://mirror.example/').read()\n"
        "with ThreadPoolExecutor(40) as pool: print(len(set(pool.map(fetch, range(200)))))"
    )
    assert python(setup_box, program, timeout_seconds=240).output == b"1\n"


@pytest.mark.bubblewrap
def test_more_connections_than_the_bound_cost_the_host_nothing(setup_box: Sandbox) -> None:
    before = egress_threads()
    program = (
        "import socket, time\nopen_ones = [socket.create_connection(('127.0.0.1', 3128)) for _ in range(200)]\n"
        "time.sleep(0.3)\nprint(len(open_ones))"
    )
    seen = watch_threads()
    with seen as most:
        assert python(setup_box, program, timeout_seconds=240).output == b"200\n"
    assert most[0] - before <= 130
    assert python(setup_box, FETCH.format(url="http://mirror.example/", data=None)).exit_code == 0


@pytest.mark.bubblewrap
def test_connections_beyond_the_bound_wait_for_their_turn(setup_box: Sandbox) -> None:
    """npm opens one for every package at once, and hangs where one is closed without a word."""
    program = (
        "import socket\nopen_ones = [socket.create_connection(('127.0.0.1', 3128)) for _ in range(200)]\n"
        "for s in open_ones: s.sendall(b'GET http://mirror.example/simple HTTP/1.0\\r\\n\\r\\n')\n"
        "def answer(s):\n  data = b''\n  while part := s.recv(9999): data += part\n  s.close()\n  return data[:12]\n"
        "print(sorted({answer(s) for s in open_ones}))"
    )
    assert python(setup_box, program, timeout_seconds=240).output == b"[b'HTTP/1.0 200']\n"


@pytest.mark.bubblewrap
def test_a_slow_reader_does_not_fill_this_process(setup_box: Sandbox) -> None:
    program = (
        "import socket, time\ns = socket.create_connection(('127.0.0.1', 3128))\n"
        "s.sendall(b'GET http://mirror.example/big HTTP/1.1\\r\\n\\r\\n')\ntime.sleep(1.0)"
    )
    before = resident_bytes()
    python(setup_box, program)
    assert resident_bytes() - before < 16 * MIB


@pytest.mark.bubblewrap
def test_a_server_that_breaks_off_is_seen_as_that(setup_box: Sandbox) -> None:
    result = python(setup_box, FETCH.format(url="http://mirror.example/cut", data=None))
    assert b"IncompleteRead" in result.output


@pytest.mark.bubblewrap
def test_a_host_that_is_down_is_a_bad_gateway_and_not_refused(setup_box: Sandbox) -> None:
    before = setup_box.refused_hosts()
    result = python(setup_box, FETCH.format(url="http://down.example/", data=None))
    assert b"502: Bad Gateway" in result.output
    assert setup_box.refused_hosts() == before


@pytest.mark.bubblewrap
def test_connections_end_with_their_command(setup_box: Sandbox) -> None:
    program = (
        "import socket, os\ns = socket.create_connection(('127.0.0.1', 3128))\n"
        "s.sendall(b'GET http://mirror.example/big HTTP/1.1\\r\\n\\r\\n'); s.recv(10); os._exit(0)"
    )
    before = egress_threads()
    for _ in range(5):
        assert python(setup_box, program).exit_code == 0
    end = time.monotonic() + 60
    while egress_threads() > before and time.monotonic() < end:
        time.sleep(0.05)
    assert egress_threads() <= before
    assert sh(setup_box, "echo alive").output == b"alive\n"


REFUSED = ("example.com", "169.254.169.254", "127.0.0.1", "localhost", "pypi.org:22", "[fd12::1]:8000")


def test_other_hosts_are_refused_and_remembered(engine: SandboxEngine) -> None:
    spec = BoxSpec(limits=LIMITS, writable_environment=True, allowed_hosts=("localhost", "pypi.org"))
    with engine.start(spec) as box:
        for host in (*REFUSED, *REFUSED):
            result = python(box, FETCH.format(url=f"http://{host}/", data=None).replace("import sys", "import os, sys"))
            assert b"403: Forbidden" in result.output, host
        assert box.refused_hosts() == REFUSED


def test_there_is_no_way_round_the_proxy(engine: SandboxEngine) -> None:
    spec = BoxSpec(limits=LIMITS, writable_environment=True, allowed_hosts=("pypi.org",))
    program = (
        "import socket\n"
        "for place in (('1.1.1.1', 443), ('10.0.0.1', 80), ('169.254.169.254', 80), ('172.17.0.1', 22)):\n"
        "  try: socket.create_connection(place, 2); print('reached', place)\n"
        "  except OSError as error: print(error.errno)\n"
        "try: socket.getaddrinfo('pypi.org', 443); print('resolved')\n"
        "except socket.gaierror: print('no name')"
    )
    with engine.start(spec) as box:
        assert python(box, program).output.split() == [b"101"] * 4 + [b"no", b"name"]


def test_a_box_without_allowed_hosts_has_no_proxy(box: Sandbox) -> None:
    assert b"Connection refused" in python(box, "import socket; socket.create_connection(('127.0.0.1', 3128))").output
    assert b"proxy" not in sh(box, "env").output.lower()


def test_a_name_that_nobody_can_be_asked_for_does_not_exist(box: Sandbox) -> None:
    program = (
        "import socket\n"
        "try: socket.getaddrinfo('nobody.invalid', 80)\n"
        "except socket.gaierror as error: print(error.errno == socket.EAI_NONAME)"
    )
    assert python(box, program).output == b"True\n"


@pytest.mark.registry
def test_a_package_is_downloaded_from_the_real_index(engine: SandboxEngine) -> None:
    spec = BoxSpec(writable_environment=True, allowed_hosts=("pypi.org", "files.pythonhosted.org"))
    with engine.start(spec) as box:
        variables = trust(box)
        argv = ["python3", "-m", "pip", "download", "--no-deps", "--disable-pip-version-check", "iniconfig"]
        result = box.exec(argv, timeout_seconds=60, environment=variables)
        assert result.exit_code == 0, result.output.decode()
        assert any(name.endswith(".whl") for name in box.tree())


def trust(box: Sandbox) -> dict[str, str]:
    """This machine's authorities, which may be more than the box's image knows."""
    box.write("/tmp/ca.pem", Path("/etc/ssl/certs/ca-certificates.crt").read_bytes())
    return {"PIP_CERT": "/tmp/ca.pem"}


def egress_threads() -> int:
    return sum(thread.name.startswith("egress-") for thread in threading.enumerate())


@contextmanager
def watch_threads() -> Iterator[list[int]]:
    """The most threads that there were meanwhile."""
    most, stop = [0], threading.Event()

    def watch() -> None:
        while not stop.wait(0.01):
            most[0] = max(most[0], egress_threads())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield most
    finally:
        stop.set()
        watcher.join()


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
