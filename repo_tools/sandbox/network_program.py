"""Runs where a bubblewrap box is made, outside of it, in the box's network namespace: gives the loopback interface two
addresses more, puts the box first among what the kernel ends where a machine runs out of memory, then becomes the
program of its arguments. Given to a Python as text.

glibc takes a machine that has no address but 127.0.0.1 and ::1 for one without a network, and with AI_ADDRCONFIG does
not look up even ``localhost`` for one family (getaddrinfo(3)). The two lead nowhere but to the box itself. See
rtnetlink(7), PR_CAP_AMBIENT in prctl(2).
"""

import ctypes
import os
import socket
import struct
import sys

ADDRESSES = (
    (socket.AF_INET, "127.0.1.1", 8),
    (socket.AF_INET6, "fd00:616e:6fff::1", 128),  # of the range for private use, RFC 4193
)
RTM_NEWADDR = 20
REQUEST = 0x1 | 0x4 | 0x400  # NLM_F_REQUEST, NLM_F_ACK, NLM_F_CREATE
SCOPE_HOST = 254
IFA_ADDRESS, IFA_LOCAL = 1, 2
HEADER_BYTES = 16
ANSWER_BYTES = 4096
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
FIRST_TO_GO = "1000"
"""proc_pid_oom_score_adj(5). What the kernel keeps for a process counts little when it chooses one."""


def add(family: int, address: str, prefix: int) -> None:
    packed = socket.inet_pton(family, address)
    body = struct.pack("=BBBBI", family, prefix, 0, SCOPE_HOST, socket.if_nametoindex("lo"))
    for kind in (IFA_ADDRESS, IFA_LOCAL):
        body += struct.pack("=HH", 4 + len(packed), kind) + packed
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as route:
        route.send(struct.pack("=IHHII", HEADER_BYTES + len(body), RTM_NEWADDR, REQUEST, 1, 0) + body)
        (error,) = struct.unpack_from("=i", route.recv(ANSWER_BYTES), HEADER_BYTES)
    if error:
        sys.stderr.write(f"{address} cannot be an address of the box: {os.strerror(-error)}\n")


def main(argv: "list[str]") -> None:
    for address in ADDRESSES:
        add(*address)
    with open("/proc/self/oom_score_adj", "w") as adjusted:
        adjusted.write(FIRST_TO_GO)
    ctypes.CDLL(None).prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    os.execvp(argv[0], argv)  # noqa: S606


if __name__ == "__main__":
    main(sys.argv[1:])
