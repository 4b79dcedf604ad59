"""Ways out over a network or a socket, and other ways to tell something to somebody."""

import errno
import fcntl
import os
import socket
import stat
import struct

from tests.support.probes.attempts import ANYBODY, ROOT, ReachedError, call, probe, try_each

TIMEOUT_SECONDS = 3
LEAVES = "it would leave this machine"
NOT_EVERYWHERE = "not every machine has it"


def connect(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        connection.connect(address)
        raise ReachedError(address)


def send(family, address):
    """A datagram that is answered by nobody: that it could be sent is enough."""
    with socket.socket(family, socket.SOCK_DGRAM) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        connection.sendto(b"secret", address)
        raise ReachedError(address)


def ask(family, address):
    """A datagram that is answered."""
    with socket.socket(family, socket.SOCK_DGRAM) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        connection.connect(address)
        connection.send(b"secret")
        connection.recv(512)
        raise ReachedError(address)


QUERY = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x04pypi\x03org\x00\x00\x01\x00\x01"


def ask_name_server(family, address):
    with socket.socket(family, socket.SOCK_DGRAM) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        connection.connect((address, 53))
        connection.send(QUERY)
        connection.recv(512)
        raise ReachedError(address)


# To this machine


@probe("connects to a service on the host's loopback", ANYBODY)
def tcp_to_a_service_on_the_hosts_loopback(configuration):
    connect(socket.AF_INET, ("127.0.0.1", configuration["port"]))


@probe("connects to it by another of the loopback's addresses", ANYBODY)
def tcp_to_another_loopback_address(configuration):
    connect(socket.AF_INET, ("127.66.0.1", configuration["port"]))


@probe("connects to it by the address of nobody", ANYBODY)
def tcp_to_the_unspecified_address(configuration):
    connect(socket.AF_INET, ("0.0.0.0", configuration["port"]))


@probe("connects to a service on the host's IPv6 loopback", ANYBODY)
def tcp_to_a_service_on_the_hosts_ipv6_loopback(configuration):
    connect(socket.AF_INET6, ("::1", configuration["port6"]))


@probe("connects to the loopback by its IPv4 address written as an IPv6 one", ANYBODY)
def tcp_to_a_mapped_address(configuration):
    connect(socket.AF_INET6, ("::ffff:127.0.0.1", configuration["port"]))


@probe("connects to a service on the host's own address", ANYBODY)
def tcp_to_a_service_on_the_hosts_address(configuration):
    connect(socket.AF_INET, (configuration["address"], configuration["port"]))


@probe("gets an answer to a datagram from the host's loopback", ANYBODY)
def udp_to_a_service_on_the_hosts_loopback(configuration):
    ask(socket.AF_INET, ("127.0.0.1", configuration["udp"]))


@probe("gets an answer to a datagram from the host's own address", ANYBODY)
def udp_to_a_service_on_the_hosts_address(configuration):
    ask(socket.AF_INET, (configuration["address"], configuration["udp"]))


@probe("connects to an abstract unix socket of the host, which no file system holds", ANYBODY)
def abstract_unix_socket_of_the_host(configuration):
    connect(socket.AF_UNIX, "\0" + configuration["abstract"])


@probe("sends a datagram to an abstract unix socket of the host", ANYBODY)
def abstract_unix_datagram_socket_of_the_host(configuration):
    connect(socket.AF_UNIX, "\0" + configuration["abstract_datagram"], socket.SOCK_DGRAM)


@probe("connects to a unix socket of the host", ANYBODY)
def unix_socket_of_the_host(configuration):
    connect(socket.AF_UNIX, configuration["unix"])


@probe("connects to it through the root of any process", ANYBODY)
def unix_socket_of_the_host_through_another_process(configuration):
    try_each(lambda name: connect(socket.AF_UNIX, f"/proc/{name}/root{configuration['unix']}"), ("self", "1", "2"))


@probe("finds the container engine's socket", NOT_EVERYWHERE)
def engine_socket_of_the_host(configuration):
    for path in configuration["engine_sockets"]:
        if os.path.exists(path):
            raise ReachedError(path)


@probe("finds any socket file at all", "it would look through the whole machine")
def any_socket_file(_):
    for directory, _names, files in os.walk("/"):
        if directory.startswith("/proc"):
            continue
        for name in files:
            path = os.path.join(directory, name)
            if stat.S_ISSOCK(os.lstat(path).st_mode):
                raise ReachedError(path)


@probe("reads a shared segment of the host's", ANYBODY)
def shared_segment_of_the_host(configuration):
    call("shmget", configuration["segment"], 0, 0)


@probe("opens a message queue of the host's", ANYBODY)
def message_queue_of_the_host(configuration):
    call("mq_open", configuration["queue"].encode(), os.O_WRONLY)


@probe("opens a pipe of the host's", ANYBODY)
def pipe_of_the_host(configuration):
    os.close(os.open(configuration["pipe"], os.O_RDWR | os.O_NONBLOCK))
    raise ReachedError(configuration["pipe"])


@probe("finds a proxy of the host's in its own environment", ANYBODY)
def proxy_of_the_host(configuration):
    wanted = configuration["proxy"]
    if any(wanted in value for value in os.environ.values()):
        raise ReachedError(wanted)


@probe("connects to the bridge's gateway, where the host's services are", LEAVES)
def tcp_to_the_bridge_gateway(configuration):
    ports = (2375, 2376, 22, configuration["port"])
    try_each(lambda port: connect(socket.AF_INET, ("172.17.0.1", port)), ports)


@probe("connects to a neighbour on a private network", LEAVES)
def tcp_to_a_private_address(configuration):
    try_each(lambda host: connect(socket.AF_INET, (host, configuration["port"])), ("10.0.0.1", "192.168.0.1"))


# To the world


@probe("connects to a public address", LEAVES)
def tcp_to_a_public_address(_):
    connect(socket.AF_INET, ("1.1.1.1", 443))


@probe("connects to a public IPv6 address", LEAVES)
def tcp_to_a_public_ipv6_address(_):
    connect(socket.AF_INET6, ("2606:4700:4700::1111", 443))


@probe("connects to the cloud's metadata service", LEAVES)
def tcp_to_the_metadata_address(_):
    connect(socket.AF_INET, ("169.254.169.254", 80))


@probe("connects to the cloud's metadata service over IPv6", LEAVES)
def tcp_to_the_ipv6_metadata_address(_):
    connect(socket.AF_INET6, ("fd00:ec2::254", 80))


@probe("connects to a neighbour by a link-local address", LEAVES)
def tcp_to_a_link_local_address(_):
    for number, name in socket.if_nameindex():
        if name != "lo":
            connect(socket.AF_INET6, ("fe80::1", 80, 0, number))


@probe("sends a datagram to a public address", LEAVES)
def udp_to_a_public_address(_):
    send(socket.AF_INET, ("1.1.1.1", 443))


@probe("sends a datagram to everybody near", LEAVES)
def broadcast(_):
    send(socket.AF_INET, ("255.255.255.255", 9))


@probe("sends a datagram to a group", LEAVES)
def multicast(_):
    send(socket.AF_INET, ("224.0.0.251", 5353))


@probe("sends a datagram to a group over IPv6", LEAVES)
def ipv6_multicast(_):
    send(socket.AF_INET6, ("ff02::fb", 5353))


@probe("asks the host's name servers", LEAVES)
def name_server_over_udp(configuration):
    try_each(lambda address: ask_name_server(socket.AF_INET, address), configuration["name_servers"])


@probe("asks a public name server", LEAVES)
def name_server_over_udp_on_a_public_address(_):
    ask_name_server(socket.AF_INET, "8.8.8.8")


@probe("asks a public name server over TCP", LEAVES)
def name_server_over_tcp(_):
    connect(socket.AF_INET, ("8.8.8.8", 53))


@probe("asks a public name server over TLS", LEAVES)
def name_server_over_tls(_):
    connect(socket.AF_INET, ("8.8.8.8", 853))


@probe("asks the resolver on the loopback that systemd or the engine puts there", LEAVES)
def name_server_of_the_engine(_):
    try_each(lambda address: ask_name_server(socket.AF_INET, address), ("127.0.0.11", "127.0.0.53"))


@probe("looks a name up, in which a secret could be", LEAVES)
def name_lookup(_):
    try:
        raise ReachedError(socket.getaddrinfo("pypi.org", 443))
    except socket.gaierror as error:
        raise PermissionError(errno.EACCES, str(error)) from error


@probe("pings", LEAVES)
def ping(_):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        connection.sendto(struct.pack("!BBHHH", 8, 0, 0xF7FF, 0, 0), ("1.1.1.1", 0))
        connection.recvfrom(512)
        raise ReachedError("1.1.1.1")


# Below sockets


@probe("makes packets of its own", ROOT)
def raw_socket(_):
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()
    raise ReachedError("raw socket")


@probe("makes IPv6 packets of its own", ROOT)
def raw_ipv6_socket(_):
    socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6).close()
    raise ReachedError("raw socket")


