"""Ways out over a network or a socket."""

import errno
import os
import socket
import stat
import struct

from tests.support.probes.attempts import ReachedError, probe, try_each

TIMEOUT_SECONDS = 3


def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        connection.connect(address)
        raise ReachedError(address)


def ask_name_server(family, address):
    query = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x04pypi\x03org\x00\x00\x01\x00\x01"
    with socket.socket(family, socket.SOCK_DGRAM) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        connection.sendto(query, (address, 53))
        connection.recvfrom(512)
        raise ReachedError(address)


@probe
def tcp_to_a_public_address(_):
    connect(socket.AF_INET, ("1.1.1.1", 443))


@probe
def tcp_to_a_public_ipv6_address(_):
    connect(socket.AF_INET6, ("2606:4700:4700::1111", 443))


@probe
def tcp_to_the_metadata_address(_):
    connect(socket.AF_INET, ("169.254.169.254", 80))


@probe
def tcp_to_the_bridge_gateway(configuration):
    ports = (2375, 2376, 22, configuration["port"])
    try_each(lambda port: connect(socket.AF_INET, ("172.17.0.1", port)), ports)


@probe
def tcp_to_a_service_on_the_hosts_loopback(configuration):
    connect(socket.AF_INET, ("127.0.0.1", configuration["port"]))


@probe
def tcp_to_a_service_on_the_hosts_ipv6_loopback(configuration):
    connect(socket.AF_INET6, ("::1", configuration["port6"]))


@probe
def tcp_to_a_service_on_the_hosts_address(configuration):
    connect(socket.AF_INET, (configuration["address"], configuration["port"]))


@probe
def abstract_unix_socket_of_the_host(configuration):
    connect(socket.AF_UNIX, "\0" + configuration["abstract"])


@probe
def unix_socket_of_the_host(configuration):
    connect(socket.AF_UNIX, configuration["unix"])


@probe
def engine_socket_of_the_host(configuration):
    for path in configuration["engine_sockets"]:
        if os.path.exists(path):
            raise ReachedError(path)


@probe
def any_socket_file(_):
    for directory, _names, files in os.walk("/"):
        if directory.startswith("/proc"):
            continue
        for name in files:
            path = os.path.join(directory, name)
            if stat.S_ISSOCK(os.lstat(path).st_mode):
                raise ReachedError(path)


@probe
def virtual_machine_socket(_):
    connect(socket.AF_VSOCK, (2, 1024))


@probe
def name_server_over_udp(configuration):
    try_each(lambda address: ask_name_server(socket.AF_INET, address), configuration["name_servers"])


@probe
def name_server_over_udp_on_a_public_address(_):
    ask_name_server(socket.AF_INET, "8.8.8.8")


@probe
def name_lookup(_):
    try:
        raise ReachedError(socket.getaddrinfo("pypi.org", 443))
    except socket.gaierror as error:
        raise PermissionError(errno.EACCES, str(error)) from error


@probe
def ping(_):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        connection.sendto(struct.pack("!BBHHH", 8, 0, 0xF7FF, 0, 0), ("1.1.1.1", 0))
        connection.recvfrom(512)
        raise ReachedError("1.1.1.1")


@probe
def raw_socket(_):
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()
    raise ReachedError("raw socket")


@probe
def packet_socket(_):
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).close()
    raise ReachedError("packet socket")


@probe
def another_network_interface(_):
    others = [name for _number, name in socket.if_nameindex() if name != "lo" and is_up(name)]
    if others:
        raise ReachedError(others)


def is_up(name):
    with open("/proc/net/dev") as table, open("/proc/net/route") as routes:
        return name in table.read() and name in routes.read()
