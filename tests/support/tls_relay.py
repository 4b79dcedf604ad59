"""A TLS front for a unix socket, as a remote container engine has one: both sides show certificates."""

import datetime
import select
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

PIECE = 1 << 16


def write_certificates(folder: Path) -> None:
    """ca.pem, cert.pem and key.pem, as the docker client wants them: one self-signed certificate for both sides."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=5))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    (folder / "ca.pem").write_bytes(pem)
    (folder / "cert.pem").write_bytes(pem)
    plain = serialization.NoEncryption()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    (folder / "key.pem").write_bytes(private)


@contextmanager
def tls_relay(folder: Path, unix_socket: str) -> Iterator[int]:
    """The port on localhost that leads to `unix_socket`. `folder` is that of `write_certificates`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    context.load_verify_locations(folder / "ca.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    with socket.create_server(("127.0.0.1", 0)) as server:
        over = threading.Event()
        thread = threading.Thread(target=accept_all, args=(server, context, unix_socket, over))
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            over.set()
            thread.join()


def accept_all(server: socket.socket, context: ssl.SSLContext, unix_socket: str, over: threading.Event) -> None:
    threads = []
    server.settimeout(0.1)
    while not over.is_set():
        with suppress(TimeoutError):
            connection, _address = server.accept()
            connection.settimeout(30)
            threads.append(threading.Thread(target=carry, args=(connection, context, unix_socket, over)))
            threads[-1].start()
    for thread in threads:
        thread.join()


def carry(connection: socket.socket, context: ssl.SSLContext, unix_socket: str, over: threading.Event) -> None:
    """One connection, both ways, until either side ends."""
    with (
        suppress(OSError),
        context.wrap_socket(connection, server_side=True) as outside,
        socket.socket(socket.AF_UNIX) as inside,
    ):
        inside.connect(unix_socket)
        while not over.is_set():
            ready = [outside] if outside.pending() else select.select([outside, inside], [], [], 0.1)[0]
            for source in ready:
                data = source.recv(PIECE)
                if not data:
                    return
                (inside if source is outside else outside).sendall(data)
