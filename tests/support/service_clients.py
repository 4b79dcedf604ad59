"""The least that a client of each server must say: given as text to the Python of a box, which has no other client.

Each function gives what the server answered, as text; a refusal begins with ``refused``.
"""

import hashlib
import socket
import struct


def connect(port: int, host: str = "127.0.0.1") -> socket.socket:
    connection = socket.create_connection((host, port), 5)
    connection.settimeout(20)
    return connection


def exactly(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise ConnectionError("the server hung up")
        data += part
    return data


def redis(port: int, *words: str, host: str = "127.0.0.1") -> str:
    """One command; its answer as it came."""
    with connect(port, host) as connection:
        connection.sendall(b"*%d\r\n" % len(words))
        for word in words:
            connection.sendall(b"$%d\r\n%s\r\n" % (len(word.encode()), word.encode()))
        return connection.recv(65536).decode()


def postgresql(port: int, user: str, password: str, database: str, sql: str, host: str = "127.0.0.1") -> str:
    """The first column of each row, one a line. Protocol 3.0, passwords in clear text (or none)."""
    with connect(port, host) as connection:
        words = f"user\0{user}\0database\0{database}\0\0".encode()
        connection.sendall(struct.pack("!ii", 8 + len(words), 196608) + words)
        rows, asked = [], False
        while True:
            kind, body = postgresql_message(connection)
            if kind == b"R" and body[:4] == struct.pack("!i", 3):
                connection.sendall(b"p" + struct.pack("!i", 5 + len(password)) + password.encode() + b"\0")
            elif kind == b"E":
                return "refused " + " ".join(body.decode().split("\0"))
            elif kind == b"D":
                size = struct.unpack("!i", body[2:6])[0]
                rows.append(body[6 : 6 + size].decode())
            elif kind == b"Z" and asked:
                return "\n".join(rows)
            elif kind == b"Z":
                asked = True
                connection.sendall(b"Q" + struct.pack("!i", 5 + len(sql.encode())) + sql.encode() + b"\0")


def postgresql_message(connection: socket.socket) -> "tuple[bytes, bytes]":
    kind = exactly(connection, 1)
    return kind, exactly(connection, struct.unpack("!i", exactly(connection, 4))[0] - 4)


def mariadb(port: int, user: str, password: str, database: str, sql: str, host: str = "127.0.0.1") -> str:
    """``ok``, or the refusal. Protocol 4.1, mysql_native_password."""
    with connect(port, host) as connection:
        greeting = mariadb_packet(connection)
        after = greeting.index(b"\0", 1) + 5
        salt = greeting[after : after + 8] + greeting[after + 27 :].split(b"\0", 1)[0]
        capabilities = 0x1 | 0x200 | 0x8 | 0x8000 | 0x80000
        body = struct.pack("<IIB23x", capabilities, 1 << 24, 45) + user.encode() + b"\0"
        proof = scramble(password, salt[:20])
        body += bytes([len(proof)]) + proof + database.encode() + b"\0mysql_native_password\0"
        connection.sendall(struct.pack("<I", len(body))[:3] + b"\1" + body)
        answer = mariadb_packet(connection)
        if answer[0] == 0:
            query = b"\3" + sql.encode()
            connection.sendall(struct.pack("<I", len(query))[:3] + b"\0" + query)
            answer = mariadb_packet(connection)
        return "refused " + answer[9:].decode() if answer[0] == 0xFF else "ok"


def mariadb_packet(connection: socket.socket) -> bytes:
    header = exactly(connection, 4)
    return exactly(connection, int.from_bytes(header[:3], "little"))


def scramble(password: str, salt: bytes) -> bytes:
    if not password:
        return b""
    once = hashlib.sha1(password.encode()).digest()
    mixed = hashlib.sha1(salt + hashlib.sha1(once).digest()).digest()
    return bytes(a ^ b for a, b in zip(once, mixed, strict=True))


def rabbitmq(port: int, user: str, password: str, host: str = "127.0.0.1") -> str:
    """Whether the server lets the user in: ``Tune``, the method after a good password (AMQP 0-9-1)."""
    with connect(port, host) as connection:
        connection.sendall(b"AMQP\0\0\x09\x01")
        amqp_frame(connection)
        answer = f"\0{user}\0{password}".encode()
        method = struct.pack("!HHI", 10, 11, 0) + b"\x05PLAIN" + struct.pack("!I", len(answer)) + answer + b"\x05en_US"
        connection.sendall(b"\1" + struct.pack("!HI", 0, len(method)) + method + b"\xce")
        reply = amqp_frame(connection)
        return "Tune" if struct.unpack("!HH", reply[:4]) == (10, 30) else f"refused {reply!r}"


def amqp_frame(connection: socket.socket) -> bytes:
    header = exactly(connection, 7)
    return exactly(connection, struct.unpack("!I", header[3:])[0] + 1)[:-1]