@probe("puts frames on the wire", ROOT)
def packet_socket(_):
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).close()
    raise ReachedError("packet socket")


@probe("talks to the host of a virtual machine", NOT_EVERYWHERE)
def virtual_machine_socket(_):
    socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close()
    raise ReachedError("AF_VSOCK")


@probe("uses a family of sockets that no network namespace holds", NOT_EVERYWHERE)
def rare_sockets(_):
    families = (9, 21, 29, 30, 31, 41, 43, 44)  # X.25, RDS, CAN, TIPC, Bluetooth, KCM, SMC, XDP
    try_each(lambda family: found(socket.socket(family, socket.SOCK_SEQPACKET)), families)


def found(opened):
    opened.close()
    raise ReachedError(opened.family)


@probe("has another interface than the loopback, that is up and leads somewhere", "it depends on the machine")
def another_network_interface(_):
    others = [name for _number, name in socket.if_nameindex() if name != "lo" and is_up(name)]
    if others:
        raise ReachedError(others)


def is_up(name):
    with open("/proc/net/dev") as table, open("/proc/net/route") as routes:
        return name in table.read() and name in routes.read()


@probe("changes a network interface", ROOT)
def changing_an_interface(_):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", b"lo", 0x1 | 0x8))  # SIOCSIFFLAGS, up and loopback
    raise ReachedError("SIOCSIFFLAGS")


@probe("makes a network interface by netlink", NOT_EVERYWHERE)
def making_an_interface(_):
    name = struct.pack("HH", 9, 3) + b"agnt\0\0\0\0"
    kind = struct.pack("HH", 10, 1) + b"dummy\0\0\0"
    information = struct.pack("HH", 4 + len(kind), 18) + kind
    body = struct.pack("BxHiII", 0, 0, 0, 0, 0) + name + information
    answer_netlink(16, 0x1 | 0x4 | 0x200 | 0x400, body)  # RTM_NEWLINK, request, acknowledge, exclusively, create


@probe("gives an interface another address by netlink", ROOT)
def giving_an_address(_):
    body = struct.pack("BBBBI", socket.AF_INET, 8, 0, 254, 1)
    for kind in (1, 2):  # IFA_ADDRESS, IFA_LOCAL
        body += struct.pack("HH", 8, kind) + socket.inet_aton("10.66.0.1")
    answer_netlink(20, 0x1 | 0x4 | 0x400, body)  # RTM_NEWADDR


@probe("makes a route by netlink", ROOT)
def making_a_route(_):
    gateway = struct.pack("HH", 8, 4) + struct.pack("I", 1)  # RTA_OIF, the loopback
    body = struct.pack("BBBBBBBBI", socket.AF_INET, 0, 0, 0, 254, 4, 253, 1, 0) + gateway
    answer_netlink(24, 0x1 | 0x4 | 0x400, body)  # RTM_NEWROUTE


def answer_netlink(kind, flags, body):
    """Any answer but a refusal of permission is a way in: the kernel asks first who calls."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as netlink:
        netlink.settimeout(TIMEOUT_SECONDS)
        netlink.send(struct.pack("IHHII", 16 + len(body), kind, flags, 1, 0) + body)
        (number,) = struct.unpack_from("i", netlink.recv(4096), 16)
    if -number in (errno.EPERM, errno.EACCES, errno.EOPNOTSUPP):
        raise OSError(-number, "netlink")
    raise ReachedError(f"netlink answers {-number}")


@probe("opens a tunnel device", NOT_EVERYWHERE)
def tunnel_device(_):
    os.close(os.open("/dev/net/tun", os.O_RDWR))
    raise ReachedError("/dev/net/tun")


@probe("enters the network of process 1", ROOT)
def network_of_process_1(_):
    descriptor = os.open("/proc/1/ns/net", os.O_RDONLY)
    try:
        call("setns", descriptor, 0)
    finally:
        os.close(descriptor)
